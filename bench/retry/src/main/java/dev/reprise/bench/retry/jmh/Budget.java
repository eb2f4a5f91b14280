package dev.reprise.bench.retry.jmh;

import dev.reprise.bench.retry.peer.AsyncWork;
import dev.reprise.bench.retry.peer.AwsLoop;
import dev.reprise.bench.retry.peer.PeerRequest;
import dev.reprise.bench.retry.peer.RepriseLoop;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The retry budgets that are compared: pay for one retry, and get it back. The bare ones are asked
 * directly, the others by the whole token protocol of their strategy: acquire, refresh, record.
 */
public enum Budget {
  /** The floor: a take and a give of an amount between two bounds. */
  COMPARE_AND_SETS,
  REPRISE_TOKEN_BUCKET,
  /** Fills with time too, and so needs a clock. */
  REPRISE_RATIO,
  /** The floor of what is refused: a look at the balance. */
  LOOK,
  REPRISE_PROTOCOL,
  REPRISE_PROTOCOL_REFUSED,
  AWS_PROTOCOL,
  AWS_PROTOCOL_REFUSED;

  private static final long CAPACITY = 500_000;
  private static final long COST = 5_000;

  PeerRequest open() {
    return switch (this) {
      case COMPARE_AND_SETS -> compareAndSets(new AtomicLong(CAPACITY));
      case REPRISE_TOKEN_BUCKET ->
          RepriseLoop.roundTrip(RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE));
      case REPRISE_RATIO -> RepriseLoop.roundTrip(RetryBudget.ratio(0.1, 10));
      case LOOK -> look(new AtomicLong(CAPACITY));
      case REPRISE_PROTOCOL -> RepriseLoop.protocol();
      case REPRISE_PROTOCOL_REFUSED -> RepriseLoop.refusedProtocol();
      case AWS_PROTOCOL -> AwsLoop.protocol();
      case AWS_PROTOCOL_REFUSED -> AwsLoop.refusedProtocol();
    };
  }

  private static PeerRequest look(AtomicLong balance) {
    return () -> balance.get() < COST ? balance : AsyncWork.RESULT;
  }

  private static PeerRequest compareAndSets(AtomicLong balance) {
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
