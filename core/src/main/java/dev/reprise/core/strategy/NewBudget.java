package dev.reprise.core.strategy;

import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import java.util.function.Supplier;

/** Makes the budgets of a profile. No lambda: a program's first call would wait for its class. */
record NewBudget(int capacityTokens, TokenPrices prices) implements Supplier<RetryBudget> {
  @Override
  public RetryBudget get() {
    return RetryBudget.tokenBucket(capacityTokens, prices);
  }
}
