package dev.reprise.core.budget;

import static dev.reprise.core.budget.Failures.ERROR;
import static dev.reprise.core.budget.Failures.THROTTLE;
import static dev.reprise.core.budget.Failures.TIMEOUT;
import static dev.reprise.core.budget.Failures.withdrawAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RatioBudgetTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void everyRetryCostsOne() {
    RetryBudget budget = RetryBudget.ratio(0.2, 0, 10);

    assertThat(budget.tryWithdraw(ERROR, 0)).isEqualTo(1_000);
    assertThat(budget.tryWithdraw(THROTTLE, 0)).isEqualTo(1_000);
    assertThat(budget.tryWithdraw(TIMEOUT, 0)).isEqualTo(1_000);
    assertThat(budget.balanceMilliTokens(0)).isEqualTo(7_000);
  }

  @Test
  void fiveSuccessesAllowOneRetryAtTwentyPercent() {
    RetryBudget budget = RetryBudget.ratio(0.2, 0, 10);
    withdrawAll(budget, ERROR, 0);

    for (int i = 0; i < 4; i++) {
      budget.recordSuccess(0);
    }
    assertThat(budget.tryWithdraw(ERROR, 0)).isEqualTo(RetryBudget.DENIED);
    budget.recordSuccess(1_000);
    assertThat(budget.tryWithdraw(ERROR, 0)).isEqualTo(1_000);
  }

  @Test
  void theFloorAllowsRetriesWhileNothingSucceeds() {
    RetryBudget budget = RetryBudget.ratio(0.2, 2, 10);
    withdrawAll(budget, ERROR, 0);

    assertThat(withdrawAll(budget, ERROR, 2 * SECOND - 1)).isEqualTo(3);
    assertThat(withdrawAll(budget, ERROR, 2 * SECOND)).isEqualTo(1);
    assertThat(withdrawAll(budget, ERROR, 100 * SECOND)).isEqualTo(10);
  }

  @Test
  void savesUpTenSecondsOfTheFloorButAtLeastTenRetries() {
    assertThat(RetryBudget.ratio(0.2, 0).capacityMilliTokens()).isEqualTo(10_000);
    assertThat(RetryBudget.ratio(0.2, 0.5).capacityMilliTokens()).isEqualTo(10_000);
    assertThat(RetryBudget.ratio(0.2, 7).capacityMilliTokens()).isEqualTo(70_000);
    assertThat(RetryBudget.ratio(0.2, 1_000_000).capacityMilliTokens()).isEqualTo(1_000_000_000);
  }

  /** Failures come in bursts and outages, so that the budget is full, empty and in between. */
  @Property(tries = 200)
  void neverAllowsMoreThanItsShare(
      @ForAll long seed,
      @ForAll long start,
      @ForAll @IntRange(min = 0, max = 1_000) int ratioThousandths,
      @ForAll @IntRange(min = 0, max = 50) int retriesPerSecond,
      @ForAll @IntRange(min = 1, max = 30) int savedRetries) {
    RetryBudget budget =
        RetryBudget.ratio(ratioThousandths / 1_000.0, retriesPerSecond, savedRetries);
    SplittableRandom random = new SplittableRandom(seed);
    long elapsed = 0;
    long successes = 0;
    long retries = 0;
    boolean outage = false;
    for (int call = 0; call < 2_000; call++) {
      elapsed += random.nextLong(SECOND / 100);
      outage ^= random.nextInt(100) == 0;
      boolean failed = random.nextInt(100) < (outage ? 95 : 5);
      if (!failed) {
        budget.recordSuccess(0);
        successes++;
      } else if (budget.tryWithdraw(ERROR, start + elapsed) != RetryBudget.DENIED) {
        retries++;
      }
      double allowed =
          savedRetries
              + successes * (ratioThousandths / 1_000.0)
              + retriesPerSecond * (elapsed / 1e9);
      assertThat((double) retries).isLessThanOrEqualTo(allowed + 1e-6);
      assertThat(budget.balanceMilliTokens(start + elapsed))
          .isBetween(0L, budget.capacityMilliTokens());
    }
  }

  @Test
  void refusesNumbersOutOfRangeByName() {
    assertThatThrownBy(() -> RetryBudget.ratio(1.1, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("retriesPerSuccess is 1.1: must be 0 or between 0.001 and 1");
    // It would be rounded to nothing.
    assertThatThrownBy(() -> RetryBudget.ratio(0.0004, 1))
        .hasMessage("retriesPerSuccess is 4.0E-4: must be 0 or between 0.001 and 1");
    assertThatThrownBy(() -> RetryBudget.ratio(Double.NaN, 1))
        .hasMessageContaining("retriesPerSuccess is NaN");
    assertThatThrownBy(() -> RetryBudget.ratio(0.1, -1))
        .hasMessage("retriesPerSecond is -1.0: must be 0 or between 0.001 and 1000000");
    assertThatThrownBy(() -> RetryBudget.ratio(0.1, 1, 0))
        .hasMessage("savedRetries is 0: must be between 1 and 1000000");
  }
}
