package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;

/** Publish and deliver together, everything synced, against the bare HTTP client. */
final class ServiceThroughput implements Benchmark {
  private static final int ENDPOINTS = 2000;
  private static final int PUBLISHERS = 64;
  private static final int BODY_BYTES = 512;
  private static final int WARM_SECONDS = 25;
  private static final int SECONDS = 15;
  private static final String[] JVM = {"-Xmx512m"};

  @Override
  public String name() {
    return "throughput";
  }

  @Override
  public String goal() {
    return ">=0.85";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 3);
    double[] bare = new double[rounds];
    double[] service = new double[rounds];
    double[] ratios = new double[rounds];
    out.printf(
        "%-8s %18s %22s %22s %8s%n",
        "round", "bare posts/s", "published/s", "delivered/s", "ratio");
    for (int round = 0; round < rounds; round++) {
      try (Sink sink = Sink.start()) {
        bare[round] = bare(sink);
      }
      try (Sink sink = Sink.start()) {
        double[] rates = service(sink, "");
        service[round] = rates[1];
        ratios[round] = rates[1] / bare[round];
        out.printf(
            Locale.ROOT,
            "%-8d %18.0f %22.0f %22.0f %8.2f%n",
            round + 1,
            bare[round],
            rates[0],
            rates[1],
            ratios[round]);
      }
    }
    out.printf(
        Locale.ROOT,
        "%-8s %18.0f %22s %22.0f%n",
        "median",
        Figures.median(bare),
        "",
        Figures.median(service));
    return Figures.ratio(Figures.median(ratios));
  }

  private static double bare(Sink sink) throws Exception {
    Process client = BareClient.start(sink.port(), ENDPOINTS, BODY_BYTES, JVM);
    try {
      return rate(sink, WARM_SECONDS);
    } finally {
      client.destroyForcibly().waitFor();
    }
  }

  /**
   * Returns what the service publishes and delivers in a second.
   *
   * @param more fields of the subscriptions
   */
  static double[] service(Sink sink, String more) throws Exception {
    Path data = Folders.create("throughput");
    try (ServiceProcess service = ServiceProcess.start(data, JVM)) {
      subscribe(service, sink, ENDPOINTS, more);
      try (Wrk wrk = load(service, data, ENDPOINTS, WARM_SECONDS)) {
        long before = accepted(service);
        long beforeNanos = System.nanoTime();
        double delivered = rate(sink, WARM_SECONDS);
        double published = (accepted(service) - before) / ((System.nanoTime() - beforeNanos) / 1e9);
        wrk.finish();
        return new double[] {published, delivered};
      }
    } finally {
      Folders.delete(data);
    }
  }

  /** Makes topics {@code t0} and so on, each with a subscription at an address of its own. */
  static void subscribe(ServiceProcess service, Sink sink, int endpoints, String more)
      throws Exception {
    for (int i = 0; i < endpoints; i++) {
      service.createTopic("t" + i, "{}");
      service.subscribe(
          "t" + i,
          String.format(
              Locale.ROOT,
              "{\"endpoint\":\"http://%s:%d/hook\",\"format\":\"raw\"%s}",
              Addresses.loopback(i),
              sink.port(),
              more));
    }
  }

  /** Starts publishing, for as long as warming up and measuring take. */
  static Wrk load(ServiceProcess service, Path folder, int endpoints, int warmSeconds)
      throws Exception {
    return Wrk.start(
        folder, service.url(), PUBLISHERS, endpoints, BODY_BYTES, warmSeconds + SECONDS + 5);
  }

  /** Requests per second that the sink has counted, after warming up. */
  static double rate(Sink sink, int warmSeconds) throws Exception {
    Thread.sleep(warmSeconds * 1000L);
    return sink.rate(SECONDS);
  }

  private static long accepted(ServiceProcess service) throws Exception {
    String metrics = service.get("/metrics").body();
    return metrics
        .lines()
        .filter(line -> line.startsWith("reprise_messages_published_total"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }
}
