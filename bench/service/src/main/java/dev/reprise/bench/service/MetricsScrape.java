package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.GZIPOutputStream;

/**
 * 20,000 subscriptions, a hundred to a topic: series, bytes and time of a scrape of {@code
 * /metrics}, with no subscription named, with the default bound and with all of them named. Each
 * bound has a service of its own over the same data. {@code -Dreprise.subscriptions=N} sets how
 * many.
 */
final class MetricsScrape implements Benchmark {
  private static final int OF_TOPIC = 100;
  private static final int CALLERS = 16;
  private static final int SCRAPES = 10;
  private static final int WARM_UP = 20;
  private static final int DEFAULT_BOUND = 1000;

  @Override
  public String name() {
    return "metrics-scrape";
  }

  @Override
  public String goal() {
    return "scrape<=1000ms";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int subscriptions = Integer.getInteger("reprise.subscriptions", effort.choose(2_000, 20_000));
    Path data = Folders.create("metrics-scrape");
    try {
      try (ServiceProcess service = ServiceProcess.start(data, "-Xmx512m")) {
        subscribe(service, subscriptions);
      }
      out.printf(
          "%-24s %8s %10s %10s %10s %10s %10s %10s%n",
          "--metrics-subscriptions", "series", "bytes", "gzip", "first", "median", "heap", "RSS");
      report(out, data, 0, subscriptions);
      report(out, data, Math.min(DEFAULT_BOUND, subscriptions), subscriptions);
      double median = report(out, data, subscriptions, subscriptions);
      return String.format(Locale.ROOT, "scrape=%.0fms", median);
    } finally {
      Folders.delete(data);
    }
  }

  private static void subscribe(ServiceProcess service, int subscriptions) throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
    try {
      List<Future<?>> calls = new ArrayList<>();
      for (int topic = 0; topic * OF_TOPIC < subscriptions; topic++) {
        String name = String.format(Locale.ROOT, "customer-%04d", topic);
        int of = Math.min(OF_TOPIC, subscriptions - topic * OF_TOPIC);
        calls.add(
            callers.submit(
                () -> {
                  service.createTopic(name, "{}");
                  for (int i = 0; i < of; i++) {
                    service.subscribe(name, "{\"endpoint\":\"http://127.0.0.1:9/" + i + "\"}");
                  }
                  return null;
                }));
      }
      for (Future<?> call : calls) {
        call.get();
      }
    } finally {
      callers.shutdownNow();
    }
  }

  /** Returns the median of the scrapes, in milliseconds. */
  private static double report(PrintStream out, Path data, int bound, int subscriptions)
      throws Exception {
    List<String> options = List.of("--metrics-subscriptions", "" + bound);
    try (ServiceProcess service = ServiceProcess.start(data, options, "-Xmx512m")) {
      long began = System.nanoTime();
      String text = service.get("/metrics").body();
      double first = (System.nanoTime() - began) / 1e6;
      if (!text.contains("reprise_subscriptions " + (double) subscriptions)) {
        throw new IllegalStateException("not " + subscriptions + " subscriptions");
      }
      for (int i = 0; i < WARM_UP; i++) {
        service.get("/metrics");
      }
      double[] millis = new double[SCRAPES];
      for (int i = 0; i < SCRAPES; i++) {
        began = System.nanoTime();
        text = service.get("/metrics").body();
        millis[i] = (System.nanoTime() - began) / 1e6;
      }
      double median = Figures.median(millis);
      out.printf(
          Locale.ROOT,
          "%-24d %8d %10d %10d %7.1f ms %7.1f ms %7.1f MB %7.1f MB%n",
          bound,
          text.lines().filter(line -> !line.startsWith("#")).count(),
          text.length(),
          gzip(text),
          first,
          median,
          service.liveHeapBytes() / 1e6,
          service.residentBytes() / 1e6);
      return median;
    }
  }

  private static int gzip(String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream zipped = new GZIPOutputStream(bytes)) {
      zipped.write(text.getBytes(StandardCharsets.UTF_8));
    }
    return bytes.size();
  }
}
