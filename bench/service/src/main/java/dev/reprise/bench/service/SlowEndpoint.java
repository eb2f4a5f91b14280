package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Locale;

/** Fast endpoints beside one that hangs until its timeout with a million deliveries behind it. */
final class SlowEndpoint implements Benchmark {
  private static final int TOPICS = 100;
  private static final int WARM = 10_000;
  private static final int MESSAGES = 30_000;

  @Override
  public String name() {
    return "slow-endpoint";
  }

  @Override
  public String goal() {
    return "<=1.50";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 3);
    int backlog = effort.choose(50_000, 1_000_000);
    double[] ratios = new double[rounds];
    out.printf(
        "%-8s %14s %14s %14s %14s %8s%n",
        "round", "p50 alone", "p50 beside", "p99 alone", "p99 beside", "ratio");
    for (int round = 0; round < rounds; round++) {
      double[] alone = measure(0);
      double[] beside = measure(backlog);
      ratios[round] = beside[1] / alone[1];
      out.printf(
          Locale.ROOT,
          "%-8d %14s %14s %14s %14s %8.2f%n",
          round + 1,
          Figures.millis(alone[0]),
          Figures.millis(beside[0]),
          Figures.millis(alone[1]),
          Figures.millis(beside[1]),
          ratios[round]);
    }
    return Figures.ratio(Figures.median(ratios));
  }

  private static double[] measure(int backlog) throws Exception {
    Path data = Folders.create("slow-endpoint");
    // Takes connections and requests into its backlog and never answers.
    try (ServerSocket hanging = new ServerSocket(0, 1000);
        ServiceProcess service = ServiceProcess.start(data, "-Xmx512m");
        PacedLoad load = new PacedLoad(WARM + MESSAGES)) {
      FirstAttempt.topics(service, load.port(), TOPICS);
      if (backlog > 0) {
        service.createTopic("slow", "{}");
        service.subscribe(
            "slow",
            String.format(
                Locale.ROOT,
                "{\"endpoint\":\"http://127.0.0.1:%d/hook\",\"format\":\"raw\"}",
                hanging.getLocalPort()));
        BacklogLoad.publish(service, "slow", backlog, 1000);
      }
      load.run(service.url(), 0, WARM, TOPICS, 1000);
      load.run(service.url(), WARM, WARM + MESSAGES, TOPICS, 1000);
      long[] nanos = load.toFirstAttempt(WARM, WARM + MESSAGES);
      return new double[] {
        Figures.quantile(nanos, MESSAGES, 0.5), Figures.quantile(nanos, MESSAGES, 0.99)
      };
    } finally {
      Folders.delete(data);
    }
  }
}
