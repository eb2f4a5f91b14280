package dev.reprise.bench.service;

import java.io.PrintStream;
import java.nio.file.Path;

/** From sending a publish to the arrival of its first attempt, at 1,000 a second. */
final class FirstAttempt implements Benchmark {
  private static final int TOPICS = 100;
  private static final int WARM = 15_000;
  private static final int MESSAGES = 20_000;
  private static final int ROUNDS = 3;

  @Override
  public String name() {
    return "first-attempt";
  }

  @Override
  public String what() {
    return "publish to first attempt at 1,000/s over HTTP on both sides";
  }

  @Override
  public String goal() {
    return "p50<=2ms,p99<=20ms";
  }

  @Override
  public String needs() {
    return "nothing";
  }

  @Override
  public String run(PrintStream out) throws Exception {
    double[] p50 = new double[ROUNDS];
    double[] p99 = new double[ROUNDS];
    out.printf("%-8s %12s %12s %12s%n", "round", "p50", "p99", "max");
    for (int round = 0; round < ROUNDS; round++) {
      Path data = Folders.create("first-attempt");
      try (ServiceProcess service = ServiceProcess.start(data, "-Xmx512m");
          PacedLoad load = new PacedLoad(WARM + MESSAGES)) {
        topics(service, load.port(), TOPICS);
        load.run(service.url(), 0, WARM, TOPICS, 1000);
        load.run(service.url(), WARM, WARM + MESSAGES, TOPICS, 1000);
        long[] nanos = load.toFirstAttempt(WARM, WARM + MESSAGES);
        p50[round] = Figures.quantile(nanos, MESSAGES, 0.5);
        p99[round] = Figures.quantile(nanos, MESSAGES, 0.99);
        out.printf(
            "%-8d %12s %12s %12s%n",
            round + 1,
            Figures.millis(p50[round]),
            Figures.millis(p99[round]),
            Figures.millis(Figures.quantile(nanos, MESSAGES, 1)));
      } finally {
        Folders.delete(data);
      }
    }
    return "p50=%s p99=%s"
        .formatted(Figures.millis(Figures.median(p50)), Figures.millis(Figures.median(p99)));
  }

  static void topics(ServiceProcess service, int port, int topics) throws Exception {
    for (int i = 0; i < topics; i++) {
      service.createTopic("fast" + i, "{}");
      service.subscribe(
          "fast" + i,
          "{\"endpoint\":\"http://%s:%d/hook\",\"format\":\"raw\"}"
              .formatted(Addresses.loopback(i), port));
    }
  }
}
