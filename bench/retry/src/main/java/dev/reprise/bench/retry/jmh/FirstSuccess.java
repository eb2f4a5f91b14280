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

/** The first attempt succeeds: the cost of a retry while nothing fails. Threads share it. */
@State(Scope.Benchmark)
public class FirstSuccess {
  @Param PeerLoop loop = PeerLoop.REPRISE;
  private PeerRequest call = () -> AsyncWork.RESULT;

  @Setup
  public void open() {
    Object result = AsyncWork.RESULT;
    call = loop.open(PeerSetting.DEFAULTS).of(() -> result);
  }

  @Benchmark
  public Object call() throws Exception {
    return call.run();
  }
}
