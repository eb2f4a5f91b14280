package dev.reprise.core.budget;

import static dev.reprise.core.budget.Failures.ERROR;
import static dev.reprise.core.budget.Failures.withdrawAll;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ScopedBudgetsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long NOW = 0;

  private final AtomicInteger made = new AtomicInteger();

  private RetryBudget ofTwoRetries() {
    made.incrementAndGet();
    return RetryBudget.tokenBucket(10, TokenPrices.SMITHY_GUIDE);
  }

  @Test
  void aScopeKeepsItsBudget() {
    ScopedBudgets budgets = ScopedBudgets.perScope(this::ofTwoRetries);

    assertThat(withdrawAll(budgets.of("a", NOW), ERROR, NOW)).isEqualTo(2);

    assertThat(budgets.of("a", NOW)).isSameAs(budgets.of("a", NOW));
    assertThat(withdrawAll(budgets.of("a", NOW), ERROR, NOW)).isZero();
  }

  @Test
  void scopesDoNotStarveEachOther() {
    ScopedBudgets budgets = ScopedBudgets.perScope(this::ofTwoRetries);

    withdrawAll(budgets.of("a", NOW), ERROR, NOW);

    assertThat(withdrawAll(budgets.of("b", NOW), ERROR, NOW)).isEqualTo(2);
    assertThat(withdrawAll(budgets.of(null, NOW), ERROR, NOW)).isEqualTo(2);
  }

  @Test
  void aSupplierThatFailsCostsNoScopeItsPlace() {
    ArrayDeque<RetryBudget> given = new ArrayDeque<>(List.of(ofTwoRetries()));
    ScopedBudgets budgets = ScopedBudgets.perScope(given::poll, 1);

    assertThatThrownBy(() -> budgets.of("a", NOW))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("newBudget made null: must make a budget");
    given.add(ofTwoRetries());

    withdrawAll(budgets.of("b", NOW), ERROR, NOW);
    assertThat(budgets.of("b", NOW).balanceMilliTokens(NOW)).isZero();
    assertThat(given).isEmpty();
  }

  @Test
  void aSupplierIsNeeded() {
    assertThatThrownBy(() -> ScopedBudgets.perScope(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("newBudget");
  }

  @Test
  void sharedBudgetsAreOne() {
    RetryBudget budget = ofTwoRetries();
    ScopedBudgets budgets = ScopedBudgets.shared(budget);
    withdrawAll(budget, ERROR, NOW);

    assertThat(budgets.of(null, NOW)).isSameAs(budget);
    assertThat(budgets.of("a", NOW)).isSameAs(budget);
    budgets.recordFirstSuccess("b");
    budgets.recordFirstSuccess(null);
    assertThat(budget.balanceMilliTokens(NOW)).isEqualTo(2_000);
  }

  @Test
  void successesFillTheBudgetOfTheirScope() {
    ScopedBudgets budgets = ScopedBudgets.perScope(this::ofTwoRetries);
    withdrawAll(budgets.of("a", NOW), ERROR, NOW);
    withdrawAll(budgets.of(null, NOW), ERROR, NOW);

    budgets.recordFirstSuccess("a");
    budgets.recordFirstSuccess("a");
    budgets.recordFirstSuccess(null);

    assertThat(budgets.of("a", NOW).balanceMilliTokens(NOW)).isEqualTo(2_000);
    assertThat(budgets.of(null, NOW).balanceMilliTokens(NOW)).isEqualTo(1_000);
  }

  @Test
  void scopesThatOnlySucceedNeedNoBudget() {
    ScopedBudgets budgets = ScopedBudgets.perScope(this::ofTwoRetries);

    for (int i = 0; i < 1_000; i++) {
      budgets.recordFirstSuccess("scope " + i);
    }

    assertThat(made).as("budgets made, that of the default scope included").hasValue(1);
  }

  @Test
  void inventingScopesGainsNoFreshBudgets() {
    ScopedBudgets budgets = ScopedBudgets.perScope(this::ofTwoRetries, 128);
    int retries = 0;
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 1_000; i++) {
        retries += withdrawAll(budgets.of("scope " + i, NOW), ERROR, NOW);
      }
    }

    assertThat(retries).isEqualTo(2 * 128 + 2);
    assertThat(withdrawAll(budgets.of("scope 0", NOW), ERROR, NOW)).isZero();
    assertThat(made).as("named, shared and default").hasValue(128 + 1 + 1);
  }

  @Test
  void successesFillTheBudgetThatFurtherScopesShare() {
    ScopedBudgets budgets = ScopedBudgets.perScope(this::ofTwoRetries, 1);
    withdrawAll(budgets.of("a", NOW), ERROR, NOW);
    withdrawAll(budgets.of("b", NOW), ERROR, NOW);

    for (int i = 0; i < 5; i++) {
      budgets.recordFirstSuccess("c");
    }

    assertThat(withdrawAll(budgets.of("b", NOW), ERROR, NOW)).isEqualTo(1);
    assertThat(withdrawAll(budgets.of("a", NOW), ERROR, NOW)).isZero();
  }

  @Test
  void aFullBudgetGivesUpItsPlace() {
    ScopedBudgets budgets = ScopedBudgets.perScope(this::ofTwoRetries, 3);
    RetryBudget a = budgets.of("a", NOW);
    RetryBudget b = budgets.of("b", NOW);
    RetryBudget c = budgets.of("c", NOW);
    a.tryWithdraw(ERROR, NOW);
    b.tryWithdraw(ERROR, NOW);
    c.tryWithdraw(ERROR, NOW);
    b.refund(5_000);

    RetryBudget d = budgets.of("d", NOW);
    d.tryWithdraw(ERROR, NOW);

    assertThat(budgets.of("d", NOW)).isSameAs(d);
    assertThat(budgets.of("a", NOW)).isSameAs(a);
    assertThat(budgets.of("c", NOW)).isSameAs(c);
    assertThat(budgets.of("b", NOW)).as("a further scope now").isNotIn(a, b, c, d);
    assertThat(budgets.of("b", NOW)).isSameAs(budgets.of("e", NOW));
  }

  @Test
  void aBudgetThatTimeHasFilledGivesUpItsPlace() {
    ScopedBudgets budgets =
        ScopedBudgets.perScope(() -> RetryBudget.tokenBucket(10, TokenPrices.SMITHY_GUIDE, 1), 1);
    RetryBudget a = budgets.of("a", NOW);
    withdrawAll(a, ERROR, NOW);
    RetryBudget overflow = budgets.of("b", NOW);

    assertThat(budgets.of("c", NOW + 10 * SECOND - 1)).isSameAs(overflow);
    assertThat(budgets.of("c", NOW + 10 * SECOND)).isNotIn(a, overflow);
  }

  @Test
  void aFailingSupplierLeavesNoTrace() {
    ScopedBudgets budgets =
        ScopedBudgets.perScope(
            () -> {
              if (made.get() == 1) {
                made.incrementAndGet();
                throw new IllegalStateException("no budget today");
              }
              return ofTwoRetries();
            },
            1);

    assertThatThrownBy(() -> budgets.of("a", NOW)).hasMessage("no budget today");
    assertThat(budgets.of("a", NOW)).isSameAs(budgets.of("a", NOW));
  }

  @Test
  void refusesRoomForNoScope() {
    assertThatThrownBy(() -> ScopedBudgets.perScope(this::ofTwoRetries, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxScopes is 0: must be >= 1");
  }
}
