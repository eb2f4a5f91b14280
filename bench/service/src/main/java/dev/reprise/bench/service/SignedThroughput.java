package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import java.io.PrintStream;
import java.util.Locale;

/** Publish and deliver together, with a signature on every delivery and without. */
final class SignedThroughput implements Benchmark {
  private static final String SIGNED =
      ",\"http\":{\"signingSecret\":\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"}";

  @Override
  public String name() {
    return "signed-throughput";
  }

  @Override
  public String goal() {
    return ">=0.95";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 5);
    double[] ratios = new double[rounds];
    out.printf("%-8s %18s %18s %8s%n", "round", "delivered/s", "signed/s", "ratio");
    for (int round = 0; round < rounds; round++) {
      boolean signedFirst = round % 2 == 1;
      double first = delivered(signedFirst);
      double second = delivered(!signedFirst);
      double plain = signedFirst ? second : first;
      double signed = signedFirst ? first : second;
      ratios[round] = signed / plain;
      out.printf(
          Locale.ROOT, "%-8d %18.0f %18.0f %8.2f%n", round + 1, plain, signed, ratios[round]);
    }
    return Figures.ratio(Figures.median(ratios));
  }

  private static double delivered(boolean signed) throws Exception {
    try (Sink sink = Sink.start()) {
      return ServiceThroughput.service(sink, signed ? SIGNED : "")[1];
    }
  }
}
