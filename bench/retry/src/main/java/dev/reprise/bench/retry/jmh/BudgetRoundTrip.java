package dev.reprise.bench.retry.jmh;

import dev.reprise.bench.retry.peer.AsyncWork;
import dev.reprise.bench.retry.peer.PeerRequest;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Pays for one retry, and gets it back. Threads share the budget. */
@State(Scope.Benchmark)
public class BudgetRoundTrip {
  @Param Budget budget = Budget.REPRISE_TOKEN_BUCKET;
  private PeerRequest roundTrip = () -> AsyncWork.RESULT;

  @Setup
  public void open() {
    roundTrip = budget.open();
  }

  @Benchmark
  public Object payAndRefund() throws Exception {
    return roundTrip.run();
  }
}
