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
 * Measures the time from sending a publish to the arrival of its first attempt at 500 a second: one
 * node over one broker, and over three.
 */
final class ClusterFirstAttempt implements Benchmark {
  private static final int TOPICS = 64;
  private static final int PER_SECOND = 500;

  /** For three minutes: so long do four virtual machines on two cores compile. */
  private static final int WARM = 180 * PER_SECOND;

  @Override
  public String name() {
    return "cluster-first-attempt";
  }

  @Override
  public String goal() {
    return "p50<=25ms,p99<=150ms";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 3);
    double[] p50 = new double[rounds];
    double[] p99 = new double[rounds];
    out.printf("%-8s %8s %12s %12s %12s%n", "round", "brokers", "p50", "p99", "max");
    for (int round = 0; round < rounds; round++) {
      for (int count : new int[] {1, 3}) {
        long[] nanos = measure(count, effort.choose(15_000, WARM), effort.choose(2_500, 10_000));
        // The last of the two, three brokers, is what the goal is about.
        p50[round] = Figures.quantile(nanos, nanos.length, 0.5);
        p99[round] = Figures.quantile(nanos, nanos.length, 0.99);
        out.printf(
            Locale.ROOT,
            "%-8d %8d %12s %12s %12s%n",
            round + 1,
            count,
            Figures.millis(p50[round]),
            Figures.millis(p99[round]),
            Figures.millis(Figures.quantile(nanos, nanos.length, 1)));
      }
    }
    return "p50=%s p99=%s"
        .formatted(Figures.millis(Figures.median(p50)), Figures.millis(Figures.median(p99)));
  }

  private static long[] measure(int count, int warm, int messages) throws Exception {
    Path folder = Folders.create("cluster-first-attempt");
    List<String> options = List.of("--shards", "4", "--replication", "" + count);
    try (Brokers brokers =
            Brokers.start(folder.resolve("brokers"), count, ClusterThroughput.BROKER_JVM);
        ServiceProcess service =
            ServiceProcess.startNode(folder.resolve("data"), brokers, "n1", options, "-Xmx512m");
        PacedLoad load = new PacedLoad(warm + messages)) {
      FirstAttempt.topics(service, load.port(), TOPICS);
      load.run(service.url(), 0, warm, TOPICS, PER_SECOND);
      load.run(service.url(), warm, warm + messages, TOPICS, PER_SECOND);
      return load.toFirstAttempt(warm, warm + messages);
    } finally {
      Folders.delete(folder);
    }
  }
}
