package dev.reprise.bench.retry;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.retry.peer.AsyncLoop;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** A hundred thousand asynchronous calls that all wait for their first retry at once. */
final class ParkedComparison implements Benchmark {
  private static final int CALLS = 100_000;

  @Override
  public String name() {
    return "parked";
  }

  @Override
  public String goal() {
    return "ratio>=0.9,bytes<=128B,allocated<=300B";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws IOException, InterruptedException {
    List<AsyncLoop> compared = List.of(AsyncLoop.NETTY_WHEEL, AsyncLoop.REPRISE);
    List<AsyncLoop> beside = List.of(AsyncLoop.RESILIENCE4J, AsyncLoop.GAX, AsyncLoop.FAILSAFE);
    out.printf(Locale.ROOT, "%-44s %12s %9s %9s%n", name(), "k/s", "B kept", "B made");
    List<double[]> figures = measure(compared, effort, out);
    measure(beside, Effort.QUICK, out);

    double[] floor = figures.get(0);
    double[] ours = figures.get(1);
    return String.format(
        Locale.ROOT,
        "ratio=%.2f bytes=%.0fB allocated=%.0fB",
        ours[0] / floor[0],
        ours[1],
        ours[2]);
  }

  private static List<double[]> measure(List<AsyncLoop> loops, Effort effort, PrintStream out)
      throws IOException, InterruptedException {
    List<double[]> figures = ParkedJvm.measure(Parked.What.WAIT, loops, CALLS, effort);
    for (int i = 0; i < loops.size(); i++) {
      double[] row = figures.get(i);
      out.printf(Locale.ROOT, "%-44s %12.0f %9.0f %9.0f%n", loops.get(i), row[0], row[1], row[2]);
    }
    return figures;
  }
}
