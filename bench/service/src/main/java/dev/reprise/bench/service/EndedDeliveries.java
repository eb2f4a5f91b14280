package dev.reprise.bench.service;

import dev.reprise.bench.common.Benchmark;
import dev.reprise.bench.common.Effort;
import dev.reprise.bench.common.Figures;
import dev.reprise.bench.common.Folders;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.policy.PolicyDocuments;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A million deliveries of one subscription that waited long enough to be in tables, and then end:
 * how long a look from the beginning of its queue takes, over their remains, while they end, after
 * it and after a restart; beside nine suspended subscriptions with a hundred deliveries each. The
 * engine runs in this process, and its endpoints answer at once. {@code -Dreprise.deliveries=N}
 * sets how many; with {@code -Dreprise.hanging=true} the first attempt hangs until the others have
 * ended, so that its delivery stays at the front of the queue.
 */
final class EndedDeliveries implements Benchmark {
  private static final int MOST = 1_000_000;
  private static final int FEW = 50_000;
  private static final int NEIGHBOURS = 9;
  private static final int OF_NEIGHBOUR = 100;
  private static final int BODY_BYTES = 512;
  private static final int UNDER_WAY = 4096;
  private static final int PAGE = 32;
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);
  private static final JsonNode NO_ATTRIBUTES = JsonMapper.shared().createObjectNode();

  private static final String SLOW = "{\"throttlePolicy\":{\"maxReceivesPerSecond\":1}}";
  private static final String FAST = "{\"throttlePolicy\":{\"maxReceivesPerSecond\":100000}}";

  private final boolean hangs = Boolean.getBoolean("reprise.hanging");
  private final AtomicBoolean held = new AtomicBoolean();

  @Override
  public String name() {
    return "ended-deliveries";
  }

  @Override
  public String goal() {
    return "due<=100ms,neighbour<=10ms,restart<=100ms";
  }

  @Override
  public String run(Effort effort, PrintStream out) throws Exception {
    int deliveries = Integer.getInteger("reprise.deliveries", effort.choose(FEW, MOST));
    Path data = Folders.create("ended-deliveries");
    out.printf("%-34s %12s %12s %12s%n", "look at the first due", "first", "median", "longest");
    try {
      double[] ending;
      double[] beside;
      try (DeliveryEngine engine = open(data)) {
        engine.putTopic("all", PolicyDocuments.readTopic(SLOW));
        engine.putTopic("beside", PolicyDocuments.readTopic(SLOW));
        Subscription all = engine.subscribe("all", SubscriptionSettings.of("http://192.0.2.1/a"));
        List<Subscription> neighbours = new ArrayList<>();
        for (int i = 0; i < NEIGHBOURS; i++) {
          Subscription neighbour =
              engine.subscribe("beside", SubscriptionSettings.of("http://192.0.2.1/" + i));
          // Else its deliveries would have ended before those that it stands beside.
          engine
              .backlog(neighbour)
              .suspend("waits", Duration.ofDays(1), OF_NEIGHBOUR)
              .toCompletableFuture()
              .join();
          neighbours.add(neighbour);
        }
        publish(engine, "all", deliveries);
        publish(engine, "beside", OF_NEIGHBOUR);
        engine.putTopic("all", PolicyDocuments.readTopic(FAST));
        List<Double> looks = new ArrayList<>();
        List<Double> besides = new ArrayList<>();
        int next = 0;
        Pauses pauses = Pauses.every(BETWEEN_LOOKS);
        do {
          boolean unused = pauses.next();
          looks.add(look(engine, all));
          besides.add(look(engine, neighbours.get(next++ % NEIGHBOURS)));
        } while (delivered(engine, all) < deliveries - (hangs ? 1 : 0));
        ending = report(out, "while they end", looks);
        beside = report(out, "of a neighbour meanwhile", besides);
        report(out, "after they ended", looks(engine, all));
        report(out, "of a neighbour", looks(engine, neighbours.get(0)));
        out.printf(Locale.ROOT, "%-34s %9.1f MB%n", "on disk", engine.store().diskBytes() / 1e6);
      }
      double[] restarted;
      try (DeliveryEngine engine = open(data)) {
        Subscription all = only(engine);
        long began = System.nanoTime();
        long delivered = delivered(engine, all);
        publish(engine, "all", 1);
        while (delivered(engine, all) == delivered) {
          Thread.onSpinWait();
        }
        double first = (System.nanoTime() - began) / 1e6;
        out.printf(Locale.ROOT, "%-34s %9.3f ms%n", "restart: publish until delivered", first);
        restarted = report(out, "after a restart", looks(engine, all));
      }
      return String.format(
          Locale.ROOT,
          "due=%.1fms neighbour=%.1fms restart=%.1fms",
          ending[1],
          beside[1],
          restarted[1]);
    } finally {
      Folders.delete(data);
    }
  }

  private static Subscription only(DeliveryEngine engine) {
    return engine.catalog().subscriptions().stream()
        .filter(subscription -> subscription.topic().equals("all"))
        .findFirst()
        .orElseThrow();
  }

  /** Those of the neighbours do not count. */
  private static long delivered(DeliveryEngine engine, Subscription subscription) {
    return engine.readers(subscription).stream()
        .mapToLong(reader -> reader.ledger(subscription.number()).delivered())
        .sum();
  }

  private static List<Double> looks(DeliveryEngine engine, Subscription subscription)
      throws InterruptedException {
    List<Double> looks = new ArrayList<>();
    Pauses pauses = Pauses.every(BETWEEN_LOOKS);
    for (int i = 0; i < 100; i++) {
      looks.add(look(engine, subscription));
      boolean unused = pauses.next();
    }
    return looks;
  }

  /** Milliseconds that the first page of what is pending takes, without a place to begin at. */
  private static double look(DeliveryEngine engine, Subscription subscription) {
    long began = System.nanoTime();
    engine.reader(subscription).pending(subscription.number(), null, PAGE);
    return (System.nanoTime() - began) / 1e6;
  }

  private static double[] report(PrintStream out, String what, List<Double> looks) {
    double longest = looks.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    double median = Figures.median(looks.stream().mapToDouble(Double::doubleValue));
    out.printf(
        Locale.ROOT, "%-34s %9.3f ms %9.3f ms %9.3f ms%n", what, looks.get(0), median, longest);
    return new double[] {median, longest};
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
              if (!hangs || !held.compareAndSet(false, true)) {
                done.accept(new AttemptOutcome(null, 204, "", "", new byte[0], 0));
              }
            });
  }

  private static void publish(DeliveryEngine engine, String topic, int messages)
      throws InterruptedException {
    Semaphore room = new Semaphore(UNDER_WAY);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < messages; i++) {
      byte[] body = new byte[BODY_BYTES];
      random.nextBytes(body);
      Payload payload =
          new Payload("application/octet-stream", "{}".getBytes(StandardCharsets.US_ASCII), body);
      room.acquire();
      engine
          .publish(topic, payload, NO_ATTRIBUTES, null)
          .whenComplete((receipt, error) -> room.release());
    }
    room.acquire(UNDER_WAY);
  }
}
