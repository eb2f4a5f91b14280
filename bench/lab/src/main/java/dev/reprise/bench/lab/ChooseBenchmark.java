package dev.reprise.bench.lab;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.lab.choose.Choice;
import dev.reprise.lab.choose.Limits;
import dev.reprise.lab.choose.PolicyChooser;
import dev.reprise.lab.choose.Task;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** A policy for a million devices, with confirmation, on two threads; nothing is warmed up. */
final class ChooseBenchmark implements Benchmark {
  private static final double GOAL_SECONDS = 30;
  private static final int THREADS = 2;
  private static final int DEVICES = 1_000_000;

  @Override
  public String name() {
    return "choose";
  }

  @Override
  public String goal() {
    return "wall<=30s,policies>=1000";
  }

  @Override
  public String run(Effort effort, PrintStream out) {
    double worst = 0;
    int fewest = Integer.MAX_VALUE;
    out.printf(
        Locale.ROOT,
        "%-10s %10s %10s %10s %10s  %s%n",
        "outage",
        "policies",
        "ruled out",
        "seconds",
        "cpu s",
        "recommended");
    for (Duration outage :
        effort == Effort.QUICK
            ? new Duration[] {Duration.ofMinutes(1)}
            : new Duration[] {Duration.ofMinutes(1), Duration.ofHours(1)}) {
      Choice[] choice = new Choice[1];
      Measured one = Measured.of(() -> choice[0] = choose(outage));
      worst = Math.max(worst, one.seconds());
      fewest = Math.min(fewest, choice[0].searched());
      out.printf(
          Locale.ROOT,
          "%-10s %10d %10d %10.1f %10.1f  %s%n",
          outage,
          choice[0].searched(),
          choice[0].pruned(),
          one.seconds(),
          one.cpuSeconds(),
          choice[0].recommended() == null ? "none" : choice[0].recommended().name());
    }
    return String.format(
        Locale.ROOT, "ratio=%.2f wall=%.1fs policies=%d", worst / GOAL_SECONDS, worst, fewest);
  }

  private static Choice choose(Duration outage) {
    try {
      return new PolicyChooser(THREADS, (done, all) -> {})
          .choose(Task.of(DEVICES, 5_000, 0.1, outage, Limits.NONE, 1));
    } catch (InterruptedException e) {
      throw new IllegalStateException("interrupted", e);
    }
  }
}
