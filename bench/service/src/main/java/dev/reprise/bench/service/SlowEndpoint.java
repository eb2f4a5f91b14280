package dev.reprise.bench.service;

import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.Path;

/** Fast endpoints beside one that hangs until its timeout with a million deliveries behind it. */
final class SlowEndpoint implements Benchmark {
  private static final int BACKLOG = 1_000_000;
  private static final int TOPICS = 100;
  private static final int WARM = 10_000;
  private static final int MESSAGES = 30_000;
  private static final int ROUNDS = 3;

  @Override
  public String name() {
    return "slow-endpoint";
  }

  @Override
  public String what() {
    return "p99 of publish to first attempt at 1,000/s beside an endpoint that hangs 15 s with 1 M"
        + " deliveries behind it, over the same without it";
  }

  @Override
  public String goal() {
    return "<=1.50";
  }

  @Override
  public String needs() {
    return "nothing";
  }

  @Override
  public String run(PrintStream out) throws Exception {
    double[] ratios = new double[ROUNDS];
    out.printf(
        "%-8s %14s %14s %14s %14s %8s%n",
        "round", "p50 alone", "p50 beside", "p99 alone", "p99 beside", "ratio");
    for (int round = 0; round < ROUNDS; round++) {
      double[] alone = measure(false);
      double[] beside = measure(true);
      ratios[round] = beside[1] / alone[1];
      out.printf(
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

  private static double[] measure(boolean beside) throws Exception {
    Path data = Folders.create("slow-endpoint");
    // Takes connections and requests into its backlog and never answers.
    try (ServerSocket hanging = new ServerSocket(0, 1000);
        ServiceProcess service = ServiceProcess.start(data, "-Xmx512m");
        PacedLoad load = new PacedLoad(WARM + MESSAGES)) {
      FirstAttempt.topics(service, load.port(), TOPICS);
      if (beside) {
        service.createTopic("slow", "{}");
        service.subscribe(
            "slow",
            "{\"endpoint\":\"http://127.0.0.1:%d/hook\",\"format\":\"raw\"}"
                .formatted(hanging.getLocalPort()));
        Backlog.publish(service, "slow", BACKLOG, 1000);
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
