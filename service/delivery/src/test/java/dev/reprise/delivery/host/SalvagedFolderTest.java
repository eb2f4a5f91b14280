package dev.reprise.delivery.host;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.engine.PublishReceipt;
import dev.reprise.delivery.salvage.SalvageLosses;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.fixtures.Await;
import dev.reprise.policy.PolicyDocuments;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Data folders with damaged files, of the real store, and the engine on what was salvaged. */
class SalvagedFolderTest {
  private static final int MESSAGES = 1200;

  /** The subscriptions, by what their endpoints do before the damage. */
  private enum Endpoint {
    TAKES,
    TAKES_HALF,
    FAILS,
    /** Its letters stay. */
    REFUSES,
    /** Its letters are purged. */
    PURGED
  }

  @TempDir Path temp;

  private final Map<Long, Endpoint> endpoints = new ConcurrentHashMap<>();

  /** The messages that each endpoint has taken. */
  private final Map<Endpoint, Set<String>> taken = new ConcurrentHashMap<>();

  private final Map<Endpoint, Subscription> subscriptions = new TreeMap<>();
  private volatile boolean allTake;

  private DeliveryEngine open(Path folder) {
    return DeliveryEngine.open(
        new EngineSettings(
            folder,
            2,
            ShardSettings.DEFAULT.withHoldAfter(0),
            new RocksSettings(8 << 20, 1 << 20, 4 << 20, 0),
            Duration.ZERO),
        catalog -> this::attempt);
  }

  private void attempt(Attempt claim, Consumer<AttemptOutcome> done) {
    Endpoint endpoint = endpoints.get(claim.subscription());
    String body = new String(PayloadRecord.decode(claim.payload()).body(), UTF_8).strip();
    boolean takes =
        switch (endpoint) {
          case TAKES -> true;
          case TAKES_HALF -> allTake || Integer.parseInt(body) % 2 == 0;
          default -> allTake;
        };
    if (takes) {
      taken.computeIfAbsent(endpoint, none -> ConcurrentHashMap.newKeySet()).add(body);
    }
    int status =
        takes ? 200 : endpoint == Endpoint.FAILS || endpoint == Endpoint.TAKES_HALF ? 503 : 404;
    done.accept(
        new AttemptOutcome(
            takes ? null : HttpFailure.status(status, null),
            status,
            "" + status,
            "192.0.2.1:80",
            new byte[0],
            1_000_000));
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(5, TimeUnit.MINUTES).join();
  }

