package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import dev.reprise.fixtures.Nginx;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Publish and deliver together, everything synced, against a proxy that only passes requests on:
 * the same publishers, the same endpoint, the same two cores.
 */
final class Relay implements Benchmark {
  private static final int SUBSCRIPTIONS = 64;
  private static final int PUBLISHERS = 64;
  static final int BODY_BYTES = 512;

  @Override
  public String name() {
    return "relay";
  }

  @Override
  public String goal() {
    return ">=0.50";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 3);
    double[] proxy = new double[rounds];
    double[] service = new double[rounds];
    double[] ratios = new double[rounds];
    out.printf("%-8s %14s %14s %8s%n", "round", "nginx/s", "delivered/s", "ratio");
    for (int round = 0; round < rounds; round++) {
      try (Sink sink = Sink.start()) {
        proxy[round] = proxy(sink);
      }
      try (Sink sink = Sink.start()) {
        service[round] = delivered(sink);
      }
      ratios[round] = service[round] / proxy[round];
      out.printf(
          Locale.ROOT,
          "%-8d %14.0f %14.0f %8.2f%n",
          round + 1,
          proxy[round],
          service[round],
          ratios[round]);
    }
    out.printf(
        Locale.ROOT,
        "%-8s %14.0f %14.0f%n",
        "median",
        Figures.median(proxy),
        Figures.median(service));
    return Figures.ratio(Figures.median(ratios));
  }

  private static double proxy(Sink sink) throws Exception {
    Path folder = Folders.create("relay-proxy");
    String http =
        String.format(
            Locale.ROOT,
            """
            access_log off;
            keepalive_requests 100000000;
            keepalive_timeout 300s;
            upstream sink { server 127.0.0.1:%d; keepalive %d; keepalive_requests 100000000; }
            server {
              listen @port@ backlog=16384;
              location / {
                proxy_pass http://sink;
                proxy_http_version 1.1;
                proxy_set_header Connection "";
              }
            }
            """,
            sink.port(),
            PUBLISHERS);
    try (Nginx nginx = Nginx.start(folder, http)) {
      return rate(sink, folder, "http://127.0.0.1:" + nginx.port(), 5, 10);
    } finally {
      Folders.delete(folder);
    }
  }

  private static double delivered(Sink sink) throws Exception {
    Path data = Folders.create("relay");
    try (ServiceProcess service = service(data, sink)) {
      return rate(sink, data, service.url(), 25, 20);
    } finally {
      Folders.delete(data);
    }
  }

  /** Starts the service with its subscriptions, all at one endpoint. */
  static ServiceProcess service(Path data, Sink sink) throws Exception {
    ServiceProcess service = ServiceProcess.start(data.resolve("data"), "-Xmx512m");
    try {
      for (int i = 0; i < SUBSCRIPTIONS; i++) {
        service.createTopic("t" + i, "{}");
        service.subscribe(
            "t" + i,
            String.format(
                Locale.ROOT,
                "{\"endpoint\":\"http://127.0.0.1:%d/hook\",\"format\":\"raw\"}",
                sink.port()));
      }
    } catch (Exception e) {
      service.close();
      throw e;
    }
    return service;
  }

  /** Starts the publishers. */
  static Wrk load(Path folder, String url, int seconds) throws Exception {
    return Wrk.start(folder, url, PUBLISHERS, SUBSCRIPTIONS, BODY_BYTES, seconds);
  }

  /** Returns the requests that reached the sink per second, after warming up. */
  private static double rate(Sink sink, Path folder, String url, int warmSeconds, int seconds)
      throws Exception {
    try (Wrk wrk = load(folder, url, warmSeconds + seconds + 2)) {
      Thread.sleep(warmSeconds * 1000L);
      double rate = sink.rate(seconds);
      wrk.finish();
      return rate;
    }
  }
}
