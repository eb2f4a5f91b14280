package dev.reprise.lab.calls;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.CallModel.Clients;
import dev.reprise.lab.scenario.CallModel.Layer;
import dev.reprise.lab.scenario.CallModel.Load;
import dev.reprise.lab.scenario.CallModel.Queue;
import dev.reprise.lab.scenario.CallModel.Service;
import dev.reprise.lab.scenario.CallModel.ServiceTime;
import dev.reprise.lab.scenario.CallModel.Step;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Quota;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyKind;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A model in a few words: one client, 10 calls a second for 100 s, answered at once. */
final class Scene {
  private int clients = 1;
  private boolean sharedBudget;
  private Load load = new Load.Open(List.of(new Step(Duration.ZERO, 10)));
  private @Nullable Duration timeout;
  private final List<Layer> layers = new ArrayList<>();
  private int servers;
  private ServiceTime time = new ServiceTime(Duration.ZERO, Duration.ZERO, ServiceTime.Shape.FIXED);
  private Queue queue = Queue.UNBOUNDED;
  private @Nullable Quota quota;
  private Hint hint = new Hint.None();
  private Duration hop = Duration.ZERO;
  private final List<Failure> failures = new ArrayList<>();
  private Duration warmUp = Duration.ZERO;
  private Duration duration = Duration.ofSeconds(100);

  static Duration seconds(double seconds) {
    return Duration.ofNanos(Math.round(seconds * 1e9));
  }

  Scene clients(int count) {
    this.clients = count;
    return this;
  }

  Scene sharedBudget() {
    this.sharedBudget = true;
    return this;
  }

  Scene open(double perSecond) {
    return steps(new Step(Duration.ZERO, perSecond));
  }

  Scene steps(Step... steps) {
    this.load = new Load.Open(List.of(steps));
    return this;
  }

  Scene closed(double thinkSeconds) {
    this.load = new Load.Closed(seconds(thinkSeconds));
    return this;
  }

  /** All clients call once, at the start: with a hop, no call ends in time for another one. */
  Scene herd(int count) {
    return clients(count).closed(0).hop(1e-6).duration(1e-9);
  }

  Scene timeout(double seconds) {
    this.timeout = seconds(seconds);
    return this;
  }

  Scene layer(@Nullable Policy policy, @Nullable Duration layerTimeout) {
    layers.add(new Layer("layer " + layers.size(), policy, layerTimeout));
    return this;
  }

  Scene exponential(int servers, double meanSeconds) {
    this.servers = servers;
    this.time = new ServiceTime(seconds(meanSeconds), Duration.ZERO, ServiceTime.Shape.EXPONENTIAL);
    return this;
  }

  Scene fixed(int servers, double meanSeconds) {
    return fixed(servers, meanSeconds, 0);
  }

  Scene fixed(int servers, double meanSeconds, double perRequestSeconds) {
    this.servers = servers;
    this.time =
        new ServiceTime(seconds(meanSeconds), seconds(perRequestSeconds), ServiceTime.Shape.FIXED);
    return this;
  }

  Scene queue(Queue.Order order, int bound, boolean dropsExpired) {
    this.queue = new Queue(order, bound, dropsExpired);
    return this;
  }

  Scene quota(double perSecond, double burstSeconds, double rejectionCost) {
    this.quota = new Quota(perSecond, seconds(burstSeconds), rejectionCost);
    return this;
  }

  Scene hint(Hint hint) {
    this.hint = hint;
    return this;
  }

  Scene hop(double seconds) {
    this.hop = seconds(seconds);
    return this;
  }

  Scene failure(Failure failure) {
    failures.add(failure);
    return this;
  }

  Scene warmUp(double seconds) {
    this.warmUp = seconds(seconds);
    return this;
  }

  Scene duration(double seconds) {
    this.duration = seconds(seconds);
    return this;
  }

  CallModel model() {
    return new CallModel(
        new Clients(clients, sharedBudget, load, timeout),
        layers,
        new Service(servers, time, queue, quota, hint),
        hop,
        failures,
        warmUp,
        duration);
  }

  /** Runs the scene and returns all that was counted. */
  Run run(Policy policy, long seed) {
    return CallSimulation.simulate(model(), policy, seed, builder -> {});
  }

  /** Returns a policy without a budget, for operations that may be repeated. */
  static StrategyPolicy attempts(int maxAttempts, Backoff backoff) {
    return budget(maxAttempts, backoff, new BudgetPolicy.Unlimited());
  }

  static StrategyPolicy budget(int maxAttempts, Backoff backoff, BudgetPolicy budget) {
    return policy(
        StrategyKind.STANDARD,
        maxAttempts,
        backoff,
        budget,
        new CallSettings(null, null, null, true));
  }

  static StrategyPolicy calls(int maxAttempts, Backoff backoff, CallSettings calls) {
    return policy(StrategyKind.STANDARD, maxAttempts, backoff, new BudgetPolicy.Unlimited(), calls);
  }

  static StrategyPolicy policy(
      StrategyKind kind,
      int maxAttempts,
      Backoff backoff,
      BudgetPolicy budget,
      CallSettings calls) {
    return new StrategyPolicy(
        kind, maxAttempts, backoff, backoff, budget, Duration.ofHours(24), false, false, calls);
  }

  static StrategyPolicy noRetry() {
    return StrategyPolicy.noRetry(CallSettings.NONE);
  }
}
