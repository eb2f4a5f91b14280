package dev.reprise.lab.fleet;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.lab.figure.Distribution;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.figure.Series;
import dev.reprise.lab.scenario.Costs;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import dev.reprise.lab.scenario.Minority;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.lab.scenario.Quota;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.CallSettings;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyKind;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** Fleets to try things with: a plain one, and one thing changed at a time. */
final class Fleets {
  static final Backoff FULL_JITTER =
      Backoff.exponential(Duration.ofSeconds(1), Duration.ofSeconds(64)).withFullJitter();

  private Fleets() {}

  /** 10,000 devices, all away for a minute, 100/s after that, an hour at most. */
  static FleetModel minuteOut() {
    return new FleetModel(
        10_000,
        Duration.ofMillis(100),
        new Quota(100, Duration.ofMillis(100), 0),
        Duration.ZERO,
        List.of(new Failure.Outage(Duration.ZERO, Duration.ofMinutes(1), Failure.Zone.ALL)),
        new Hint.None(),
        Overactive.NONE,
        Minority.NONE,
        Costs.NONE,
        Duration.ofHours(1));
  }

  static FleetModel with(FleetModel model, int devices) {
    return new FleetModel(
        devices,
        model.spread(),
        model.quota(),
        model.perDeviceInterval(),
        model.failures(),
        model.hint(),
        model.overactive(),
        model.minority(),
        model.costs(),
        model.horizon());
  }

  static FleetModel with(FleetModel model, Duration spread, Duration horizon) {
    return new FleetModel(
        model.devices(),
        spread,
        model.quota(),
        model.perDeviceInterval(),
        model.failures(),
        model.hint(),
        model.overactive(),
        model.minority(),
        model.costs(),
        horizon);
  }

  static FleetModel with(FleetModel model, Quota quota) {
    return new FleetModel(
        model.devices(),
        model.spread(),
        quota,
        model.perDeviceInterval(),
        model.failures(),
        model.hint(),
        model.overactive(),
        model.minority(),
        model.costs(),
        model.horizon());
  }

  static FleetModel with(FleetModel model, Failure... failures) {
    return new FleetModel(
        model.devices(),
        model.spread(),
        model.quota(),
        model.perDeviceInterval(),
        List.of(failures),
        model.hint(),
        model.overactive(),
        model.minority(),
        model.costs(),
        model.horizon());
  }

  static FleetModel with(FleetModel model, Hint hint) {
    return new FleetModel(
        model.devices(),
        model.spread(),
        model.quota(),
        model.perDeviceInterval(),
        model.failures(),
        hint,
        model.overactive(),
        model.minority(),
        model.costs(),
        model.horizon());
  }

  static FleetModel with(
      FleetModel model, Duration perDeviceInterval, Overactive overactive, Minority minority) {
    return new FleetModel(
        model.devices(),
        model.spread(),
        model.quota(),
        perDeviceInterval,
        model.failures(),
        model.hint(),
        overactive,
        minority,
        model.costs(),
        model.horizon());
  }

  /** Returns the policy of a device that never gives up. */
  static StrategyPolicy patient(Backoff backoff) {
    return new StrategyPolicy(
        StrategyKind.STANDARD,
        Policy.UNLIMITED,
        backoff,
        backoff,
        new BudgetPolicy.Unlimited(),
        Duration.ofDays(1),
        false,
        false,
        CallSettings.NONE);
  }

  static StrategyPolicy withHints(StrategyPolicy policy, Duration ceiling, boolean clamps) {
    return new StrategyPolicy(
        policy.strategy(),
        policy.maxAttempts(),
        policy.backoff(),
        policy.throttleBackoff(),
        policy.budget(),
        ceiling,
        clamps,
        false,
        policy.calls());
  }

  static StrategyPolicy withThrottleBackoff(StrategyPolicy policy, Backoff throttleBackoff) {
    return new StrategyPolicy(
        policy.strategy(),
        policy.maxAttempts(),
        policy.backoff(),
        throttleBackoff,
        policy.budget(),
        policy.hintCeiling(),
        false,
        false,
        policy.calls());
  }

  static StrategyPolicy withLimits(
      StrategyPolicy policy, int maxAttempts, BudgetPolicy budget, CallSettings calls) {
    return new StrategyPolicy(
        policy.strategy(),
        maxAttempts,
        policy.backoff(),
        policy.throttleBackoff(),
        budget,
        policy.hintCeiling(),
        false,
        false,
        calls);
  }

  static Series series(RunRecord run, String name) {
    return run.series().stream().filter(some -> some.name().equals(name)).findFirst().orElseThrow();
  }

  static double total(RunRecord run, String name) {
    Series series = series(run, name);
    return Arrays.stream(series.values()).sum() * series.binSeconds();
  }

  static Distribution distribution(RunRecord run, String name) {
    return run.distributions().stream()
        .filter(some -> some.name().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
