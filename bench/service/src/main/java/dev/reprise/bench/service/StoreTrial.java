package dev.reprise.bench.service;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.policy.PolicyDocuments;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One store through all that it does, on the disk and under the limits that the caller has chosen:
 * messages to one subscription that takes them and nine whose deliveries wait, a copy, and a
 * restart. Counts what was accepted and is not there afterwards. {@code -Dreprise.data=FOLDER} is
 * the folder, which must not be there; {@code -Dreprise.deliveries=N} sets how many; {@code
 * -Dreprise.seconds=N} ends the publishing before.
 */
final class StoreTrial implements Benchmark {
  private static final int MOST = 100_000;
  private static final int FEW = 10_000;
  private static final int BODY_BYTES = 512;
  private static final int UNDER_WAY = 256;

  /** Of each pair of messages so many deliveries wait, and one is taken. */
  private static final int WAITING = 9;

  private static final JsonNode NO_ATTRIBUTES = JsonMapper.shared().createObjectNode();
  private static final String SLOW = "{\"throttlePolicy\":{\"maxReceivesPerSecond\":1}}";
  private static final int AUDITS = 100;
  private static final Duration RETRY = Duration.ofMillis(50);

  private final AtomicLong delivered = new AtomicLong();
  private final AtomicLong lastDeliveredNanos = new AtomicLong();
  private final AtomicLong longestPauseNanos = new AtomicLong();

  @Override
  public String name() {
    return "store-trial";
  }

  @Override
  public String goal() {
    return "lost<=0";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int messages =
        Integer.getInteger("reprise.deliveries", effort.choose(FEW, MOST)) / (1 + WAITING);
    String folder = System.getProperty("reprise.data");
    Path data = folder == null ? Folders.create("store-trial") : Path.of(folder);
    try {
      Published published;
      try (DeliveryEngine engine = open(data)) {
        engine.putTopic("takes", PolicyDocuments.readTopic("{}"));
        engine.putTopic("waits", PolicyDocuments.readTopic(SLOW));
        engine.subscribe("takes", SubscriptionSettings.of("http://192.0.2.1/takes"));
        for (int i = 0; i < WAITING; i++) {
          engine.subscribe("waits", SubscriptionSettings.of("http://192.0.2.1/waits" + i));
        }
        published = new Published(engine);
        published.publish(messages);
        published.report(out);
        line(out, "taken", delivered.get() + "");
        line(out, "longest without one taken", Figures.millis((double) longestPauseNanos.get()));
        reportHandles(out, data);
        long began = System.nanoTime();
        line(
            out,
            "copy",
            copy(engine) + ", " + Figures.millis((double) (System.nanoTime() - began)));
      }
      long began = System.nanoTime();
      long lost;
      try (DeliveryEngine engine = open(data)) {
        line(out, "restart", Figures.millis((double) (System.nanoTime() - began)));
        boolean agrees = true;
        for (DeliveryReader reader : engine.readers()) {
          agrees &= agrees(reader);
        }
        reportHandles(out, data);
        // A publish that failed in a way that leaves open whether it was accepted may be there.
        lost = Math.max(0, published.accepted.get() - engine.ledger().accepted());
        lost += agrees ? 0 : 1;
      }
      return String.format(
          Locale.ROOT,
          "lost=%d accepted=%d refused=%d",
          lost,
          published.accepted.get(),
          published.refused());
    } finally {
      Folders.delete(data);
    }
  }

  /** The store may be reopened meanwhile, and its cursors are lost then. */
  private static boolean agrees(DeliveryReader reader) {
    for (int tries = 0; ; tries++) {
      try {
        return reader.audit().agrees();
      } catch (StoreException e) {
        if (tries == AUDITS) {
          throw e;
        }
      }
    }
  }

