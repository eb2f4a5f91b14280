package dev.reprise.bench.retry.jmh;

import dev.reprise.bench.retry.peer.NextDelayFormula;
import java.util.function.LongSupplier;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Computes the delay before one retry. */
@State(Scope.Thread)
public class NextDelay {
  @Param NextDelayFormula formula = NextDelayFormula.REPRISE;

  @Param("1")
  int retry = 1;

  private LongSupplier delay = () -> 0;

  @Setup
  public void open() {
    delay = formula.open(retry);
  }

  @Benchmark
  public long delay() {
    return delay.getAsLong();
  }
}
