package dev.reprise.chaos;

import dev.reprise.bench.common.Launcher;
import java.util.List;

/** Schedules of faults, as many as are asked for; see {@code bench/run}. */
public final class ChaosBench {
  private ChaosBench() {}

  /** Runs the benchmark that the arguments name, as {@link Launcher#main} does. */
  public static void main(String[] args) throws Exception {
    Launcher.main(List.of(new ClusterChaos()), args);
  }
}
