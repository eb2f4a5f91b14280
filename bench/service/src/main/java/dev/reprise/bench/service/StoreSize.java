package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.policy.PolicyDocuments;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Many deliveries through one store with a short history, one of twenty of which stays pending: the
 * store at the end beside one that has got the pending ones alone. The engine runs in this process,
 * and its endpoints answer at once. {@code -Dreprise.deliveries=N} sets how many.
 */
final class StoreSize implements Benchmark {
  private static final String DELIVERIES = "reprise.deliveries";
  private static final int MOST = 20_000_000;
  private static final int FEW = 200_000;
  private static final int OF_WHICH_ONE_WAITS = 20;
  private static final int BODY_BYTES = 512;
  private static final int UNDER_WAY = 4096;
  private static final long HISTORY_SECONDS = 60;

  /** A store that has not changed for so long is at rest. */
  private static final int STILL_SECONDS = 40;

  private static final JsonNode NO_ATTRIBUTES = JsonMapper.shared().createObjectNode();

  @Override
  public String name() {
    return "store-size";
  }

  @Override
  public String goal() {
    return ">=0.80,<=1.20";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int deliveries = Integer.getInteger(DELIVERIES, effort.choose(FEW, MOST));
    int pending = deliveries / OF_WHICH_ONE_WAITS;
    out.printf(
        "%-28s %14s %14s %12s %14s%n", "store", "delivered", "pending", "a second", "on disk");
    double all = size(out, effort, "all deliveries", deliveries - pending, pending);
    double alone = size(out, effort, "the pending ones alone", 0, pending);
    return Figures.ratio(all / alone);
  }

  private static double size(
      PrintStream out, Effort effort, String what, int delivered, int pending) throws Exception {
    Path data = Folders.create("store-size");
    try (DeliveryEngine engine = open(data)) {
      // A delivery of this topic waits for a day.
      engine.putTopic(
          "late",
          PolicyDocuments.readTopic(
              "{\"healthyRetryPolicy\":{\"numRetries\":3,\"numNoDelayRetries\":0,"
                  + "\"minDelayTarget\":3600,\"maxDelayTarget\":3600}}"));
      engine.putTopic("now", PolicyDocuments.readTopic("{}"));
      engine.subscribe("now", SubscriptionSettings.of("http://192.0.2.1/now"));
      engine.subscribe("late", SubscriptionSettings.of("http://192.0.2.1/late"));
      long began = System.nanoTime();
      publish(engine, delivered, pending);
      double seconds = (System.nanoTime() - began) / 1e9;
      long bytes = atRest(engine, effort, delivered > 0);
      out.printf(
          Locale.ROOT,
          "%-28s %14d %14d %12.0f %11.1f MB%n",
          what,
          engine.ledger().delivered(),
          engine.ledger().pending(),
          (delivered + pending) / seconds,
          bytes / 1e6);
      return bytes;
    } finally {
      Folders.delete(data);
    }
  }

  private static DeliveryEngine open(Path data) {
    EngineSettings usual = EngineSettings.in(data);
    ShardSettings shard = ShardSettings.DEFAULT.withHistory(Duration.ofSeconds(HISTORY_SECONDS));
    EngineSettings settings =
        new EngineSettings(data, usual.shards(), shard, usual.store(), Duration.ZERO);
    return DeliveryEngine.open(
        settings,
        catalog ->
            (claim, done) -> {
              boolean now = claim.subscription() == 1;
              done.accept(
                  new AttemptOutcome(
                      now ? null : HttpFailure.status(503, null),
                      now ? 204 : 503,
                      "",
                      "",
                      new byte[0],
                      1_000_000));
            });
  }

  private static void publish(DeliveryEngine engine, int delivered, int pending)
      throws InterruptedException {
    Semaphore room = new Semaphore(UNDER_WAY);
    SplittableRandom random = new SplittableRandom(1);
    int all = delivered + pending;
    for (int i = 0; i < all; i++) {
      boolean waits = delivered == 0 || i % OF_WHICH_ONE_WAITS == 0;
      room.acquire();
      CompletionStage<?> published =
          engine.publish(waits ? "late" : "now", payload(random), NO_ATTRIBUTES, null);
      published.whenComplete((receipt, error) -> room.release());
    }
    room.acquire(UNDER_WAY);
    while (engine.ledger().delivered() < delivered
        || engine.ledger().attempts() < delivered + pending) {
      Thread.sleep(50);
    }
  }

  /** Noise, which no table can make smaller. */
  private static Payload payload(SplittableRandom random) {
    byte[] body = new byte[BODY_BYTES];
    random.nextBytes(body);
    return new Payload("application/octet-stream", "{}".getBytes(StandardCharsets.US_ASCII), body);
  }

  /** Waits until history has gone and tables are merged; returns the bytes on disk. */
  private static long atRest(DeliveryEngine engine, Effort effort, boolean hasHistory)
      throws InterruptedException {
    if (hasHistory && effort == Effort.FULL) {
      Thread.sleep(HISTORY_SECONDS * 1000 + ShardSettings.DEFAULT.sweepIntervalMillis());
    }
    long bytes = engine.store().diskBytes();
    int still = 0;
    while (still < STILL_SECONDS) {
      Thread.sleep(1000);
      long now = engine.store().diskBytes();
      still = now == bytes ? still + 1 : 0;
      bytes = now;
    }
    return bytes;
  }
}
