package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import java.io.PrintStream;
import java.util.Locale;

/**
 * The service's HTTP sender alone, beside the client of Vert.x and beside bare connections of
 * Netty: processor time of a request, all else being equal.
 */
final class Send implements Benchmark {
  private static final String[] CLIENTS = {"sender", "vertx", "netty"};

  @Override
  public String name() {
    return "send";
  }

  @Override
  public String goal() {
    return "over-netty<=1.50";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 3);
    int warm = effort.choose(3, 8);
    int seconds = effort.choose(2, 8);
    double[][] micros = new double[CLIENTS.length][rounds];
    out.printf("%-6s %-8s %12s %14s %12s%n", "round", "client", "requests/s", "processor", "bytes");
    try (Sink sink = Sink.start()) {
      for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < CLIENTS.length; i++) {
          SendLoad.Cost cost = SendLoad.run(CLIENTS[i], sink.port(), warm, seconds, "-Xmx512m");
          micros[i][round] = cost.micros();
          out.printf(
              Locale.ROOT,
              "%-6d %-8s %12.0f %11.1f µs %12.0f%n",
              round + 1,
              CLIENTS[i],
              cost.perSecond(),
              cost.micros(),
              cost.bytes());
        }
      }
    }
    double ours = Figures.median(micros[0]);
    return String.format(
        Locale.ROOT,
        "over-netty=%.2f over-vertx=%.2f",
        ours / Figures.median(micros[2]),
        ours / Figures.median(micros[1]));
  }
}
