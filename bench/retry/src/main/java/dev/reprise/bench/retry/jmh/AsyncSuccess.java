package dev.reprise.bench.retry.jmh;

import dev.reprise.bench.retry.peer.AsyncCalls;
import dev.reprise.bench.retry.peer.AsyncLoop;
import dev.reprise.bench.retry.peer.AsyncWork;
import java.time.Duration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** The first attempt returns a stage that has already succeeded. */
@State(Scope.Benchmark)
public class AsyncSuccess {
  @Param AsyncLoop loop = AsyncLoop.REPRISE;
  private AsyncCalls calls = () -> AsyncWork.RESULT;

  @Setup
  public void open() {
    calls = loop.open(() -> true, Duration.ZERO);
  }

  @TearDown
  public void close() {
    calls.close();
  }

  @Benchmark
  public Object start() {
    return calls.start();
  }
}
