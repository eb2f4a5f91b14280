package dev.reprise.lab.calls;

import dev.reprise.core.RetryStrategy;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryBuilder;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.lab.kernel.CounterRandom;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.Policy;
import dev.reprise.policy.StrategyKind;
import dev.reprise.policy.StrategyPolicy;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The production {@code Retry} of each client, made when the client first calls. */
final class Retries {
  private final RetryBuilder settings;
  private final Supplier<RetryStrategy> strategies;
  private final @Nullable Retry[] made;

  private Retries(RetryBuilder settings, Supplier<RetryStrategy> strategies, int count) {
    this.settings = settings;
    this.strategies = strategies;
    this.made = new @Nullable Retry[count];
  }

  /**
   * Prepares what runs the calls of a policy.
   *
   * @param timeout of attempts, unless the policy has its own
   * @param clients how many have a strategy each; 1 for one that all share
   * @param further what no document can hold, for models that need more than documents
   */
  static Retries of(
      Policy policy,
      @Nullable Duration timeout,
      int clients,
      EventTime time,
      CounterRandom jitter,
      Consumer<StandardRetryStrategy.Builder> further) {
    StrategyPolicy words = policy.toStrategyPolicy();
    RetryBuilder settings = policy.toRetryBuilder().time(time).executor(Runnable::run);
    if (words.calls().attemptTimeout() == null && timeout != null) {
      settings.attemptTimeout(timeout);
    }
    Consumer<StandardRetryStrategy.Builder> virtual =
        builder -> builder.random(jitter).nanoClock(time::nanoTime);
    return new Retries(
        settings,
        () -> policy.toStrategy(virtual.andThen(further)),
        isStateless(words) ? 1 : clients);
  }

  /** A strategy that remembers nothing of its calls is the same for all clients. */
  private static boolean isStateless(StrategyPolicy policy) {
    return policy.strategy() == StrategyKind.NONE
        || (policy.strategy() == StrategyKind.STANDARD
            && policy.budget() instanceof BudgetPolicy.Unlimited);
  }

  Retry of(int client) {
    int index = made.length == 1 ? 0 : client;
    Retry retry = made[index];
    if (retry == null) {
      retry = settings.strategy(strategies.get()).build();
      made[index] = retry;
    }
    return retry;
  }
}
