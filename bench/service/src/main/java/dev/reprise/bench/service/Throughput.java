package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Publish and deliver together, everything synced, against the bare HTTP client. */
final class Throughput implements Benchmark {
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
    return ">=0.60";
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
        double[] rates = service(sink);
        service[round] = rates[1];
        ratios[round] = rates[1] / bare[round];
        out.printf(
            "%-8d %18.0f %22.0f %22.0f %8.2f%n",
            round + 1, bare[round], rates[0], rates[1], ratios[round]);
      }
    }
    out.printf(
        "%-8s %18.0f %22s %22.0f%n", "median", Figures.median(bare), "", Figures.median(service));
    return Figures.ratio(Figures.median(ratios));
  }

  private static double bare(Sink sink) throws Exception {
    Process client = BareClient.start(sink.port(), ENDPOINTS, BODY_BYTES, JVM);
    try {
      return rate(sink);
    } finally {
      client.destroyForcibly().waitFor();
    }
  }

  private static double[] service(Sink sink) throws Exception {
    Path data = Folders.create("throughput");
    try (ServiceProcess service = ServiceProcess.start(data, JVM)) {
      for (int i = 0; i < ENDPOINTS; i++) {
        service.createTopic("t" + i, "{}");
        service.subscribe(
            "t" + i,
            "{\"endpoint\":\"http://%s:%d/hook\",\"format\":\"raw\"}"
                .formatted(Addresses.loopback(i), sink.port()));
      }
      Path script = data.resolve("post.lua");
      Files.writeString(script, script());
      Process wrk =
          new ProcessBuilder(
                  "wrk",
                  "-t1",
                  "-c" + PUBLISHERS,
                  "-d" + (WARM_SECONDS + SECONDS + 5) + "s",
                  "-s",
                  script.toString(),
                  service.url())
              .redirectErrorStream(true)
              .redirectOutput(data.resolve("wrk.out").toFile())
              .start();
      try {
        long before = accepted(service);
        long beforeNanos = System.nanoTime();
        double delivered = rate(sink);
        double published = (accepted(service) - before) / ((System.nanoTime() - beforeNanos) / 1e9);
        wrk.waitFor(30, TimeUnit.SECONDS);
        String report = Files.readString(data.resolve("wrk.out"));
        if (report.contains("Non-2xx")) {
          throw new IllegalStateException("publishes were refused:\n" + report);
        }
        return new double[] {published, delivered};
      } finally {
        wrk.destroyForcibly();
      }
    } finally {
      Folders.delete(data);
    }
  }

  /** Requests per second that the sink has counted, after warming up. */
  private static double rate(Sink sink) throws Exception {
    Thread.sleep(WARM_SECONDS * 1000L);
    long before = sink.requests();
    long start = System.nanoTime();
    Thread.sleep(SECONDS * 1000L);
    return (sink.requests() - before) / ((System.nanoTime() - start) / 1e9);
  }

  private static long accepted(ServiceProcess service) throws Exception {
    String metrics = service.get("/metrics").body();
    return metrics
        .lines()
        .filter(line -> line.startsWith("reprise_messages_published_total"))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** A body of 512 bytes in the API's envelope, to one topic after the other. */
  private static String script() {
    String pad = "x".repeat(BODY_BYTES - "{\"pad\":\"\"}".length());
    return """
    local requests = {}
    local next = 0
    function init(args)
      local headers = { ["Content-Type"] = "application/json" }
      local body = '{"body":{"pad":"%s"}}'
      for i = 0, %d do
        requests[i] = wrk.format("POST", "/v1/topics/t" .. i .. "/messages", headers, body)
      end
    end
    function request()
      next = (next + 1) %% %d
      return requests[next]
    end
    """
        .formatted(pad, ENDPOINTS - 1, ENDPOINTS);
  }
}
