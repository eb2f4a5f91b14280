package dev.reprise.delivery.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.IdempotencyConflictException;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.NoSubscriptionException;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.catalog.DeadLetters;
import dev.reprise.delivery.catalog.InvalidRequestException;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.host.DataFolder;
import dev.reprise.delivery.host.EngineClosedException;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.Store;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** The engine with its real store and threads; only the attempts are answered by the test. */
class DeliveryEngineTest {
  private static final JsonMapper JSON = JsonMapper.shared();
  private static final NotificationPolicy NO_RETRY = NotificationPolicy.of(Presets.get("no-retry"));

  /** An attempt that waits for the test's answer. */
  private record Started(Attempt claim, Consumer<AttemptOutcome> done) {
    void answer(int status) {
      done.accept(
          new AttemptOutcome(
              HttpFailure.isSuccess(status) ? null : HttpFailure.status(status, null),
              status,
              "" + status,
              "192.0.2.1:80",
              new byte[0],
              1_000_000));
    }
  }

  @TempDir Path folder;
  private final BlockingQueue<Started> started = new LinkedBlockingQueue<>();
  private DeliveryEngine engine;

  @BeforeEach
  void open() {
    open(false, System::currentTimeMillis);
  }

  private void open(boolean clockFromSystem, LongSupplier wallMillis) {
    EngineSettings settings =
        new EngineSettings(
            folder,
            3,
            ShardSettings.DEFAULT,
            RocksSettings.defaults().withReserveBytes(0),
            Duration.ZERO);
    engine =
        DeliveryEngine.started(DataFolder.open(settings, clockFromSystem, wallMillis), this::start);
  }

