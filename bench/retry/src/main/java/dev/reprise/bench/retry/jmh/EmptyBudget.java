package dev.reprise.bench.retry.jmh;

import dev.reprise.bench.retry.peer.AsyncWork;
import dev.reprise.bench.retry.peer.PeerLoop;
import dev.reprise.bench.retry.peer.PeerRequest;
import dev.reprise.bench.retry.peer.PeerSetting;
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

  @Param PeerLoop loop = PeerLoop.REPRISE;
  private PeerRequest call = () -> AsyncWork.RESULT;

  @Setup
  public void open() {
    call = loop.open(PeerSetting.NO_DELAY).of(new ThreeFailures.Never());
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
