package dev.reprise.core.budget;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.RetryInfo;
import java.util.Objects;

/**
 * The prices of retries and the yield of successes, in milli-tokens: thousandths of a token.
 * Immutable and thread-safe.
 *
 * <p>A failure that is both a throttle and a timeout pays the dearer of the two prices: to be wrong
 * in that direction makes fewer retries, not more.
 *
 * @param errorMilliTokens what a retry costs after a failure that is neither throttle nor timeout
 * @param throttleMilliTokens what a retry costs after a throttle
 * @param timeoutMilliTokens what a retry costs after a timeout
 * @param rewardMilliTokens what an operation brings that succeeds at its first attempt
 * @param refundsLastCost whether an operation that succeeds after a retry gives back what its last
 *     retry cost, instead of bringing the reward; earlier retries of it are never given back
 */
public record TokenPrices(
    int errorMilliTokens,
    int throttleMilliTokens,
    int timeoutMilliTokens,
    int rewardMilliTokens,
    boolean refundsLastCost) {
  /** The highest price and the highest reward: a million tokens. */
  public static final int MAX_MILLI_TOKENS = 1_000_000_000;

  /**
   * Retries cost 5 tokens, after a timeout 10; every success brings 1 token: the sample of the
   * Smithy guide "Retrying Requests".
   */
  public static final TokenPrices SMITHY_GUIDE =
      new TokenPrices(5_000, 5_000, 10_000, 1_000, false);

  /** Retry quota of the AWS SDKs, version 2.0: retries cost 5 tokens, after a timeout 10. */
  public static final TokenPrices AWS_STANDARD_2_0 =
      new TokenPrices(5_000, 5_000, 10_000, 1_000, true);

  /** Retry quota of the AWS SDKs, version 2.1: retries cost 14 tokens, after a throttle 5. */
  public static final TokenPrices AWS_STANDARD_2_1 =
      new TokenPrices(14_000, 5_000, 14_000, 1_000, true);

  /** Checks all arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public TokenPrices {
    requireAmount("errorMilliTokens", errorMilliTokens);
    requireAmount("throttleMilliTokens", throttleMilliTokens);
    requireAmount("timeoutMilliTokens", timeoutMilliTokens);
    requireAmount("rewardMilliTokens", rewardMilliTokens);
  }

  /** Returns the cost of a retry after the failure, at least 0. */
  public int costMilliTokens(RetryInfo failure) {
    Objects.requireNonNull(failure, "failure");
    boolean throttle = failure.isThrottle();
    boolean timeout = failure.isTimeout();
    if (throttle && timeout) {
      return Math.max(throttleMilliTokens, timeoutMilliTokens);
    }
    if (throttle) {
      return throttleMilliTokens;
    }
    if (timeout) {
      return timeoutMilliTokens;
    }
    return errorMilliTokens;
  }

  /**
   * Returns the reward for the success of an operation, at least 0.
   *
   * @param lastCostMilliTokens what its last retry cost; 0 when the first attempt succeeded
   */
  public int depositMilliTokens(int lastCostMilliTokens) {
    return refundsLastCost && lastCostMilliTokens > 0 ? lastCostMilliTokens : rewardMilliTokens;
  }

  private static void requireAmount(String name, int milliTokens) {
    if (milliTokens < 0 || milliTokens > MAX_MILLI_TOKENS) {
      throw new InvalidSettingException(
          name, milliTokens, "must be between 0 and " + MAX_MILLI_TOKENS);
    }
  }
}
