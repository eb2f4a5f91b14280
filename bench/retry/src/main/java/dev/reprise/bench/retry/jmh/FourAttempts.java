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

/** Three attempts fail, each with a failure of its own, and the fourth succeeds. */
@State(Scope.Thread)
public class FourAttempts {
  @Param PeerLoop loop = PeerLoop.REPRISE;
  private PeerRequest call = () -> AsyncWork.RESULT;

  @Setup
  public void open() {
    call = loop.open(PeerSetting.FOUR_ATTEMPTS).of(new EveryFourth());
  }

  @Benchmark
  public Object call() throws Exception {
    return call.run();
  }

  /** Prevents inlining, for the reason given in {@link OneFailure}. */
  static final class EveryFourth implements Callable<Object> {
    private int attempts;

    @Override
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public Object call() throws IOException {
      if ((++attempts & 3) != 0) {
        throw new OwnFailure();
      }
      return AsyncWork.RESULT;
    }
  }
}
