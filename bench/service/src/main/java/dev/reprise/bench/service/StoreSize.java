package dev.reprise.bench.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Folders;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.engine.EngineSettings;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.policy.PolicyDocuments;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Twenty million deliveries pass through a node that keeps a history of a minute, beside a million
 * that wait all the time: the size of the store at the end, over the size with only those that
 * wait. Endpoints answer at once and without a network, which the store does not know.
 */
final class StoreSize implements Benchmark {
  private static final Duration HISTORY = Duration.ofMinutes(1);
  private static final int TOPICS = 64;
  private static final int PUBLISHING = 4_000;
  private static final int LOOKS = 10;
  private static final ObjectNode NO_ATTRIBUTES = JsonNodeFactory.instance.objectNode();

  @Override
  public String name() {
    return "store-size";
  }

  @Override
  public String goal() {
    return "ratio>=0.80,ratio<=1.20";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int waiting = effort.choose(20_000, 1_000_000);
    long passing = Long.getLong("store.size.deliveries", effort.choose(200_000, 20_000_000));
    Path data = Folders.create("store-size");
    EngineSettings settings =
        new EngineSettings(
            data,
            1,
            ShardSettings.DEFAULT.withHistory(HISTORY),
            RocksSettings.defaults(),
            Duration.ZERO);
    try (DeliveryEngine engine =
        DeliveryEngine.open(
            settings,
            catalog ->
                (claim, done) ->
                    done.accept(new AttemptOutcome(null, 204, "", "", new byte[0], 100_000)))) {
      engine.putTopic("waiting", PolicyDocuments.readTopic("{}"));
      Subscription held =
          engine.subscribe("waiting", SubscriptionSettings.of("http://192.0.2.1/hook"));
      engine
          .backlog(held)
          .suspend("", Duration.ofDays(1), waiting)
          .toCompletableFuture()
          .get(1, TimeUnit.MINUTES);
      for (int i = 0; i < TOPICS; i++) {
        engine.putTopic("t" + i, PolicyDocuments.readTopic("{}"));
        engine.subscribe("t" + i, SubscriptionSettings.of("http://192.0.2.1/hook"));
      }
      out.printf("%-14s %14s%n", "passed", "store");
      publish(engine, waiting, i -> "waiting");
      long alone = settled(data);
      report(out, 0, alone);
      long most = alone;
      for (int look = 1; look <= LOOKS; look++) {
        publish(engine, passing / LOOKS, i -> "t" + i % TOPICS);
        long now = Folders.bytes(data);
        most = Math.max(most, now);
        report(out, look * passing / LOOKS, now);
      }
      Thread.sleep(2 * HISTORY.toMillis());
      long end = settled(data);
      out.printf("%-14s %11.1f MB; at the most %.1f MB%n", "at the end", end / 1e6, most / 1e6);
      if (engine.ledger().pending() != waiting) {
        throw new IllegalStateException("pending: " + engine.ledger());
      }
      return String.format(Locale.ROOT, "ratio=%.2f passed=%d", (double) end / alone, passing);
    } finally {
      Folders.delete(data);
    }
  }

  private interface Topics {
    String of(long number);
  }

  private static void publish(DeliveryEngine engine, long messages, Topics topics)
      throws Exception {
    Semaphore free = new Semaphore(PUBLISHING);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    for (long i = 0; i < messages && failure.get() == null; i++) {
      free.acquire();
      Payload payload = new Payload("", new byte[0], Messages.body(i).getBytes(UTF_8));
      engine
          .publish(topics.of(i), payload, NO_ATTRIBUTES, null)
          .whenComplete(
              (receipt, error) -> {
                if (error != null) {
                  failure.set(error);
                }
                free.release();
              });
    }
    free.acquire(PUBLISHING);
    if (failure.get() != null) {
      throw new IllegalStateException("a publish was refused", failure.get());
    }
  }

  private static void report(PrintStream out, long passed, long bytes) {
    out.printf("%-14d %11.1f MB%n", passed, bytes / 1e6);
  }

  /** Waits until the store keeps its size for a while, and returns that. */
  private static long settled(Path data) throws InterruptedException {
    long last = -1;
    long now = Folders.bytes(data);
    while (now != last) {
      Thread.sleep(5_000);
      last = now;
      now = Folders.bytes(data);
    }
    return now;
  }
}
