package dev.reprise.bench.retry;

import dev.reprise.bench.common.Launcher;

/** The comparisons of core with its peers; see {@code bench/run}. */
public final class RetryBench {
  private RetryBench() {}

  /** Runs the comparison that the arguments name, as {@link Launcher#main} does. */
  public static void main(String[] args) throws Exception {
    Launcher.main(Comparisons.all(), args);
  }
}
