package dev.reprise.bench.retry.jmh;

import dev.reprise.bench.retry.peer.AsyncWork;
import dev.reprise.bench.retry.peer.BlockingLoop;
import dev.reprise.bench.retry.peer.Call;
import dev.reprise.bench.retry.peer.Setting;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Every call fails, and the budget has nothing left for retries: one attempt is made. */
@State(Scope.Thread)
public class EmptyBudget {
  /** More calls than the budget of any loop pays retries for. */
  private static final int DRAINING_CALLS = 1_000;

  @Param BlockingLoop loop = BlockingLoop.REPRISE;
  private Call call = () -> AsyncWork.RESULT;

  @Setup
  public void open() {
    call = loop.open(Setting.NO_DELAY).of(new ThreeFailures.Never());
    for (int i = 0; i < DRAINING_CALLS; i++) {
      call();
    }
  }

  @Benchmark
  public Object call() {
    try {
      return call.run();
    } catch (Exception failure) {
      return failure;
    }
  }
}
