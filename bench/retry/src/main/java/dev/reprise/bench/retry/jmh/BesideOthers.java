package dev.reprise.bench.retry.jmh;

import dev.reprise.bench.retry.peer.AsyncWork;
import dev.reprise.bench.retry.peer.PeerLoop;
import dev.reprise.bench.retry.peer.PeerRequest;
import dev.reprise.bench.retry.peer.PeerSetting;
import java.util.concurrent.Callable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Calls beside another thread, which makes calls of its own without a pause. The two share no
 * policy and no budget: what one costs the other is what the library shares behind their backs.
 */
@State(Scope.Thread)
public class BesideOthers {
  /** The calls of a thread. */
  public enum Load {
    NONE,
    SUCCEEDING,
    /** Three attempts fail, failures attached. */
    FAILING;

    PeerRequest open(PeerLoop loop) {
      Object result = AsyncWork.RESULT;
      Callable<Object> operation = this == FAILING ? new ThreeFailures.Never() : () -> result;
      return loop.open(this == FAILING ? PeerSetting.NO_DELAY_NO_BUDGET : PeerSetting.DEFAULTS)
          .of(operation);
    }
  }

  @Param PeerLoop loop = PeerLoop.REPRISE;

  /** The loop of a thread that fails; bare calls fail in none. */
  @Param PeerLoop failingLoop = PeerLoop.REPRISE;

  @Param Load load = Load.SUCCEEDING;
  @Param Load beside = Load.FAILING;
  private PeerRequest call = () -> AsyncWork.RESULT;
  private volatile boolean ended;
  private Thread other = new Thread();

  @Setup
  public void open() {
    call = load.open(load == Load.FAILING ? failingLoop : loop);
    PeerRequest others = beside.open(beside == Load.FAILING ? failingLoop : loop);
    other =
        new Thread(
            () -> {
              while (!ended) {
                attempt(others);
              }
            },
            "bench-beside");
    other.setDaemon(true);
    if (beside != Load.NONE) {
      other.start();
    }
  }

  @TearDown
  public void close() throws InterruptedException {
    ended = true;
    other.join();
  }

  @Benchmark
  public Object call() {
    return attempt(call);
  }

  private static Object attempt(PeerRequest call) {
    try {
      return call.run();
    } catch (Exception failure) {
      return failure;
    }
  }
}
