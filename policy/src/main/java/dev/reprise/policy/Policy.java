package dev.reprise.policy;

import dev.reprise.core.RetryStrategy;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryBuilder;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.core.strategy.StandardRetryStrategy;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The content of a policy document, in either of its formats. Immutable and thread-safe.
 *
 * <pre>{@code
 * Policy policy = PolicyDocuments.read("{\"preset\": \"aws-standard\", \"deadline\": \"10s\"}");
 * Retry retry = policy.toRetry();
 * String body = retry.call(() -> client.fetch(url));
 * }</pre>
 *
 * <p>Every user of a policy takes what it needs: callers of remote services a {@link #toRetry()}, a
 * driver that keeps its own state a {@link #toRetryPolicy()}, and whatever draws schedules {@link
 * #backoff()} and {@link #maxRetries()}.
 */
public sealed interface Policy permits NotificationPolicy, StrategyPolicy {
  /** The value of {@link #maxRetries()} when nothing limits the number of retries. */
  int UNLIMITED = Integer.MAX_VALUE;

  /** Returns the delays of all retries but those after a throttle. */
  Backoff backoff();

  /** Returns the delays of retries after a throttle: the {@link #backoff()} when not said. */
  Backoff throttleBackoff();

  /** Returns how many retries may follow the first attempt, at least 0, or {@link #UNLIMITED}. */
  int maxRetries();

  /** Returns the longest wait that the other side may ask for, at least 0. */
  Duration hintCeiling();

  /** Returns the same policy in the words of the general format. */
  StrategyPolicy toStrategyPolicy();

  /**
   * Returns the pure decision of this policy. It knows neither budget nor throttle, and ends an
   * operation on a hint beyond the ceiling even where the policy clamps hints.
   */
  default RetryPolicy toRetryPolicy() {
    return new RetryPolicy(backoff(), maxRetries(), hintCeiling());
  }

  /**
   * Returns a new strategy with this policy's numbers, and budgets of its own, which are full. It
   * can be put into a {@link RetryStrategies#replaceable replaceable} one: calls that are under way
   * keep the policy that they began with.
   */
  default RetryStrategy toStrategy() {
    return toStrategy(builder -> {});
  }

  /**
   * Returns a new strategy with this policy's numbers, and with what no document can hold: a
   * classifier, a source of randomness, a clock, budgets that others share.
   *
   * @param furtherSettings sets them; not called when the policy is never to retry
   */
  default RetryStrategy toStrategy(Consumer<StandardRetryStrategy.Builder> furtherSettings) {
    return Strategies.of(toStrategyPolicy(), furtherSettings);
  }

  /**
   * Returns a builder with a new strategy and all other settings of this policy. What no document
   * can hold is added here: listeners, an executor, rules for results.
   */
  default RetryBuilder toRetryBuilder() {
    return Strategies.retry(toStrategyPolicy().calls(), toStrategy());
  }

  /** Returns what runs operations by this policy. */
  default Retry toRetry() {
    return toRetryBuilder().build();
  }
}