  private void start(Attempt claim, Consumer<AttemptOutcome> done) {
    byte[] body = PayloadRecord.decode(claim.payload()).body();
    if (new String(body, UTF_8).equals("poison")) {
      throw new IllegalStateException("cannot be sent");
    }
    started.add(new Started(claim, done));
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private void reopen() {
    engine.close();
    started.clear();
    open();
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
  }

  private Started nextStarted() throws InterruptedException {
    Started next = started.poll(300, TimeUnit.SECONDS);
    assertThat(next).as("an attempt within 60 s").isNotNull();
    return next;
  }

  private PublishReceipt publish(String topic, String body, String key) {
    return get(engine.publish(topic, payload(body), JSON.createObjectNode(), key));
  }

  private static Payload payload(String body) {
    return new Payload("text/plain", new byte[0], body.getBytes(UTF_8));
  }

  private Subscription subscribe(String topic) {
    return engine.subscribe(topic, SubscriptionSettings.of("http://192.0.2.1/hook"));
  }

  /** A question to the shard is answered after everything that was said to it before. */
  private void settle(Subscription subscription) {
    get(engine.backlog(subscription).health());
  }

  private StoredDelivery find(Subscription subscription, MessageId message) {
    settle(subscription);
    return engine.reader(subscription).find(subscription.number(), message);
  }

  @Test
  void deliversToEverySubscriptionAndCountsIt() throws Exception {
    engine.putTopic("orders", NO_RETRY);
    Subscription first = subscribe("orders");
    Subscription second = subscribe("orders");

    PublishReceipt receipt = publish("orders", "hello", null);

    assertThat(receipt.deliveries()).isEqualTo(2);
    nextStarted().answer(204);
    nextStarted().answer(204);
    assertThat(find(first, receipt.message()).state().status()).isEqualTo(Status.DELIVERED);
    assertThat(find(second, receipt.message()).state().status()).isEqualTo(Status.DELIVERED);
    assertThat(engine.ledger()).isEqualTo(new Ledger(2, 0, 2, 0, 0, 0, 0, 2));
  }

  @Test
  void whatWasInFlightIsAttemptedAgainAfterARestart() throws Exception {
    engine.putTopic("orders", NO_RETRY);
    Subscription subscription = subscribe("orders");
    MessageId message = publish("orders", "hello", null).message();
    nextStarted();

    reopen();

    Started again = nextStarted();
    assertThat(again.claim().message()).isEqualTo(message);
    assertThat(again.claim().attempt()).as("the first was never recorded").isEqualTo(1);
    again.answer(200);
    assertThat(find(subscription, message).state().status()).isEqualTo(Status.DELIVERED);
  }

  @Test
  void aRepeatedPublishWithAKeyMakesNoSecondDelivery() throws Exception {
    engine.putTopic("orders", NO_RETRY);
    subscribe("orders");
    subscribe("orders");
    subscribe("orders");
    PublishReceipt once = publish("orders", "hello", "key-1");
    PublishReceipt twice = publish("orders", "hello", "key-1");
    reopen();
    PublishReceipt thrice = publish("orders", "hello", "key-1");

    assertThat(once.repeated()).isFalse();
    assertThat(twice).isEqualTo(new PublishReceipt(once.message(), 3, true));
    assertThat(thrice).isEqualTo(twice);
    assertThat(engine.ledger().accepted()).isEqualTo(3);
    assertThatThrownBy(() -> publish("orders", "something else", "key-1"))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(IdempotencyConflictException.class)
        .hasMessageContaining(once.message().toString());
  }

  @Test
  void aRepeatedPublishTellsTheDeliveriesThatThereAre() throws Exception {
    engine.putTopic("orders", NO_RETRY);
    PublishReceipt toNobody = publish("orders", "hello", "key-0");
    subscribe("orders");
    PublishReceipt toOne = publish("orders", "hello", "key-1");
    subscribe("orders");
    subscribe("orders");

    assertThat(toNobody).isEqualTo(new PublishReceipt(toNobody.message(), 0, false));
    assertThat(publish("orders", "hello", "key-0"))
        .isEqualTo(new PublishReceipt(toNobody.message(), 0, true));
    assertThat(publish("orders", "hello", "key-1"))
        .isEqualTo(new PublishReceipt(toOne.message(), 1, true));
    reopen();
    assertThat(publish("orders", "hello", "key-1"))
        .isEqualTo(new PublishReceipt(toOne.message(), 1, true));
    assertThat(engine.ledger().accepted()).isEqualTo(1);
  }

  /** Of 1,024 shards, those without a subscription for a message store nothing of its key. */
  @Test
  void aKeyIsKnownOnlyWhereItsMessageWent() {
    engine.putTopic("orders", NO_RETRY);
    subscribe("orders");
    publish("orders", "hello", "key-1");

    int records = 0;
    for (int shard = 0; shard < 3; shard++) {
      try (Store.Cursor cursor =
          engine.store().view(1 + shard).range(new byte[] {'I'}, new byte[] {'J' + 1})) {
        while (cursor.next()) {
          records++;
        }
      }
    }
    assertThat(records).as("the key, and the message that one shard has accepted").isEqualTo(2);
  }

  @Test
  void aFolderMayHaveManyShards() throws Exception {
    engine.close();
    EngineSettings many =
        new EngineSettings(
            folder.resolve("many"),
            EngineSettings.MAX_SHARDS,
            ShardSettings.DEFAULT,
            RocksSettings.defaults().withReserveBytes(0),
            Duration.ZERO);
    engine = DeliveryEngine.open(many, catalog -> this::start);
    engine.putTopic("orders", NO_RETRY);
    subscribe("orders");
    subscribe("orders");
    assertThat(publish("orders", "hello", "key-1").deliveries()).isEqualTo(2);
    nextStarted().answer(200);
    nextStarted().answer(200);
    engine.close();

    EngineSettings asStored =
        new EngineSettings(many.folder(), 1, many.shard(), many.store(), many.grace());
    engine = DeliveryEngine.open(asStored, catalog -> this::start);

    assertThat(engine.shardCount()).isEqualTo(1024);
    PublishReceipt again = publish("orders", "hello", "key-1");
    assertThat(again.repeated()).isTrue();
    assertThat(again.deliveries()).isEqualTo(2);
    assertThat(engine.ledger().accepted()).isEqualTo(2);
  }

  @Test
  void filtersChooseByAttributes() {
    engine.putTopic("orders", NO_RETRY);
    String wanted = ",\"filter\":{\"type\":[\"order.created\"]}}";
    engine.subscribe("orders", read("{\"endpoint\":\"http://192.0.2.1/hook\"" + wanted, null));

    assertThat(get(engine.publish("orders", payload("x"), JSON.readTree("{}"), null)).deliveries())
        .isZero();
    assertThat(
            get(engine.publish(
                    "orders", payload("x"), JSON.readTree("{\"type\":\"order.created\"}"), null))
                .deliveries())
        .isEqualTo(1);
  }

  @Test
  void deadLettersSurviveARestartAndCanBeRedriven() throws Exception {
    engine.putTopic("orders", NO_RETRY);
    Subscription subscription = subscribe("orders");
    MessageId message = publish("orders", "x".repeat(5000), null).message();
    nextStarted().answer(500);
    assertThat(find(subscription, message).state().status()).isEqualTo(Status.DEAD_LETTERED);

    reopen();
    int changed =
        get(engine
                .backlog(subscription)
                .redrive(
                    new SweepRequest(
                        DeadLetterFilter.ALL, engine.nowMillis() + 1, null, 100, 0, 0)))
            .changed();

    assertThat(changed).isEqualTo(1);
    Started again = nextStarted();
    assertThat(again.claim().attempt()).isEqualTo(2);
    again.answer(200);
    StoredDelivery delivered = find(subscription, message);
    assertThat(delivered.state().status()).isEqualTo(Status.DELIVERED);
    assertThat(delivered.history()).hasSize(3);
    assertThat(engine.ledger()).isEqualTo(new Ledger(1, 0, 1, 0, 0, 0, 0, 2));
  }

  @Test
  void aRemovedSubscriptionsDeliveriesAreCountedAsDiscarded() throws Exception {
    engine.putTopic("orders", NO_RETRY);
    Subscription subscription = subscribe("orders");
    publish("orders", "hello", null);
    Started inFlight = nextStarted();

    engine.unsubscribe(subscription.id());
    inFlight.answer(200);
    reopen();

    // A shard goes on with removals before it answers its first question.
    assertThatThrownBy(() -> settle(subscription))
        .hasCauseInstanceOf(NoSubscriptionException.class);
    assertThat(engine.ledger()).isEqualTo(new Ledger(1, 0, 0, 0, 1, 0, 0, 0));
    assertThatThrownBy(() -> engine.catalog().subscription(subscription.id()))
        .isInstanceOf(NotFoundException.class)
        .hasMessage("there is no subscription 'orders-1'");
    engine.deleteTopic("orders");
    assertThatThrownBy(() -> publish("orders", "hello", null))
        .isInstanceOf(NotFoundException.class)
        .hasMessage("there is no topic 'orders'");
  }

  @Test
  void aTopicWithSubscriptionsIsNotDeleted() {
    engine.putTopic("orders", NO_RETRY);
    subscribe("orders");
    assertThatThrownBy(() -> engine.deleteTopic("orders"))
        .isInstanceOf(ConflictException.class)
        .hasMessageContaining("1 subscription");
  }

  @Test
  void aTopicsNameIsChecked() {
    assertThatThrownBy(() -> engine.putTopic("no spaces", NO_RETRY))
        .isInstanceOf(InvalidRequestException.class)
        .hasMessage("topic is no spaces: must be 1 to 256 letters (A-Z, a-z), digits and - _ + .");
  }

  @Test
  void aMessageThatCannotBeSentDoesNotStopTheOthers() throws Exception {
    engine.putTopic("orders", NO_RETRY);
    Subscription subscription = subscribe("orders");
    MessageId poison = publish("orders", "poison", null).message();
    MessageId good = publish("orders", "good", null).message();
    nextStarted().answer(200);

    assertThat(find(subscription, good).state().status()).isEqualTo(Status.DELIVERED);
    StoredDelivery dead = find(subscription, poison);
    assertThat(dead.state().status()).isEqualTo(Status.DEAD_LETTERED);
    assertThat(dead.last()).contains("internal error").contains("cannot be sent");
    assertThat(engine.fault()).isNull();
  }

  @Test
  void twoChangesOfOneSubscriptionBothHold() {
    engine.putTopic("orders", NO_RETRY);
    Subscription subscription = subscribe("orders");
    engine.changeSubscription(
        subscription.id(), settings -> read("{\"maxInFlight\": 3}", settings));
    engine.changeSubscription(
        subscription.id(), settings -> read("{\"deadLetters\": \"discard\"}", settings));

    SubscriptionSettings now = engine.catalog().subscription(subscription.id()).settings();
    assertThat(now.maxInFlight()).isEqualTo(3);
    assertThat(now.deadLetters()).isEqualTo(DeadLetters.DISCARD);
    assertThat(engine.catalog().topic("orders").subscriptions()).hasSize(1);
  }

  private static SubscriptionSettings read(String document, SubscriptionSettings base) {
    return CatalogDocuments.readSettings(JSON.readTree(document), base, SecretKeys.NONE);
  }

  @Test
  void closingWaitsForAttemptsUnderWay() throws Exception {
    engine.close();
    EngineSettings patient =
        new EngineSettings(
            folder,
            1,
            ShardSettings.DEFAULT,
            RocksSettings.defaults().withReserveBytes(0),
            Duration.ofSeconds(60));
    engine = DeliveryEngine.open(patient, catalog -> this::start);
    engine.putTopic("orders", NO_RETRY);
    Subscription subscription = subscribe("orders");
    MessageId message = publish("orders", "hello", null).message();
    Started inFlight = nextStarted();
    Thread closing = new Thread(engine::close);
    closing.start();
    inFlight.answer(200);
    closing.join();
    assertThatThrownBy(() -> publish("orders", "hello", null))
        .isInstanceOf(EngineClosedException.class);

    open();

    assertThat(find(subscription, message).state().status()).isEqualTo(Status.DELIVERED);
  }

  @Test
  void closingWaitsForAllShardsAtOnce() throws Exception {
    engine.close();
    EngineSettings patient =
        new EngineSettings(
            folder,
            3,
            ShardSettings.DEFAULT,
            RocksSettings.defaults().withReserveBytes(0),
            Duration.ofSeconds(60));
    Map<Long, Thread> threads = new ConcurrentHashMap<>();
    CountDownLatch allThere = new CountDownLatch(3);
    CountDownLatch goOn = new CountDownLatch(1);
    engine =
        DeliveryEngine.open(
            patient,
            catalog ->
                (claim, done) -> {
                  threads.put(claim.subscription(), Thread.currentThread());
                  allThere.countDown();
                  await(goOn);
                  start(claim, done);
                });
    engine.putTopic("orders", NO_RETRY);
    List<Subscription> subscriptions =
        List.of(subscribe("orders"), subscribe("orders"), subscribe("orders"));
    var published = engine.publish("orders", payload("hello"), JSON.createObjectNode(), null);
    assertThat(allThere.await(300, TimeUnit.SECONDS)).isTrue();
    assertThat(Set.copyOf(threads.values())).hasSize(3);

    // The shard that is told first is busy until the others have ended.
    Subscription first =
        subscriptions.stream().filter(each -> each.number() % 3 == 0).findFirst().orElseThrow();
    Thread busy = threads.remove(first.number());
    CompletionStage<Boolean> othersEnded =
        engine
            .backlog(first)
            .health()
            .thenApply(health -> Thread.currentThread() == busy && haveEnded(threads.values()));
    goOn.countDown();
    for (int i = 0; i < 3; i++) {
      nextStarted().answer(200);
    }
    get(published);
    engine.close();

    assertThat(get(othersEnded)).isTrue();
  }

  /** Whether the threads end within half of the grace. */
  private static boolean haveEnded(Collection<Thread> threads) {
    try {
      for (Thread thread : threads) {
        thread.join(30_000);
        if (thread.isAlive()) {
          return false;
        }
      }
      return true;
    } catch (InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  // --- what a start finds ------------------------------------------------------------------

  @Test
  void aTableDamagedInItsFirstBlocksIsRefusedWithWhatToDo() throws Exception {
    engine.putTopic("orders", NO_RETRY);
    for (int i = 0; i < 50; i++) {
      subscribe("orders");
    }
    engine.close();
    open(); // What was in the log is in a table now.
    engine.close();
    Path table;
    try (Stream<Path> files = Files.list(folder)) {
      table =
          files
              .filter(file -> file.toString().endsWith(".sst"))
              .max(Comparator.comparing(file -> file.toFile().length()))
              .orElseThrow();
    }
    byte[] whole = Files.readAllBytes(table);
    byte[] damaged = whole.clone();
    damaged[20] ^= 0x55;
    Files.write(table, damaged);

    assertThatThrownBy(this::open)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("data folder " + folder + " is damaged, in " + table + ": ")
        .hasMessageContaining("Restore the folder from a backup");
    Files.write(table, whole);
    open();
    assertThat(engine.catalog().topic("orders").subscriptions()).hasSize(50);
  }

  @Test
  void aStartWithTheClockTenYearsAheadCanBeTakenBack() throws Exception {
    long wrong = System.currentTimeMillis() + Duration.ofDays(3650).toMillis();
    engine.close();
    open(false, () -> wrong);
    engine.putTopic("orders", NotificationPolicy.of(Presets.get("notification-http")));
    Subscription subscription = subscribe("orders");
    MessageId waiting = publish("orders", "waiting", null).message();
    nextStarted().answer(204);
    MessageId later = publish("orders", "later", null).message();
    nextStarted().answer(503);
    settle(subscription);
    engine.close();

    // Without being told so, time does not run backwards.
    open();
    assertThat(engine.nowMillis()).isGreaterThanOrEqualTo(wrong);
    engine.close();
    started.clear();

    open(true, System::currentTimeMillis);
    assertThat(engine.nowMillis()).isLessThan(wrong - Duration.ofDays(3600).toMillis());
    Started again = nextStarted();
    assertThat(again.claim().message()).isEqualTo(later);
    again.answer(204);
    MessageId fresh = publish("orders", "fresh", null).message();
    Started first = nextStarted();
    assertThat(first.claim().message()).isEqualTo(fresh);
    first.answer(204);
    assertThat(find(subscription, fresh).state().status()).isEqualTo(Status.DELIVERED);
    assertThat(find(subscription, waiting).state().status()).isEqualTo(Status.DELIVERED);
    assertThat(engine.ledger().unexplained()).isZero();

    reopen();
    assertThat(engine.nowMillis()).isLessThan(wrong - Duration.ofDays(3600).toMillis());
  }
}
