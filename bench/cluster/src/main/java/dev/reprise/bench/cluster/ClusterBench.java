package dev.reprise.bench.cluster;

import dev.reprise.bench.common.Launcher;
import java.util.List;

/** Figures of a cluster; see {@code bench/run}. */
public final class ClusterBench {
  private ClusterBench() {}

  /** Runs the benchmark that the arguments name, as {@link Launcher#main} does. */
  public static void main(String[] args) throws Exception {
    Launcher.main(List.of(new ManyNodes(), new CatalogSize(), new RestoreTime()), args);
  }
}
