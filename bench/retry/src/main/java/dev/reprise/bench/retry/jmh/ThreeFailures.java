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

/** All three attempts fail, each with a failure of its own; the caller gets the last of them. */
@State(Scope.Thread)
public class ThreeFailures {
  @Param PeerLoop loop = PeerLoop.REPRISE;
  private PeerRequest call = () -> AsyncWork.RESULT;

  @Setup
  public void open() {
    call = loop.open(PeerSetting.NO_DELAY_NO_BUDGET).of(new Never());
  }

  @Benchmark
  public Object call() {
    try {
      return call.run();
    } catch (Exception failure) {
      return failure;
    }
  }

  /** Prevents inlining, for the reason given in {@link OneFailure}. */
  public static final class Never implements Callable<Object> {
    @Override
    @CompilerControl(CompilerControl.Mode.DONT_INLINE)
    public Object call() throws IOException {
      throw new OwnFailure();
    }
  }
}
