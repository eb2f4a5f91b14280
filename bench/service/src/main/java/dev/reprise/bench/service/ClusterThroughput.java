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
 * Publish and deliver together: one node over one broker, which answers from the page cache,
 * against the single service, which syncs every write. The same publishers, endpoints and cores.
 */
final class ClusterThroughput implements Benchmark {
  private static final int ENDPOINTS = 64;
  private static final int SHARDS = 4;

  /** Node and broker together compile for longer than the single service does. */
  static final int WARM_SECONDS = 90;

  private static final String NODE_MEMORY = "-Xmx512m";

  /** A broker whose code is compiled as that of one which has run for long. */
  static final List<String> BROKER_JVM = List.of("-Xmx512m");

  @Override
  public String name() {
    return "cluster-throughput";
  }

  @Override
  public String goal() {
    return ">=0.50";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 3);
    double[] single = new double[rounds];
    double[] node = new double[rounds];
    double[] ratios = new double[rounds];
    out.printf("%-8s %18s %18s %8s%n", "round", "single service/s", "one node/s", "ratio");
    for (int round = 0; round < rounds; round++) {
      single[round] = single();
      node[round] = node();
      ratios[round] = node[round] / single[round];
      out.printf(
          Locale.ROOT,
          "%-8d %18.0f %18.0f %8.2f%n",
          round + 1,
          single[round],
          node[round],
          ratios[round]);
    }
    return Figures.ratio(Figures.median(ratios));
  }

  private static double single() throws Exception {
    Path folder = Folders.create("cluster-throughput");
    try (Sink sink = Sink.start();
        ServiceProcess service = ServiceProcess.start(folder.resolve("data"), NODE_MEMORY)) {
      return rate(service, sink, folder);
    } finally {
      Folders.delete(folder);
    }
  }

  private static double node() throws Exception {
    Path folder = Folders.create("cluster-throughput");
    List<String> options = List.of("--shards", "" + SHARDS, "--replication", "1");
    try (Sink sink = Sink.start();
        Brokers brokers = Brokers.start(folder.resolve("brokers"), 1, BROKER_JVM);
        ServiceProcess service =
            ServiceProcess.startNode(folder.resolve("data"), brokers, "n1", options, NODE_MEMORY)) {
      return rate(service, sink, folder);
    } finally {
      Folders.delete(folder);
    }
  }

  private static double rate(ServiceProcess service, Sink sink, Path folder) throws Exception {
    ServiceThroughput.subscribe(service, sink, ENDPOINTS, "");
    try (Wrk wrk = ServiceThroughput.load(service, folder, ENDPOINTS, WARM_SECONDS)) {
      double rate = ServiceThroughput.rate(sink, WARM_SECONDS);
      wrk.finish();
      return rate;
    }
  }
}
