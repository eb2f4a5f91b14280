package dev.reprise.bench.retry.jmh;

import dev.reprise.bench.retry.peer.AsyncWork;
import dev.reprise.bench.retry.peer.OwnFailure;
import dev.reprise.bench.retry.peer.PeerLoop;
import dev.reprise.bench.retry.peer.PeerRequest;
import dev.reprise.bench.retry.peer.PeerSetting;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.CompilerControl;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The first attempt fails, the second follows at once and succeeds. */
@State(Scope.Thread)
public class OneFailure {
  @Param PeerLoop loop = PeerLoop.REPRISE;
  private PeerRequest call = () -> AsyncWork.RESULT;

  @Setup
  public void open() {
    call = loop.open(PeerSetting.NO_DELAY).of(new EverySecond());
  }

  @Benchmark
  public Object call() throws Exception {
    return call.run();
  }

  /** Inlined, throw and catch would become a jump in some loops and not in others. */
  public static final class EverySecond implements Callable<Object> {
    private final IOException failure = new OwnFailure();
    private boolean failed;

    @Override
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public Object call() throws IOException {
      failed = !failed;
      if (failed) {
        throw failure;
      }
      return AsyncWork.RESULT;
    }
  }
}
