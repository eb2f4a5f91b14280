package dev.reprise.core.strategy;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.ScopedBudgets;
import dev.reprise.core.budget.TokenPrices;
import java.time.Duration;
import java.util.Objects;

/**
 * The numbers of a {@link StandardRetryStrategy}. Delays grow by the factor 2 from a base to a cap,
 * with full jitter: a delay is drawn evenly from above 0 to the capped value. Immutable and
 * thread-safe.
 *
 * @param maxAttempts how many attempts may be made, the first one counted, at least 1
 * @param baseDelay the longest delay of the first retry, more than 0
 * @param throttleBaseDelay the same after a throttle, more than 0
 * @param maxDelay the longest delay of any retry that no hint asks for, at least both bases
 * @param hintCeiling the longest wait that the other side may ask for, at least 0
 * @param clampsHints false: a hint beyond the ceiling ends the operation, and any other hint is
 *     kept. True: the delay is at most the ceiling longer than it would be without the hint, so it
 *     may be shorter than the other side asked
 * @param delaysLongPolls whether the failure of a long poll that the budget does not retry is
 *     surfaced only after the delay that the retry would have had
 * @param capacityTokens how many tokens the budget of each scope holds, 0 to {@link
 *     RetryBudget#MAX_TOKENS}
 * @param prices what retries cost, and what successes bring
 */
public record StandardProfile(
    int maxAttempts,
    Duration baseDelay,
    Duration throttleBaseDelay,
    Duration maxDelay,
    Duration hintCeiling,
    boolean clampsHints,
    boolean delaysLongPolls,
    int capacityTokens,
    TokenPrices prices) {

  private static final Duration MAX_DURATION = Duration.ofNanos(Long.MAX_VALUE);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /**
   * The sample of the Smithy guide "Retrying Requests", without its mistakes: 5 attempts, 1 s to 20
   * s; a retry costs 5 of 500 tokens, after a timeout 10, and a success brings 1. The sample lets
   * the other side ask for any wait; here it is 2 minutes at most.
   */
  public static final StandardProfile SMITHY_GUIDE =
      new StandardProfile(
          5,
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          Duration.ofSeconds(20),
          PATIENCE,
          false,
          false,
          500,
          TokenPrices.SMITHY_GUIDE);

  /**
   * Standard mode 2.0 of the AWS SDKs, as their published vectors have it: 3 attempts, 1 s to 20 s;
   * a retry costs 5 of 500 tokens, after a timeout 10. Hints are kept up to 2 minutes; some of the
   * SDKs cut them to 20 s, which is earlier than the other side asked.
   */
  public static final StandardProfile AWS_STANDARD_2_0 =
      new StandardProfile(
          3,
          Duration.ofSeconds(1),
          Duration.ofSeconds(1),
          Duration.ofSeconds(20),
          PATIENCE,
          false,
          false,
          500,
          TokenPrices.AWS_STANDARD_2_0);

  /**
   * Standard mode 2.1 of the AWS SDKs, as their published vectors have it: 3 attempts, 50 ms to 20
   * s, from 1 s after a throttle; a retry costs 14 of 500 tokens, after a throttle 5. A hint
   * lengthens a delay by at most 5 s. Long polls that the budget does not retry wait all the same.
   */
  public static final StandardProfile AWS_STANDARD_2_1 =
      new StandardProfile(
          3,
          Duration.ofMillis(50),
          Duration.ofSeconds(1),
          Duration.ofSeconds(20),
          Duration.ofSeconds(5),
          true,
          true,
          500,
          TokenPrices.AWS_STANDARD_2_1);

  /**
   * Our own: 3 attempts, 100 ms to 20 s, from 1 s after a throttle; a retry costs 10 of 500 tokens,
   * after a throttle 5, and a success brings 1. A hint is kept up to 2 minutes.
   *
   * <p>A success brings 1 token, also after retries. The AWS profiles give back what the last retry
   * cost, so operations that all succeed at their second attempt double the traffic permanently;
   * here retries ≤ 50 + 0.1 × successes, or twice that when the other side throttles.
   */
  public static final StandardProfile REPRISE_DEFAULT =
      new StandardProfile(
          3,
          Duration.ofMillis(100),
          Duration.ofSeconds(1),
          Duration.ofSeconds(20),
          PATIENCE,
          false,
          true,
          500,
          new TokenPrices(10_000, 5_000, 10_000, 1_000, false));

  /** Checks all arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public StandardProfile {
    requireMaxAttempts(maxAttempts);
    requirePositive("baseDelay", baseDelay);
    requirePositive("throttleBaseDelay", throttleBaseDelay);
    requireAtLeast("maxDelay", maxDelay, "baseDelay", baseDelay);
    requireAtLeast("maxDelay", maxDelay, "throttleBaseDelay", throttleBaseDelay);
    requireNanos("maxDelay", maxDelay);
    requireNanos("hintCeiling", hintCeiling);
    if (capacityTokens < 0 || capacityTokens > RetryBudget.MAX_TOKENS) {
      throw new InvalidSettingException(
          "capacityTokens", capacityTokens, "must be between 0 and " + RetryBudget.MAX_TOKENS);
    }
    Objects.requireNonNull(prices, "prices");
  }

  /** Returns the delays of retries, but for those after a throttle. */
  Backoff backoff() {
    return Backoff.exponential(baseDelay, maxDelay).withFullJitter();
  }

  /** Returns the delays of retries after a throttle. */
  Backoff throttleBackoff() {
    return Backoff.exponential(throttleBaseDelay, maxDelay).withFullJitter();
  }

  /** Returns new budgets, all full. */
  ScopedBudgets budgets() {
    return ScopedBudgets.perScope(new NewBudget(capacityTokens, prices));
  }

  static int requireMaxAttempts(int maxAttempts) {
    if (maxAttempts < 1) {
      throw new InvalidSettingException("maxAttempts", maxAttempts, "must be >= 1");
    }
    return maxAttempts;
  }

  /** Returns a duration that is not negative, and not too long for nanoseconds in a long. */
  static Duration requireNanos(String name, Duration duration) {
    Objects.requireNonNull(duration, name);
    if (duration.isNegative()) {
      throw new InvalidSettingException(name, duration, "must not be negative");
    }
    if (duration.compareTo(MAX_DURATION) > 0) {
      throw new InvalidSettingException(name, duration, "must be at most " + MAX_DURATION);
    }
    return duration;
  }

  private static void requirePositive(String name, Duration duration) {
    Objects.requireNonNull(duration, name);
    if (duration.isNegative() || duration.isZero()) {
      throw new InvalidSettingException(name, duration, "must be more than 0");
    }
  }

  private static void requireAtLeast(
      String name, Duration duration, String boundName, Duration bound) {
    Objects.requireNonNull(duration, name);
    if (duration.compareTo(bound) < 0) {
      throw new InvalidSettingException(
          name, duration, "must be at least " + boundName + ", which is " + bound);
    }
  }
}
