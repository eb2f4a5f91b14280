package dev.reprise.bench.retry.jmh;

import dev.reprise.bench.retry.peer.AsyncWork;
import dev.reprise.bench.retry.peer.ConnectionRefused;
import dev.reprise.bench.retry.peer.PeerLoop;
import dev.reprise.bench.retry.peer.PeerRequest;
import dev.reprise.bench.retry.peer.PeerSetting;
import dev.reprise.bench.retry.peer.RepriseLoop;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.core.classify.Classifier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The first attempt succeeds, while the budget is not as new: retries were paid from it. */
@State(Scope.Benchmark)
public class SpentBudgetSuccess {
  /** The state of the budget. */
  public enum Spent {
    /** The call without a retry. */
    BARE_CALL,
    /** Successes have brought back what a retry took. */
    FULL_AGAIN,
    /** Every success brings something back, and never enough. */
    HALF_EMPTY
  }

  private static final int RETRY = 500_000_000;

  @Param Spent spent = Spent.HALF_EMPTY;
  private final RetryInfo failure = Classifier.defaults().classify(new ConnectionRefused());
  private RetryBudget budget = RetryBudget.unlimited();
  private PeerRequest call = () -> AsyncWork.RESULT;

  @Setup
  public void open() {
    // A thousandth of a token for a success: no run brings back a million tokens.
    budget =
        RetryBudget.tokenBucket(
            RetryBudget.MAX_TOKENS, new TokenPrices(RETRY, RETRY, RETRY, 1, true));
    Object result = AsyncWork.RESULT;
    call =
        spent == Spent.BARE_CALL
            ? PeerLoop.BARE_CALL.open(PeerSetting.DEFAULTS).of(() -> result)
            : RepriseLoop.calls(budget).of(() -> result);
  }

  /** Empties the budget again, of which an iteration has brought back some. */
  @Setup(Level.Iteration)
  public void spend() {
    int cost = budget.tryWithdraw(failure, 0);
    if (spent == Spent.FULL_AGAIN) {
      budget.refund(cost);
    }
  }

  @Benchmark
  public Object call() throws Exception {
    return call.run();
  }
}
