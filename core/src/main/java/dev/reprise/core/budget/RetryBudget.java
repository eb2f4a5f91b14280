package dev.reprise.core.budget;

import dev.reprise.core.RetryInfo;

/**
 * Bounds the cost of retries: retries take tokens, successes give them back, and when none are left
 * there are no retries. First attempts are never charged. A budget keeps the retries of many
 * operations to a share of their traffic, however many of them fail at once.
 *
 * <p>Amounts are milli-tokens, thousandths of a token. Implementations are thread-safe and never
 * leave the range of 0 to {@link #capacityMilliTokens()}. A new budget is full, and a full budget
 * behaves like a new one: {@link ScopedBudgets} relies on it.
 */
public interface RetryBudget {
  /** The answer of {@link #tryWithdraw} if the budget cannot pay. */
  int DENIED = -1;

  /** The largest bucket, and the fastest: a million tokens, or tokens per second. */
  int MAX_TOKENS = 1_000_000;

  /** The slowest bucket that fills with time at all, in tokens per second. */
  double MIN_TOKENS_PER_SECOND = 0.001;

  /** The least that a success can bring at all, in retries. */
  double MIN_RETRIES_PER_SUCCESS = 0.001;

  /**
   * Returns a full token bucket that only successes and refunds fill (Smithy guide "Retrying
   * Requests").
   *
   * @param capacityTokens the most that it holds, 0 to {@link #MAX_TOKENS}; the seed and the AWS
   *     SDKs use 500
   * @param prices what retries cost and what successes bring
   * @throws IllegalArgumentException when the capacity is out of its range
   */
  static RetryBudget tokenBucket(int capacityTokens, TokenPrices prices) {
    return BudgetRules.tokenBucket(capacityTokens, prices, 0);
  }

  /**
   * Returns a full token bucket that time fills too. Operations that have lost their whole budget
   * in an outage get it back although nothing succeeds, and may try again.
   *
   * @param capacityTokens the most that it holds, 0 to {@link #MAX_TOKENS}
   * @param prices what retries cost and what successes bring
   * @param tokensPerSecond how fast it fills, {@link #MIN_TOKENS_PER_SECOND} to {@link
   *     #MAX_TOKENS}, or 0: not at all. The time for a thousandth of a token is rounded up to whole
   *     nanoseconds
   * @throws IllegalArgumentException when a number is out of its range
   */
  static RetryBudget tokenBucket(int capacityTokens, TokenPrices prices, double tokensPerSecond) {
    return BudgetRules.tokenBucket(capacityTokens, prices, tokensPerSecond);
  }

  /**
   * Returns a budget that allows a share of the successes, and some retries per second whatever
   * succeeds. It saves up what the floor brings in ten seconds, but at least ten retries.
   *
   * @see #ratio(double, double, int)
   */
  static RetryBudget ratio(double retriesPerSuccess, double retriesPerSecond) {
    return BudgetRules.ratio(
        retriesPerSuccess, retriesPerSecond, BudgetRules.savedRetries(retriesPerSecond));
  }

  /**
   * Returns a budget that allows a share of the successes, and some retries per second whatever
   * succeeds: the floor is what keeps a client alive that makes few calls. Over any period, retries
   * ≤ successes × {@code retriesPerSuccess} + seconds × {@code retriesPerSecond} + {@code
   * savedRetries}; so in the long run, attempts ≤ operations × (1 + {@code retriesPerSuccess}) plus
   * the floor, even while everything fails. Every retry costs the same, whatever the failure.
   *
   * <p>The idea is Finagle's. Its budget forgets deposits after ten seconds; this one caps what can
   * be saved up instead, so that a success needs no clock.
   *
   * @param retriesPerSuccess what a success brings, {@link #MIN_RETRIES_PER_SUCCESS} to 1, or 0:
   *     nothing; rounded to thousandths
   * @param retriesPerSecond what a second brings, {@link #MIN_TOKENS_PER_SECOND} to {@link
   *     #MAX_TOKENS}, or 0: nothing
   * @param savedRetries how many retries can be saved up, 1 to {@link #MAX_TOKENS}; a new budget
   *     has that many
   * @throws IllegalArgumentException when a number is out of its range
   */
  static RetryBudget ratio(double retriesPerSuccess, double retriesPerSecond, int savedRetries) {
    return BudgetRules.ratio(retriesPerSuccess, retriesPerSecond, savedRetries);
  }

  /** Returns the budget that pays for everything. */
  static RetryBudget unlimited() {
    return Unlimited.INSTANCE;
  }

  /**
   * Pays for a retry after the failure, in full or not at all.
   *
   * @param nowNanos a monotonic time, for budgets that fill with time; it may wrap
   * @return what was paid, at least 0, or {@link #DENIED}
   */
  int tryWithdraw(RetryInfo failure, long nowNanos);

  /**
   * Tells that an operation succeeded. On a full budget this reads and does nothing else.
   *
   * @param lastCostMilliTokens what its last retry cost; 0 when the first attempt succeeded
   * @throws IllegalArgumentException when the cost is negative
   */
  void recordSuccess(int lastCostMilliTokens);

  /**
   * Gives back the cost of a retry that was not made after all.
   *
   * @throws IllegalArgumentException when the cost is negative
   */
  void refund(int costMilliTokens);

  /** Returns the cost of a retry after the failure, at least 0. */
  int costMilliTokens(RetryInfo failure);

  /**
   * Returns the remaining amount, between 0 and the capacity.
   *
   * @param nowNanos a monotonic time, for budgets that fill with time; it may wrap
   */
  long balanceMilliTokens(long nowNanos);

  /**
   * Returns false when the times that it is given mean nothing to this budget, so that its callers
   * need not read a clock.
   */
  default boolean fillsWithTime() {
    return true;
  }

  /** Returns the most that the budget can hold. */
  long capacityMilliTokens();
}
