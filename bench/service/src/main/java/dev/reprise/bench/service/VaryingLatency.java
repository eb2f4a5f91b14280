package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One endpoint that always answers 204, but after times that vary, with a backlog before it. */
final class VaryingLatency implements Benchmark {
  private static final int PLACES = 64;
  private static final int WARM_SECONDS = 5;
  private static final int SECONDS = 10;
  private static final Pattern LIMIT =
      Pattern.compile("\"limit\":(\\d+).*?\"limitReason\":\"(\\w+)\"");

  /** The distribution of an endpoint's times, and their mean. */
  private record Times(String name, double meanMillis, ToDoubleFunction<SplittableRandom> millis) {}

  private static final Times[] ALL = {
    new Times(
        "lognormal, median 50 ms, sigma 0.7",
        50 * Math.exp(0.7 * 0.7 / 2),
        random -> 50 * Math.exp(0.7 * random.nextGaussian())),
    new Times("uniform, 20 to 80 ms", 50, random -> 20 + 60 * random.nextDouble()),
    new Times("2 ms for one in ten, else 50 ms", 45.2, random -> random.nextInt(10) == 0 ? 2 : 50),
  };

  @Override
  public String name() {
    return "varying-latency";
  }

  @Override
  public String goal() {
    return ">=0.80";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int rounds = effort.choose(1, 3);
    double worst = Double.MAX_VALUE;
    out.printf(
        "%-36s %6s %12s %14s %18s %8s%n",
        "times", "round", "delivered/s", "places/mean", "places at the end", "ratio");
    for (Times times : ALL) {
      double[] ratios = new double[rounds];
      double most = PLACES * 1000 / times.meanMillis;
      for (int round = 0; round < rounds; round++) {
        Measured measured = measure(times, round);
        ratios[round] = measured.perSecond / most;
        out.printf(
            Locale.ROOT,
            "%-36s %6d %12.0f %14.0f %18s %8.2f%n",
            times.name,
            round + 1,
            measured.perSecond,
            most,
            measured.places,
            ratios[round]);
      }
      worst = Math.min(worst, Figures.median(ratios));
    }
    return Figures.ratio(worst);
  }

  private record Measured(double perSecond, String places) {}

  private static Measured measure(Times times, long seed) throws Exception {
    Path data = Folders.create("varying-latency");
    Vertx vertx = Vertx.vertx();
    LongAdder answered = new LongAdder();
    try (ServiceProcess service = ServiceProcess.start(data, "-Xmx512m")) {
      int port = listen(vertx, times, new SplittableRandom(seed), answered);
      service.createTopic("varying", "{}");
      service.subscribe(
          "varying",
          String.format(
              Locale.ROOT,
              "{\"endpoint\":\"http://127.0.0.1:%d/hook\",\"format\":\"raw\",\"maxInFlight\":%d}",
              port,
              PLACES));
      int enough = (int) (PLACES * 1000 / times.meanMillis * (WARM_SECONDS + SECONDS) * 1.5);
      BacklogLoad.publish(service, "varying", enough, 1000);
      Thread.sleep(WARM_SECONDS * 1000L);
      long before = answered.sum();
      long start = System.nanoTime();
      Thread.sleep(SECONDS * 1000L);
      double perSecond = (answered.sum() - before) / ((System.nanoTime() - start) / 1e9);
      return new Measured(perSecond, places(service));
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
      Folders.delete(data);
    }
  }

  private static String places(ServiceProcess service) throws Exception {
    String shown = service.get("/v1/subscriptions/varying-1").body();
    Matcher matcher = LIMIT.matcher(shown);
    return matcher.find() ? matcher.group(1) + " " + matcher.group(2) : "not known";
  }

  /** The random numbers are drawn on one event loop. */
  private static int listen(Vertx vertx, Times times, SplittableRandom random, LongAdder answered)
      throws Exception {
    return vertx
        .createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0))
        .requestHandler(
            request ->
                vertx.setTimer(
                    Math.max(1, Math.round(times.millis.applyAsDouble(random))),
                    timer -> {
                      answered.increment();
                      request.response().setStatusCode(204).end();
                    }))
        .listen()
        .toCompletionStage()
        .toCompletableFuture()
        .get(10, TimeUnit.SECONDS)
        .actualPort();
  }
}