  /** Publishes to all, and stops when every message was attempted and some letters are purged. */
  private void fill(Path folder) {
    endpoints.clear();
    taken.clear();
    subscriptions.clear();
    allTake = false;
    try (DeliveryEngine engine = open(folder)) {
      engine.putTopic(
          "orders",
          PolicyDocuments.readTopic(
              "{\"healthyRetryPolicy\":{\"numRetries\":100,\"minDelayTarget\":2,"
                  + "\"maxDelayTarget\":2,\"numMaxDelayRetries\":0}}"));
      for (Endpoint endpoint : Endpoint.values()) {
        Subscription made =
            engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + endpoint));
        endpoints.put(made.number(), endpoint);
        subscriptions.put(endpoint, made);
      }
      List<CompletableFuture<PublishReceipt>> receipts = new ArrayList<>();
      for (int i = 0; i < MESSAGES; i++) {
        // One in eight is too large to be in each delivery's own record.
        String body = i + " ".repeat(i % 8 == 0 ? 3000 : 400);
        Payload payload = new Payload("text/plain", new byte[0], body.getBytes(UTF_8));
        receipts.add(
            engine
                .publish("orders", payload, JsonMapper.shared().createObjectNode(), null)
                .toCompletableFuture());
      }
      receipts.forEach(SalvagedFolderTest::get);
      Await.until(
          "purged",
          engine::ledger,
          () -> ledger(engine, Endpoint.PURGED).deadLettered() == MESSAGES);
      Await.until(
          "refused",
          engine::ledger,
          () -> ledger(engine, Endpoint.REFUSES).deadLettered() == MESSAGES);
      Await.until(
          "delivered",
          engine::ledger,
          () -> ledger(engine, Endpoint.TAKES).delivered() == MESSAGES);
      Await.until(
          "half delivered",
          engine::ledger,
          () -> ledger(engine, Endpoint.TAKES_HALF).delivered() == MESSAGES / 2);
      purge(engine);
    }
  }

  private Ledger ledger(DeliveryEngine engine, Endpoint endpoint) {
    Subscription subscription = subscriptions.get(endpoint);
    return engine.reader(subscription).ledger(subscription.number());
  }

  private void purge(DeliveryEngine engine) {
    Subscription subscription = subscriptions.get(Endpoint.PURGED);
    Position from = null;
    do {
      SweepRequest part =
          new SweepRequest(DeadLetterFilter.ALL, engine.nowMillis() + 1000, from, MESSAGES, 0, 0);
      from = get(engine.backlog(subscription).purge(part)).next();
    } while (from != null);
    assertThat(ledger(engine, Endpoint.PURGED).deadLettered()).isZero();
  }

  private static List<Path> files(Path folder, String end) throws Exception {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
    }
  }

  private static void flip(Path file, long offset) throws Exception {
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      byte[] bytes = new byte[8];
      open.seek(offset);
      open.readFully(bytes);
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] ^= (byte) 0xff;
      }
      open.seek(offset);
      open.write(bytes);
    }
  }

  /** The names and contents of all files. */
  private static Map<String, String> contents(Path folder) throws Exception {
    Map<String, String> contents = new TreeMap<>();
    for (Path file : files(folder, "")) {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
      contents.put(file.toString(), HexFormat.of().formatHex(digest));
    }
    return contents;
  }

  private SalvagedFolder salvage(Path from, Path to) throws Exception {
    Map<String, String> before = contents(from);
    SalvagedFolder salvaged = SalvagedFolder.salvage(from, to, Set.of(), count -> {});
    assertThat(contents(from)).isEqualTo(before);
    return salvaged;
  }

  private SalvageLosses losses(SalvagedFolder salvaged, Endpoint endpoint) {
    return salvaged.losses().getOrDefault(subscriptions.get(endpoint).id(), SalvageLosses.NONE);
  }

  /**
   * Starts the engine, whose endpoints take everything now, and compares with what was accepted.
   */
  private void assertGoesOn(String why, Path folder, SalvagedFolder salvaged) {
    assertThat(salvaged.agrees()).as(why + salvaged).isTrue();
    Map<Endpoint, Set<String>> takenBefore = new TreeMap<>();
    taken.forEach((endpoint, bodies) -> takenBefore.put(endpoint, new HashSet<>(bodies)));
    allTake = true;
    try (DeliveryEngine engine = open(folder)) {
      for (String id : salvaged.held().keySet()) {
        get(engine.backlog(engine.catalog().subscription(id)).release());
      }
      Await.until("nothing is pending", engine::ledger, () -> engine.ledger().pending() == 0);
      assertThat(engine.ledger().unexplained()).as(why).isZero();
      for (Endpoint endpoint : Endpoint.values()) {
        Ledger ledger = ledger(engine, endpoint);
        long missing =
            MESSAGES
                - taken.getOrDefault(endpoint, Set.of()).size()
                - (endpoint == Endpoint.PURGED ? MESSAGES : ledger.deadLettered());
        SalvageLosses losses = losses(salvaged, endpoint);
        assertThat(missing)
            .as("%s, %s: %s, %s", why, endpoint, ledger, losses)
            .isLessThanOrEqualTo(losses.lost() + losses.mayBeLost());
      }
      if (!salvaged.lostWrites().isEmpty()) {
        // The purge itself may be lost.
        assertThat(salvaged.notes()).anyMatch(note -> note.contains("letters purged"));
        return;
      }
      assertThat(ledger(engine, Endpoint.PURGED).deadLettered())
          .as(why)
          .isLessThanOrEqualTo(losses(salvaged, Endpoint.PURGED).mayBePurged());
      assertThat(taken.getOrDefault(Endpoint.PURGED, Set.of()).size())
          .as(why + ": purged letters")
          .isLessThanOrEqualTo((int) losses(salvaged, Endpoint.PURGED).mayRepeat());
    }
  }

  @Test
  @Tag("slow")
  void whatIsInWholeBlocksIsDelivered() throws Exception {
    Path data = temp.resolve("data");
    fill(data);
    List<Path> tables = files(data, ".sst");
    Path table = tables.get(tables.size() / 2);
    flip(table, Files.size(table) / 2);

    SalvagedFolder salvaged = salvage(data, temp.resolve("new"));

    assertThat(salvaged.damages()).hasSize(1);
    assertThat(salvaged.damages().get(0).file()).isEqualTo(table.getFileName().toString());
    assertGoesOn("the middle of " + table, temp.resolve("new"), salvaged);
  }

  @Test
  @Tag("slow")
  void anyDamageCostsNoMoreThanIsSaid() throws Exception {
    long first = System.nanoTime();
    for (int run = 0; run < 6; run++) {
      long seed = first + run;
      System.out.println("seed " + seed);
      SplittableRandom random = new SplittableRandom(seed);
      Path data = temp.resolve("data-" + run);
      fill(data);
      List<Path> files = new ArrayList<>(files(data, ".sst"));
      files.addAll(files(data, ".log"));
      for (int i = 0; i <= run / 2; i++) {
        Path file = files.get(random.nextInt(files.size()));
        if (Files.size(file) > 8) {
          flip(file, random.nextLong(Files.size(file) - 8));
        }
      }
      Path made = temp.resolve("new-" + run);
      SalvagedFolder salvaged = salvage(data, made);
      assertGoesOn("seed " + seed, made, salvaged);
    }
  }

  @Test
  @Tag("slow")
  void subscriptionsWhoseSettingsAreLostAreHeld() throws Exception {
    Path data = temp.resolve("data");
    fill(data);
    // The catalog is in front of all deliveries: nothing of it but what is in logs stays readable.
    for (Path table : files(data, ".sst")) {
      flip(table, 10);
    }

    SalvagedFolder salvaged = salvage(data, temp.resolve("new"));

    assertThat(salvaged.agrees()).as("%s", salvaged).isTrue();
    assertThat(salvaged.held()).isNotEmpty();
    assertThatThrownBy(() -> open(data))
        .satisfies(error -> assertThat(StoreException.isDamage(error)).isTrue())
        .hasMessageContaining("./reprise salvage --data " + data);
    Set<Long> held = new HashSet<>();
    allTake = true;
    taken.clear();
    try (DeliveryEngine engine = open(temp.resolve("new"))) {
      assertThat(engine.catalog().subscriptions()).hasSize(5);
      for (String id : salvaged.held().keySet()) {
        long number = engine.catalog().subscription(id).number();
        held.add(number);
        Subscription each = engine.catalog().subscription(id);
        assertThat(engine.reader(each).held(number).suspension().reason()).startsWith("salvage: ");
      }
      Await.until(
          "nothing that is not held is pending",
          engine::ledger,
          () ->
              engine.catalog().subscriptions().stream()
                  .filter(each -> !held.contains(each.number()))
                  .allMatch(each -> engine.reader(each).ledger(each.number()).pending() == 0));
      held.forEach(number -> assertThat(taken).doesNotContainKey(endpoints.get(number)));
      for (String id : salvaged.held().keySet()) {
        get(engine.backlog(engine.catalog().subscription(id)).release());
      }
      Await.until("nothing is pending", engine::ledger, () -> engine.ledger().pending() == 0);
      assertThat(engine.ledger().unexplained()).isZero();
      Subscription next =
          engine.subscribe("salvaged", SubscriptionSettings.of("http://192.0.2.9/"));
      assertThat(next.number()).isGreaterThan(1000);
    }
  }

  @Test
  void aFolderInUseAndATargetThatExistsAreRefused() throws Exception {
    Path data = temp.resolve("data");
    try (DeliveryEngine engine = open(data)) {
      engine.addTopic("orders");
      assertThatThrownBy(() -> salvage(data, temp.resolve("new")))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("in use");
    }
    Files.createDirectory(temp.resolve("new"));
    assertThatThrownBy(() -> salvage(data, temp.resolve("new")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("exists");
    Path manifest =
        files(data, "").stream().filter(f -> f.toString().contains("MANIFEST")).findFirst().get();
    flip(manifest, 20);
    assertThatThrownBy(() -> salvage(data, temp.resolve("other")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the list of its tables and logs, is damaged");
    Files.writeString(data.resolve("reprise.format"), "999\n");
    assertThatThrownBy(() -> salvage(data, temp.resolve("other")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("newer version");
    assertThat(temp.resolve("other")).doesNotExist();
    assertThat(temp.resolve("other.unfinished")).doesNotExist();
  }
}
