package dev.reprise.bench.retry.jmh;

import dev.reprise.bench.retry.peer.AsyncWork;
import dev.reprise.bench.retry.peer.Calls;
import dev.reprise.bench.retry.peer.PeerLoop;
import dev.reprise.bench.retry.peer.PeerRequest;
import dev.reprise.bench.retry.peer.PeerSetting;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * The first attempt succeeds, with a different operation each time: the compiler can inline none of
 * them, as in a program with many callers.
 */
@State(Scope.Thread)
public class MegamorphicSuccess {
  private static final int ORDER = 4_096;
  private static final long SEED = 3;

  @Param PeerLoop loop = PeerLoop.REPRISE;
  private PeerRequest[] calls = {};
  private int next;

  @Setup
  public void open() {
    Object result = AsyncWork.RESULT;
    // Eight lambdas that look alike are eight classes.
    List<Callable<Object>> operations =
        List.of(
            () -> result,
            () -> result,
            () -> result,
            () -> result,
            () -> result,
            () -> result,
            () -> result,
            () -> result);
    Calls opened = loop.open(PeerSetting.DEFAULTS);
    PeerRequest[] distinct = operations.stream().map(opened::of).toArray(PeerRequest[]::new);
    // In turns, the processor would guess each jump; the order of a program's calls it does not.
    calls =
        new Random(SEED)
            .ints(ORDER, 0, distinct.length)
            .mapToObj(index -> distinct[index])
            .toArray(PeerRequest[]::new);
  }

  @Benchmark
  public Object call() throws Exception {
    return calls[next++ & (calls.length - 1)].run();
  }
}
