package dev.reprise.bench.retry;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/** A million asynchronous calls that wait for their first retry, and are cancelled. */
final class CancelComparison implements Comparison {
  private static final int CALLS = 1_000_000;
  private static final double MOST_MILLIS = 1_000;

  /** Less than any object takes. */
  private static final double MOST_BYTES_LEFT = 1;

  @Override
  public String name() {
    return "parked-cancel";
  }

  @Override
  public String what() {
    return "1,000,000 parked async retries cancelled, and their memory back";
  }

  @Override
  public String goal() {
    return "ours<=1000ms,left<=1B";
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
        Locale.ROOT,
        "ratio=%.2f ours=%.0fms left=%.1fB goal=%s %s",
        ours[0] / floor[0],
        ours[0],
        ours[1],
        goal(),
        ours[0] <= MOST_MILLIS && ours[1] <= MOST_BYTES_LEFT ? "met" : "MISSED");
  }
}
