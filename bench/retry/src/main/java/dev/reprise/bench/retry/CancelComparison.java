package dev.reprise.bench.retry;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.retry.peer.AsyncLoop;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** A million asynchronous calls that wait for their first retry, and are cancelled. */
final class CancelComparison implements Benchmark {
  private static final int CALLS = 1_000_000;

  @Override
  public String name() {
    return "parked-cancel";
  }

  @Override
  public String goal() {
    return "ours<=1000ms,left<=1B"; // No object takes less than that.
  }

  @Override
  public String run(Effort effort, PrintStream out) throws IOException, InterruptedException {
    List<AsyncLoop> loops = List.of(AsyncLoop.NETTY_WHEEL, AsyncLoop.REPRISE);
    List<double[]> figures = ParkedJvm.measure(Parked.What.CANCEL, loops, CALLS, effort);
    out.printf(Locale.ROOT, "%-44s %12s %9s%n", name(), "ms", "B left");
    for (int i = 0; i < loops.size(); i++) {
      double[] row = figures.get(i);
      out.printf(Locale.ROOT, "%-44s %12.0f %9.1f%n", loops.get(i), row[0], row[1]);
    }
    double[] floor = figures.get(0);
    double[] ours = figures.get(1);
    return String.format(
        Locale.ROOT, "ratio=%.2f ours=%.0fms left=%.1fB", ours[0] / floor[0], ours[0], ours[1]);
  }
}
