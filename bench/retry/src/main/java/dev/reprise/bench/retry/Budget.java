package dev.reprise.bench.retry;

import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import java.util.concurrent.atomic.AtomicLong;

/** The retry budgets that are compared: pay for one retry, and get it back. */
public enum Budget {
  /** The floor: a take and a give of an amount between two bounds. */
  COMPARE_AND_SETS,
  REPRISE_TOKEN_BUCKET,
  /** Fills with time too, and so needs a clock. */
  REPRISE_RATIO,
  AWS_SDK;

  private static final long CAPACITY = 500_000;
  private static final long COST = 5_000;

  Call open() {
    return switch (this) {
      case COMPARE_AND_SETS -> compareAndSets(new AtomicLong(CAPACITY));
      case REPRISE_TOKEN_BUCKET ->
          RepriseLoop.roundTrip(RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE));
      case REPRISE_RATIO -> RepriseLoop.roundTrip(RetryBudget.ratio(0.1, 10));
      case AWS_SDK -> AwsLoop.budget();
    };
  }

  private static Call compareAndSets(AtomicLong balance) {
    return () -> {
      long had;
      do {
        had = balance.get();
        if (had < COST) {
          throw new IllegalStateException("the budget is empty");
        }
      } while (!balance.compareAndSet(had, had - COST));
      do {
        had = balance.get();
      } while (!balance.compareAndSet(had, Math.min(CAPACITY, had + COST)));
      return AsyncWork.RESULT;
    };
  }
}
