package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Measures the time from sending a publish to the arrival of its first attempt, at 1,000 a second.
 */
final class FirstAttempt implements Benchmark {
  private static final int TOPICS = 100;

  @Override
  public String name() {
    return "first-attempt";
  }

  @Override
  public String goal() {
    return "p50<=2ms,p99<=20ms";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 3);
    int warm = effort.choose(5_000, 15_000);
    int messages = effort.choose(5_000, 20_000);
    double[] p50 = new double[rounds];
    double[] p99 = new double[rounds];
    out.printf("%-8s %12s %12s %12s%n", "round", "p50", "p99", "max");
    for (int round = 0; round < rounds; round++) {
      Path data = Folders.create("first-attempt");
      try (ServiceProcess service = ServiceProcess.start(data, "-Xmx512m");
          PacedLoad load = new PacedLoad(warm + messages)) {
        topics(service, load.port(), TOPICS);
        load.run(service.url(), 0, warm, TOPICS, 1000);
        load.run(service.url(), warm, warm + messages, TOPICS, 1000);
        long[] nanos = load.toFirstAttempt(warm, warm + messages);
        p50[round] = Figures.quantile(nanos, messages, 0.5);
        p99[round] = Figures.quantile(nanos, messages, 0.99);
        out.printf(
            Locale.ROOT,
            "%-8d %12s %12s %12s%n",
            round + 1,
            Figures.millis(p50[round]),
            Figures.millis(p99[round]),
            Figures.millis(Figures.quantile(nanos, messages, 1)));
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
          String.format(
              Locale.ROOT,
              "{\"endpoint\":\"http://%s:%d/hook\",\"format\":\"raw\"}",
              Addresses.loopback(i),
              port));
    }
  }
}
