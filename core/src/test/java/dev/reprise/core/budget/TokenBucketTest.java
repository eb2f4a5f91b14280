package dev.reprise.core.budget;

import static dev.reprise.core.budget.Failures.ERROR;
import static dev.reprise.core.budget.Failures.THROTTLE;
import static dev.reprise.core.budget.Failures.THROTTLE_AND_TIMEOUT;
import static dev.reprise.core.budget.Failures.TIMEOUT;
import static dev.reprise.core.budget.Failures.withdrawAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.AllocatedBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenBucketTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 0;

  @Test
  void startsFull() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE);

    assertThat(budget.capacityMilliTokens()).isEqualTo(500_000);
    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(500_000);
  }

  @Test
  void takesThePriceOfTheFailureAndTellsIt() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.AWS_STANDARD_2_1);

    assertThat(budget.tryWithdraw(ERROR, NOW)).isEqualTo(14_000);
    assertThat(budget.tryWithdraw(THROTTLE, NOW)).isEqualTo(5_000);
    assertThat(budget.tryWithdraw(TIMEOUT, NOW)).isEqualTo(14_000);
    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(467_000);
  }

  @ParameterizedTest
  @CsvSource({"1, 2, 3", "1, 3, 2", "3, 1, 2"})
  void throttleAndTimeoutAtOnceCostTheDearerOfTheTwo(int error, int throttle, int timeout) {
    TokenPrices prices = new TokenPrices(error, throttle, timeout, 0, false);

    assertThat(prices.costMilliTokens(THROTTLE_AND_TIMEOUT)).isEqualTo(Math.max(throttle, timeout));
  }

  @Test
  void paysInFullOrNotAtAll() {
    RetryBudget budget = RetryBudget.tokenBucket(12, TokenPrices.SMITHY_GUIDE);

    assertThat(withdrawAll(budget, ERROR, NOW)).isEqualTo(2);
    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(2_000);
    assertThat(budget.tryWithdraw(TIMEOUT, NOW)).isEqualTo(RetryBudget.DENIED);
    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(2_000);
  }

  @Test
  void canBeEmptiedToTheLastToken() {
    RetryBudget budget = RetryBudget.tokenBucket(14, TokenPrices.AWS_STANDARD_2_1);

    assertThat(budget.tryWithdraw(ERROR, NOW)).isEqualTo(14_000);
    assertThat(budget.balanceMilliTokens(NOW)).isZero();
    assertThat(budget.tryWithdraw(THROTTLE, NOW)).isEqualTo(RetryBudget.DENIED);
  }

  @Test
  void withoutCapacityThereIsNoRetryThatCosts() {
    RetryBudget budget = RetryBudget.tokenBucket(0, new TokenPrices(1, 0, 1, 1, true));

    assertThat(budget.tryWithdraw(ERROR, NOW)).isEqualTo(RetryBudget.DENIED);
    assertThat(budget.tryWithdraw(THROTTLE, NOW)).isZero();
  }

  @Test
  void successAfterRetriesGivesBackTheLastCostOnly() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.AWS_STANDARD_2_1);
    budget.tryWithdraw(ERROR, NOW);
    int last = budget.tryWithdraw(THROTTLE, NOW);

    budget.recordSuccess(last);

    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(486_000);
  }

  @Test
  void successAtOnceBringsOneToken() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.AWS_STANDARD_2_1);
    budget.tryWithdraw(ERROR, NOW);

    budget.recordSuccess(0);

    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(487_000);
  }

  @Test
  void everySuccessBringsOneTokenInTheSeed() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE);
    int cost = budget.tryWithdraw(TIMEOUT, NOW);

    budget.recordSuccess(cost);
    budget.recordSuccess(0);

    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(492_000);
  }

  @Test
  void neverHoldsMoreThanItsCapacity() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.AWS_STANDARD_2_1);
    budget.recordSuccess(14_000);
    budget.recordSuccess(0);
    budget.refund(Integer.MAX_VALUE);
    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(500_000);

    budget.tryWithdraw(THROTTLE, NOW);
    budget.refund(Integer.MAX_VALUE);
    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(500_000);

    assertThat(withdrawAll(budget, THROTTLE, NOW)).isEqualTo(100);
  }

  @Test
  void refundGivesBackExactlyWhatWasPaid() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE);
    budget.tryWithdraw(ERROR, NOW);

    budget.refund(budget.tryWithdraw(TIMEOUT, NOW));

    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(495_000);
  }

  @Test
  void timeDoesNotFillABucketThatWasNotToldTo() {
    RetryBudget budget = RetryBudget.tokenBucket(5, TokenPrices.SMITHY_GUIDE);
    budget.tryWithdraw(ERROR, NOW);

    assertThat(budget.balanceMilliTokens(NOW + Long.MAX_VALUE)).isZero();
    assertThat(budget.tryWithdraw(ERROR, NOW + Long.MAX_VALUE)).isEqualTo(RetryBudget.DENIED);
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, 17, -SECOND / 2, Long.MAX_VALUE, Long.MIN_VALUE, Long.MAX_VALUE - SECOND})
  void fillsWithTimeWhereverTheClockStarts(long start) {
    RetryBudget budget = RetryBudget.tokenBucket(10, TokenPrices.SMITHY_GUIDE, 2.5);
    assertThat(budget.balanceMilliTokens(start)).isEqualTo(10_000);
    assertThat(withdrawAll(budget, ERROR, start)).isEqualTo(2);

    assertThat(budget.balanceMilliTokens(start)).isZero();
    assertThat(budget.tryWithdraw(ERROR, start + 2 * SECOND - 1)).isEqualTo(RetryBudget.DENIED);
    assertThat(budget.balanceMilliTokens(start + 2 * SECOND - 1)).isEqualTo(4_999);
    assertThat(budget.tryWithdraw(ERROR, start + 2 * SECOND)).isEqualTo(5_000);
    assertThat(budget.balanceMilliTokens(start + 3 * SECOND)).isEqualTo(2_500);
    assertThat(budget.balanceMilliTokens(start + 1_000 * SECOND)).isEqualTo(10_000);
    assertThat(withdrawAll(budget, ERROR, start + 1_000 * SECOND)).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -SECOND, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + SECOND})
  void timeAndSuccessesFillTogether(long start) {
    RetryBudget budget = RetryBudget.tokenBucket(10, TokenPrices.SMITHY_GUIDE, 1);
    withdrawAll(budget, ERROR, start);

    budget.recordSuccess(0);
    budget.recordSuccess(5_000);

    assertThat(budget.balanceMilliTokens(start + 3 * SECOND)).isEqualTo(5_000);
  }

  @Test
  void successesOfAFullBucketAreNotSavedUpForLater() {
    RetryBudget budget = RetryBudget.tokenBucket(10, TokenPrices.SMITHY_GUIDE, 1);
    withdrawAll(budget, ERROR, NOW);
    for (int i = 0; i < 1_000; i++) {
      budget.recordSuccess(0);
    }

    assertThat(withdrawAll(budget, ERROR, NOW)).isEqualTo(2);
    assertThat(budget.balanceMilliTokens(NOW + 4 * SECOND)).isEqualTo(4_000);
  }

  @Test
  void timeThatStandsStillOrGoesBackALittleFillsNothing() {
    RetryBudget budget = RetryBudget.tokenBucket(10, TokenPrices.SMITHY_GUIDE, 1);
    withdrawAll(budget, ERROR, NOW);

    assertThat(budget.tryWithdraw(ERROR, NOW - SECOND)).isEqualTo(RetryBudget.DENIED);
    assertThat(budget.balanceMilliTokens(NOW - SECOND)).isZero();
    assertThat(budget.balanceMilliTokens(NOW + SECOND)).isEqualTo(1_000);
  }

  @Test
  void anOddRateNeverFillsFasterThanAskedFor() {
    RetryBudget budget = RetryBudget.tokenBucket(1_000, TokenPrices.SMITHY_GUIDE, 3);
    withdrawAll(budget, ERROR, NOW);

    assertThat(budget.balanceMilliTokens(NOW + 100 * SECOND)).isBetween(299_998L, 300_000L);
  }

  @Test
  void theExtremesOfCapacityAndRateStayInBounds() {
    TokenPrices dear = new TokenPrices(TokenPrices.MAX_MILLI_TOKENS, 1, 1, 1, false);
    RetryBudget slow =
        RetryBudget.tokenBucket(RetryBudget.MAX_TOKENS, dear, RetryBudget.MIN_TOKENS_PER_SECOND);
    assertThat(withdrawAll(slow, ERROR, NOW)).isEqualTo(1);
    assertThat(slow.balanceMilliTokens(NOW)).isZero();
    assertThat(slow.balanceMilliTokens(NOW + 1_000 * SECOND)).isEqualTo(1_000);
    slow.refund(Integer.MAX_VALUE);
    assertThat(slow.balanceMilliTokens(NOW)).isEqualTo(1_000_000_000);

    RetryBudget fast = RetryBudget.tokenBucket(1, dear, RetryBudget.MAX_TOKENS);
    assertThat(fast.tryWithdraw(THROTTLE, NOW)).isEqualTo(1);
    assertThat(fast.balanceMilliTokens(NOW)).isEqualTo(999);
    assertThat(fast.balanceMilliTokens(NOW + 1)).isEqualTo(1_000);
  }

  @Test
  void theUnlimitedBudgetPaysForEverything() {
    RetryBudget budget = RetryBudget.unlimited();

    assertThat(budget.tryWithdraw(TIMEOUT, NOW)).isZero();
    assertThat(budget.costMilliTokens(TIMEOUT)).isZero();
    budget.recordSuccess(0);
    budget.refund(0);
    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(budget.capacityMilliTokens());
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 5})
  void retriesAndSuccessesAllocateNothing(double tokensPerSecond) {
    RetryBudget budget =
        RetryBudget.tokenBucket(500, TokenPrices.AWS_STANDARD_2_1, tokensPerSecond);
    int operations = 100_000;

    long bytes =
        AllocatedBytes.ofSecondRun(
            () -> {
              for (int i = 0; i < operations; i++) {
                budget.recordSuccess(budget.tryWithdraw(ERROR, NOW));
                budget.recordSuccess(0);
              }
            });

    assertThat(bytes).isLessThan(operations / 10);
  }

  @Test
  void aCostIsKnownBeforeItIsPaid() {
    RetryBudget budget = RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE);

    assertThat(budget.costMilliTokens(TIMEOUT)).isEqualTo(10_000);
    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(500_000);
  }

  @Test
  void refusesNumbersOutOfRangeByName() {
    assertThatThrownBy(() -> RetryBudget.tokenBucket(-1, TokenPrices.SMITHY_GUIDE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("capacityTokens is -1: must be between 0 and 1000000");
    assertThatThrownBy(() -> RetryBudget.tokenBucket(1_000_001, TokenPrices.SMITHY_GUIDE))
        .hasMessageContaining("capacityTokens is 1000001");
    assertThatThrownBy(() -> RetryBudget.tokenBucket(1, TokenPrices.SMITHY_GUIDE, Double.NaN))
        .hasMessage("tokensPerSecond is NaN: must be 0 or between 0.001 and 1000000");
    assertThatThrownBy(() -> RetryBudget.tokenBucket(1, TokenPrices.SMITHY_GUIDE, 0.0009))
        .hasMessageContaining("tokensPerSecond is 9.0E-4");
    assertThatThrownBy(() -> RetryBudget.tokenBucket(1, TokenPrices.SMITHY_GUIDE, -1))
        .hasMessageContaining("tokensPerSecond is -1.0");
    assertThatThrownBy(() -> new TokenPrices(0, 0, -5, 0, true))
        .hasMessage("timeoutMilliTokens is -5: must be between 0 and 1000000000");
    RetryBudget budget = RetryBudget.tokenBucket(1, TokenPrices.SMITHY_GUIDE);
    assertThatThrownBy(() -> budget.recordSuccess(-1))
        .hasMessage("lastCostMilliTokens is -1: must be >= 0");
    assertThatThrownBy(() -> budget.refund(-1)).hasMessage("costMilliTokens is -1: must be >= 0");
  }
}