  private static String copy(DeliveryEngine engine) {
    try {
      Path copy = engine.store().copy();
      long bytes = Folders.bytes(copy);
      engine.store().deleteCopy();
      return mb(bytes);
    } catch (RuntimeException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private DeliveryEngine open(Path data) {
    EngineSettings usual = EngineSettings.in(data);
    EngineSettings settings =
        new EngineSettings(
            data, usual.shards(), ShardSettings.DEFAULT, usual.store(), Duration.ZERO);
    return DeliveryEngine.open(
        settings,
        catalog ->
            (claim, done) -> {
              delivered.incrementAndGet();
              long now = System.nanoTime();
              long last = lastDeliveredNanos.getAndSet(now);
              if (last != 0) {
                longestPauseNanos.accumulateAndGet(now - last, Math::max);
              }
              done.accept(new AttemptOutcome(null, 204, "", "", new byte[0], 0));
            });
  }

  /** The messages of a trial, and what became of publishing them. */
  private static final class Published {
    private final DeliveryEngine engine;
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong longestNanos = new AtomicLong();
    private final AtomicLong millis = new AtomicLong();
    private final Map<String, Integer> refusals = new TreeMap<>();

    Published(DeliveryEngine engine) {
      this.engine = engine;
    }

    void publish(int messages) throws InterruptedException {
      long began = System.nanoTime();
      long most = Duration.ofSeconds(Integer.getInteger("reprise.seconds", 86_400)).toNanos();
      Semaphore room = new Semaphore(UNDER_WAY);
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < 2 * messages && System.nanoTime() - began < most; i++) {
        byte[] body = new byte[BODY_BYTES];
        random.nextBytes(body);
        Payload payload =
            new Payload("application/octet-stream", "{}".getBytes(StandardCharsets.US_ASCII), body);
        room.acquire();
        long sent = System.nanoTime();
        boolean waits = i % 2 != 0;
        try {
          engine
              .publish(waits ? "waits" : "takes", payload, NO_ATTRIBUTES, null)
              .whenComplete(
                  (receipt, error) -> {
                    longestNanos.accumulateAndGet(System.nanoTime() - sent, Math::max);
                    ended(error, waits ? WAITING : 1);
                    room.release();
                  });
        } catch (RuntimeException e) {
          ended(e, 0);
          room.release();
          // A publisher that is refused does not come again at once.
          Thread.sleep(RETRY.toMillis());
        }
      }
      room.acquire(UNDER_WAY);
      millis.set(Duration.ofNanos(System.nanoTime() - began).toMillis());
    }

    private void ended(@Nullable Throwable error, int deliveries) {
      if (error == null) {
        accepted.addAndGet(deliveries);
        return;
      }
      Throwable cause =
          error instanceof CompletionException && error.getCause() != null
              ? error.getCause()
              : error;
      String reason = cause.getClass().getSimpleName() + ": " + cause.getMessage();
      synchronized (refusals) {
        refusals.merge(reason.replaceAll("[0-9]{3,}", "N"), 1, Integer::sum);
      }
    }

    int refused() {
      synchronized (refusals) {
        return refusals.values().stream().mapToInt(Integer::intValue).sum();
      }
    }

    void report(PrintStream out) {
      long perSecond = accepted.get() * 1000 / Math.max(1, millis.get());
      line(out, "accepted", accepted.get() + " deliveries, " + perSecond + "/s");
      line(out, "longest publish", Figures.millis((double) longestNanos.get()));
      synchronized (refusals) {
        refusals.forEach((reason, times) -> line(out, "refused", times + " x " + reason));
      }
    }
  }

  private static void reportHandles(PrintStream out, Path data) throws IOException {
    long tables;
    try (Stream<Path> files = Files.list(data)) {
      tables = files.filter(file -> file.toString().endsWith(".sst")).count();
    }
    long open = 0;
    String folder = data.toRealPath() + "/";
    try (Stream<Path> handles = Files.list(Path.of("/proc/self/fd"))) {
      for (Path handle : handles.toList()) {
        open += leadsTo(handle, folder) ? 1 : 0;
      }
    }
    long most =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount()
            : 0;
    line(out, "handles of the store", open + " of " + most + ", " + tables + " tables");
    line(out, "on disk", mb(Folders.bytes(data)));
  }

  private static boolean leadsTo(Path handle, String folder) throws IOException {
    try {
      return Files.readSymbolicLink(handle).toString().startsWith(folder);
    } catch (NoSuchFileException e) {
      // The one by which the others are listed.
      return false;
    }
  }

  private static String mb(long bytes) {
    return bytes / 1_000_000 + " MB";
  }

  private static void line(PrintStream out, String what, String seen) {
    out.printf(Locale.ROOT, "%-28s %s%n", what, seen);
  }
}
