package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import dev.reprise.cluster.broker.Brokers;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Processor time of node and broker for one message, published and delivered, with 1, 4 and 16
 * shards under the same load, which each of them can carry. The figure is the dearest over the
 * cheapest.
 */
final class ClusterShardsRate implements Benchmark {
  private static final int[] SHARDS = {1, 4, 16};
  private static final int TOPICS = 64;
  private static final int PER_SECOND = 4_000;

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
    out.printf("%-8s %8s %24s%n", "round", "shards", "processor per delivery");
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < SHARDS.length; i++) {
        micros[i][round] = micros(SHARDS[i], effort.choose(5, 15));
        out.printf(Locale.ROOT, "%-8d %8d %21.1f us%n", round + 1, SHARDS[i], micros[i][round]);
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

  private static double micros(int shards, int seconds) throws Exception {
    Path folder = Folders.create("cluster-shards");
    List<String> options = List.of("--shards", "" + shards, "--replication", "1");
    int warm = ClusterThroughput.WARM_SECONDS * PER_SECOND;
    int messages = seconds * PER_SECOND;
    try (Brokers brokers =
            Brokers.start(folder.resolve("brokers"), 1, ClusterThroughput.BROKER_JVM);
        ServiceProcess service =
            ServiceProcess.startNode(folder.resolve("data"), brokers, "n1", options, "-Xmx512m");
        PacedLoad load = new PacedLoad(warm + messages)) {
      long broker = brokers.pid(1).orElseThrow();
      FirstAttempt.topics(service, load.port(), TOPICS);
      load.run(service.url(), 0, warm, TOPICS, PER_SECOND);
      long before = ProcessTime.nanos(service.pid()) + ProcessTime.nanos(broker);
      load.run(service.url(), warm, warm + messages, TOPICS, PER_SECOND);
      long used = ProcessTime.nanos(service.pid()) + ProcessTime.nanos(broker) - before;
      return used / 1e3 / messages;
    } finally {
      Folders.delete(folder);
    }
  }
}
