package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Endpoints that answer at once beside thousands that never answer, on other hosts and their own.
 */
final class HangingEndpoints implements Benchmark {
  private static final int TOPICS = 20;
  private static final int WARM = 5_000;
  private static final int MESSAGES = 20_000;
  private static final int HANGING_MESSAGES = 3;

  @Override
  public String name() {
    return "hanging-endpoints";
  }

  @Override
  public String goal() {
    return "<=2.00";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 3);
    double[] ratios = new double[rounds];
    out.printf(
        "%-6s %14s %18s %22s %8s%n",
        "round", "p99 alone", "p99 beside 3,000", "p99 beside 1,900 of it", "ratio");
    for (int round = 0; round < rounds; round++) {
      double alone = measure(0, "");
      double others = measure(3_000, "127.0.0.99");
      double same = measure(1_900, Addresses.loopback(0));
      ratios[round] = Math.max(others, same) / alone;
      out.printf(
          Locale.ROOT,
          "%-6d %14s %18s %22s %8.2f%n",
          round + 1,
          Figures.millis(alone),
          Figures.millis(others),
          Figures.millis(same),
          ratios[round]);
    }
    return Figures.ratio(Figures.median(ratios));
  }

  private static double measure(int hanging, String host) throws Exception {
    Path data = Folders.create("hanging-endpoints");
    try (ServiceProcess service = ServiceProcess.start(data, "-Xmx512m");
        PacedLoad load = new PacedLoad(WARM + MESSAGES)) {
      FirstAttempt.topics(service, load.port(), TOPICS);
      load.run(service.url(), 0, WARM, TOPICS, 1000);
      if (hanging > 0) {
        service.createTopic("hanging", "{}");
        for (int i = 0; i < hanging; i++) {
          service.subscribe(
              "hanging",
              String.format(
                  Locale.ROOT,
                  "{\"endpoint\":\"http://%s:%d%s/%d\",\"format\":\"raw\"}",
                  host,
                  load.port(),
                  Receiver.HANGING,
                  i));
        }
        for (int i = 0; i < HANGING_MESSAGES; i++) {
          service.send("POST", "/v1/topics/hanging/messages", "application/json", "{\"body\":1}");
        }
      }
      load.run(service.url(), WARM, WARM + MESSAGES, TOPICS, 1000);
      long[] nanos = load.toFirstAttempt(WARM, WARM + MESSAGES);
      return Figures.quantile(nanos, MESSAGES, 0.99);
    } finally {
      Folders.delete(data);
    }
  }
}
