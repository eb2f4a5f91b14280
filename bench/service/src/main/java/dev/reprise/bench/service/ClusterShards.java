package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import java.io.PrintStream;
import java.util.Locale;

/**
 * Processor time of node and broker for one delivery, with 1, 4 and 16 shards under the same full
 * load. The figure is the dearest over the cheapest.
 */
final class ClusterShards implements Benchmark {
  private static final int[] SHARDS = {1, 4, 16};

  @Override
  public String name() {
    return "cluster-shards";
  }

  @Override
  public String goal() {
    return "<=1.15";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 3);
    double[][] micros = new double[SHARDS.length][rounds];
    out.printf("%-8s %8s %14s %24s%n", "round", "shards", "delivered/s", "processor per delivery");
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < SHARDS.length; i++) {
        ClusterThroughput.Rate rate = ClusterThroughput.node(SHARDS[i]);
        micros[i][round] = rate.micros();
        out.printf(
            Locale.ROOT,
            "%-8d %8d %14.0f %21.1f us%n",
            round + 1,
            SHARDS[i],
            rate.perSecond(),
            rate.micros());
      }
    }
    double least = Double.MAX_VALUE;
    double most = 0;
    for (double[] each : micros) {
      double median = Figures.median(each);
      least = Math.min(least, median);
      most = Math.max(most, median);
    }
    return Figures.ratio(most / least);
  }
}
