package dev.reprise.core.budget;

import dev.reprise.core.InvalidSettingException;
import java.util.Objects;

/** The ranges that the numbers of a budget must keep. */
final class BudgetRules {
  private static final int MILLI_TOKENS_PER_TOKEN = 1_000;
  private static final int MIN_SAVED_RETRIES = 10;
  private static final int SAVED_SECONDS = 10;

  private BudgetRules() {}

  static RetryBudget tokenBucket(int capacityTokens, TokenPrices prices, double tokensPerSecond) {
    Objects.requireNonNull(prices, "prices");
    requireBetween("capacityTokens", capacityTokens, 0);
    requireRate("tokensPerSecond", tokensPerSecond);
    return bucket(capacityTokens, prices, tokensPerSecond);
  }

  static RetryBudget ratio(double retriesPerSuccess, double retriesPerSecond, int savedRetries) {
    // Written so that NaN is refused.
    if (retriesPerSuccess != 0
        && !(retriesPerSuccess >= RetryBudget.MIN_RETRIES_PER_SUCCESS && retriesPerSuccess <= 1)) {
      throw new InvalidSettingException(
          "retriesPerSuccess",
          retriesPerSuccess,
          "must be 0 or between " + RetryBudget.MIN_RETRIES_PER_SUCCESS + " and 1");
    }
    requireRate("retriesPerSecond", retriesPerSecond);
    requireBetween("savedRetries", savedRetries, 1);
    int cost = MILLI_TOKENS_PER_TOKEN;
    int reward = (int) Math.round(retriesPerSuccess * MILLI_TOKENS_PER_TOKEN);
    return bucket(savedRetries, new TokenPrices(cost, cost, cost, reward, false), retriesPerSecond);
  }

  static int savedRetries(double retriesPerSecond) {
    requireRate("retriesPerSecond", retriesPerSecond);
    double ofFloor = Math.min(retriesPerSecond * SAVED_SECONDS, RetryBudget.MAX_TOKENS);
    return Math.max((int) Math.ceil(ofFloor), MIN_SAVED_RETRIES);
  }

  private static RetryBudget bucket(int tokens, TokenPrices prices, double tokensPerSecond) {
    long capacityMilliTokens = (long) tokens * MILLI_TOKENS_PER_TOKEN;
    return tokensPerSecond == 0
        ? new TokenBucket(capacityMilliTokens, prices)
        : new TokenBucket(capacityMilliTokens, prices, tokensPerSecond);
  }

  private static void requireBetween(String name, int value, int least) {
    if (value < least || value > RetryBudget.MAX_TOKENS) {
      throw new InvalidSettingException(
          name, value, "must be between " + least + " and " + RetryBudget.MAX_TOKENS);
    }
  }

  private static void requireRate(String name, double perSecond) {
    if (perSecond == 0) {
      return;
    }
    // Written so that NaN is refused.
    if (!(perSecond >= RetryBudget.MIN_TOKENS_PER_SECOND && perSecond <= RetryBudget.MAX_TOKENS)) {
      throw new InvalidSettingException(
          name,
          perSecond,
          "must be 0 or between "
              + RetryBudget.MIN_TOKENS_PER_SECOND
              + " and "
              + RetryBudget.MAX_TOKENS);
    }
  }
}
