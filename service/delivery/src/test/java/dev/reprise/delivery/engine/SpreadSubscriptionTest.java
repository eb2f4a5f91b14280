package dev.reprise.delivery.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.EndpointStanding;
import dev.reprise.delivery.HeldDeliveries;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.SuspensionChange;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.host.DataFolder;
import dev.reprise.delivery.host.DeliveryListener;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.fixtures.Await;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import dev.reprise.policy.ThrottlePolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** A subscription over four of eight shards, with the real store and threads of the engine. */
class SpreadSubscriptionTest {
  private static final NotificationPolicy NO_RETRY = NotificationPolicy.of(Presets.get("no-retry"));
  private static final SubscriptionSettings SPREAD =
      SubscriptionSettings.of("http://192.0.2.1/hook").withShards(4);

  @TempDir Path folder;
  private DeliveryEngine engine;

  /** How often each message was attempted. */
  private final Map<MessageId, Integer> attempts = new ConcurrentHashMap<>();

  /** Attempts that nobody has answered. */
  private final Queue<Consumer<AttemptOutcome>> hanging = new ConcurrentLinkedQueue<>();

  private final Queue<SuspensionChange> changes = new ConcurrentLinkedQueue<>();

  /** The status that the endpoint answers with; 0 for none. */
  private volatile int status = 200;

  @BeforeEach
  void open() {
    EngineSettings settings =
        new EngineSettings(
            folder,
            8,
            ShardSettings.DEFAULT.withHoldAfter(0),
            RocksSettings.defaults().withReserveBytes(0).withoutSync(),
            Duration.ZERO);
    engine =
        new DeliveryEngine(
            DataFolder.open(settings, false),
            this::attempt,
            new DeliveryListener() {
              @Override
              public void suspensionChanged(SuspensionChange change) {
                changes.add(change);
              }
            });
    engine.start();
  }

  private void attempt(Attempt claim, Consumer<AttemptOutcome> done) {
    attempts.merge(claim.message(), 1, Integer::sum);
    int answer = status;
    if (answer == 0) {
      hanging.add(done);
    } else {
      done.accept(outcome(answer));
    }
  }

  private static AttemptOutcome outcome(int status) {
    return new AttemptOutcome(
        HttpFailure.isSuccess(status) ? null : HttpFailure.status(status, null),
        status,
        "" + status,
        "192.0.2.1:80",
        new byte[0],
        1_000_000);
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
  }

  private PublishReceipt publish(String body, @Nullable String key) {
    Payload payload = new Payload("text/plain", new byte[0], body.getBytes(UTF_8));
    return get(engine.publish("orders", payload, JsonMapper.shared().createObjectNode(), key));
  }

  private Set<MessageId> publish(int messages) {
    List<CompletableFuture<PublishReceipt>> receipts = new ArrayList<>();
    for (int i = 0; i < messages; i++) {
      Payload payload = new Payload("text/plain", new byte[0], ("m" + i).getBytes(UTF_8));
      receipts.add(
          engine
              .publish("orders", payload, JsonMapper.shared().createObjectNode(), null)
              .toCompletableFuture());
      if (i % 500 == 499) {
        get(receipts.get(i));
      }
    }
    Set<MessageId> messagesOf = new HashSet<>();
    receipts.forEach(receipt -> messagesOf.add(get(receipt).message()));
    assertThat(messagesOf).hasSize(messages);
    return messagesOf;
  }

  private Subscription subscribe(SubscriptionSettings settings) {
    engine.putTopic("orders", NO_RETRY);
    return engine.subscribe("orders", settings);
  }

  private Ledger ledger(Subscription subscription) {
    Ledger ledger = engine.reader(subscription).ledger(subscription.number());
    assertThat(ledger.unexplained()).isZero();
    return ledger;
  }

  private void suspend(Subscription subscription, long maxHeld) {
    get(engine.backlog(subscription).suspend("", Duration.ofDays(1), maxHeld));
  }

  private SweepRequest sweep(@Nullable Position from, int limit) {
    return new SweepRequest(DeadLetterFilter.ALL, engine.nowMillis() + 1000, from, limit, 0, 0);
  }

  /** Walks to the end; no part looks at more than {@code limit}. */
  private static int walk(
      int limit, Function<@Nullable Position, CompletionStage<SweepProgress>> part) {
    int changed = 0;
    Position next = null;
    do {
      SweepProgress progress = get(part.apply(next));
      assertThat(progress.seen()).isLessThanOrEqualTo(limit);
      changed += progress.changed();
      next = progress.next();
    } while (next != null);
    return changed;
  }

  private Subscription withDeadLetters(int messages) {
    Subscription subscription = subscribe(SPREAD);
    status = 400;
    publish(messages);
    Await.until("dead letters", () -> ledger(subscription).deadLettered() == messages);
    return subscription;
  }

  // --- delivery ----------------------------------------------------------------------------

  @Test
  void each_of_its_shards_delivers_a_part() {
    Subscription subscription = subscribe(SPREAD);
    Set<MessageId> published = publish(400);
    Await.until("deliveries", () -> ledger(subscription).delivered() == 400);
    assertThat(attempts).containsOnlyKeys(published).allSatisfy((m, n) -> assertThat(n).isOne());

    List<DeliveryReader> parts = engine.readers(subscription);
    assertThat(parts).hasSize(4).doesNotHaveDuplicates();
    for (DeliveryReader part : parts) {
      assertThat(part.ledger(subscription.number()).delivered()).isBetween(20L, 200L);
    }
    assertThat(engine.readers())
        .filteredOn(reader -> reader.ledgers().containsKey(subscription.number()))
        .hasSize(4);
    for (MessageId message : published) {
      assertThat(engine.reader(subscription).find(subscription.number(), message))
          .extracting(found -> found.state().status())
          .isEqualTo(Status.DELIVERED);
    }
  }

  @Test
  void limits_are_divided_among_its_shards() {
    status = 0;
    Subscription subscription =
        subscribe(
            with(
                new NotificationPolicy(null, new ThrottlePolicy(10), false),
                6,
                null,
                false,
                false));
    publish(200);
    Await.until("all places", () -> attempts.size() == 6);
    assertThat(get(engine.backlog(subscription).health()).maxInFlight()).isEqualTo(6);
    assertThat(get(engine.backlog(subscription).health()).messages()).hasSize(6);
  }

  @Test
  void what_was_in_flight_is_attempted_again_after_a_restart() {
    status = 0;
    Subscription subscription = subscribe(SPREAD);
    Set<MessageId> published = publish(200);
    Await.until("attempts", () -> !hanging.isEmpty());
    engine.close();
    status = 200;
    open();
    Await.until("deliveries", () -> ledger(subscription).delivered() == 200);
    assertThat(attempts).containsOnlyKeys(published);
    assertThat(engine.readers()).allSatisfy(reader -> assertThat(reader.audit().agrees()).isTrue());
  }

  @Test
  void a_repeated_publish_finds_the_shard_of_the_first() {
    Subscription subscription = subscribe(SPREAD);
    Subscription single = engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.2/"));
    for (int i = 0; i < 40; i++) {
      PublishReceipt first = publish("m" + i, "key " + i);
      PublishReceipt second = publish("m" + i, "key " + i);
      assertThat(first.deliveries()).isEqualTo(2);
      assertThat(first.repeated()).isFalse();
      assertThat(second).isEqualTo(new PublishReceipt(first.message(), 2, true));
    }
    Await.until("deliveries", () -> ledger(subscription).delivered() == 40);
    Await.until("deliveries", () -> ledger(single).delivered() == 40);
    assertThat(ledger(subscription).accepted()).isEqualTo(40);
    assertThat(ledger(single).accepted()).isEqualTo(40);
  }

  @Test
  void it_fails_until_one_of_its_shards_has_a_success() {
    Subscription subscription = withDeadLetters(100);
    EndpointStanding failing = standing(subscription);
    assertThat(failing.failingSinceMillis()).isBetween(1L, failing.last().atMillis());
    assertThat(failing.lastSuccessMillis()).isZero();

    // A later millisecond, whatever the machine does.
    Await.until("a later time", () -> engine.nowMillis() > failing.last().atMillis() + 1);
    status = 200;
    publish(1);
    Await.until("a delivery", () -> ledger(subscription).delivered() == 1);
    assertThat(standing(subscription))
        .returns(false, EndpointStanding::isFailing)
        .matches(s -> s.lastSuccessMillis() > failing.last().atMillis())
        .matches(s -> s.lastSuccessMillis() == s.last().atMillis());
  }

  private EndpointStanding standing(Subscription subscription) {
    DeliveryReader reader = engine.reader(subscription);
    EndpointStanding standing = reader.figures(subscription.number()).standing();
    assertThat(reader.figures().get(subscription.number()).standing()).isEqualTo(standing);
    return standing;
  }

  // --- operations --------------------------------------------------------------------------

  @Test
  void it_is_suspended_and_released_as_a_whole() {
    Subscription subscription = subscribe(SPREAD);
    Suspension suspension =
        get(engine.backlog(subscription).suspend("tired", Duration.ofDays(1), 1001));
    assertThat(suspension.maxHeld()).isEqualTo(1001);
    publish(100);
    HeldDeliveries held = engine.reader(subscription).held(subscription.number());
    assertThat(held.deliveries()).isEqualTo(100);
    assertThat(held.suspension()).isEqualTo(suspension);
    assertThat(attempts).isEmpty();

    assertThat(get(engine.backlog(subscription).release())).isTrue();
    Await.until("deliveries", () -> ledger(subscription).delivered() == 100);
    assertThat(get(engine.backlog(subscription).release())).isFalse();
    assertThat(engine.reader(subscription).held(subscription.number())).isNull();
    assertThat(changes)
        .extracting(change -> change.suspension() != null)
        .containsExactly(true, false);
  }

  @Test
  void what_is_held_is_bounded_over_all_shards() {
    Subscription subscription = subscribe(SPREAD);
    suspend(subscription, 10);
    publish(200);
    Await.until("drops", () -> ledger(subscription).pending() <= 10);
    assertThat(ledger(subscription).pending() + ledger(subscription).deadLettered()).isEqualTo(200);
  }

  @Test
  void a_subscription_that_begins_suspended_holds_what_is_usual() {
    Subscription subscription = subscribe(with(null, 64, null, true, false).withShards(3));
    get(engine.backlog(subscription).health());
    assertThat(engine.reader(subscription).held(subscription.number()).suspension())
        .returns(Suspension.DEFAULT_MAX_HELD, Suspension::maxHeld)
        .returns(Suspension.Cause.CREATION, Suspension::cause);
  }

  @Test
  void dead_letters_are_redriven_in_all_shards() {
    Subscription subscription = withDeadLetters(100);
    assertThat(walk(7, from -> done(engine.backlog(subscription).count(sweep(from, 7)))))
        .isEqualTo(100);
    status = 200;
    assertThat(walk(7, from -> engine.backlog(subscription).redrive(sweep(from, 7))))
        .isEqualTo(100);
    Await.until("deliveries", () -> ledger(subscription).delivered() == 100);
  }

  private static CompletionStage<SweepProgress> done(SweepProgress progress) {
    return CompletableFuture.completedFuture(progress);
  }

  @Test
  void one_call_redrives_what_its_limit_allows() {
    Subscription subscription = withDeadLetters(100);
    status = 200;
    SweepProgress all = get(engine.backlog(subscription).redrive(sweep(null, 1000)));
    assertThat(all).isEqualTo(new SweepProgress(100, null, 100));
  }

  @Test
  void dead_letters_are_purged_in_all_shards() {
    Subscription subscription = withDeadLetters(100);
    assertThat(walk(9, from -> engine.backlog(subscription).purge(sweep(from, 9)))).isEqualTo(100);
    assertThat(ledger(subscription).discarded()).isEqualTo(100);
  }

  @Test
  void one_dead_letter_is_found_in_its_shard() {
    Subscription subscription = withDeadLetters(50);
    MessageId one = attempts.keySet().iterator().next();
    DeadLetterFilter filter = new DeadLetterFilter(null, one, 0, Long.MAX_VALUE, null);
    SweepRequest request = new SweepRequest(filter, engine.nowMillis() + 1000, null, 1000, 0, 0);
    SweepProgress progress = get(engine.backlog(subscription).purge(request));
    assertThat(progress.changed()).isOne();
    assertThat(progress.next()).isNull();
    assertThat(engine.reader(subscription).find(subscription.number(), one).state().status())
        .isEqualTo(Status.DISCARDED);
  }

  @Test
  void dead_letters_move_to_another_subscription() {
    Subscription from = withDeadLetters(100);
    engine.addTopic("others");
    Subscription target = engine.subscribe("others", SPREAD.withShards(3));
    status = 200;
    assertThat(walk(11, place -> engine.backlog(from).redriveTo(target, sweep(place, 11))))
        .isEqualTo(100);
    Await.until("deliveries", () -> ledger(target).delivered() == 100);
    assertThat(ledger(from).moved()).isEqualTo(100);
  }

  @Test
  void dead_letters_go_to_the_target_by_themselves() {
    engine.addTopic("others");
    Subscription target = engine.subscribe("others", SPREAD);
    Subscription from = subscribe(SPREAD);
    suspend(target, 1000);
    status = 400;
    publish(60);
    Await.until("dead letters", () -> ledger(from).deadLettered() == 60);
    engine.changeSubscription(from.id(), before -> with(null, 64, target.id(), false, false));
    Await.until("moves", () -> ledger(from).moved() == 60);
    assertThat(ledger(target).pending()).isEqualTo(60);
  }

  @Test
  void what_waits_is_attempted_now_in_all_shards() {
    engine.putTopic("orders", new NotificationPolicy(null, null, false));
    Subscription subscription = engine.subscribe("orders", hourly());
    status = 503;
    publish(100);
    Await.until("attempts", () -> ledger(subscription).attempts() == 100);
    status = 200;
    assertThat(walk(9, from -> engine.backlog(subscription).attemptNow(null, from, 9)))
        .isEqualTo(100);
    Await.until("deliveries", () -> ledger(subscription).delivered() == 100);
  }

  private static SubscriptionSettings with(
      @Nullable NotificationPolicy policy,
      int maxInFlight,
      @Nullable String deadLetterTarget,
      boolean startSuspended,
      boolean suspendWhenGone) {
    return new SubscriptionSettings(
        SPREAD.protocol(),
        SPREAD.endpoint(),
        null,
        SPREAD.format(),
        policy,
        SPREAD.filter(),
        SPREAD.deadLetters(),
        null,
        maxInFlight,
        SPREAD.http(),
        deadLetterTarget,
        startSuspended,
        suspendWhenGone,
        4);
  }

  private static SubscriptionSettings hourly() {
    NotificationPolicy policy =
        PolicyDocuments.readSubscription(
            "{\"healthyRetryPolicy\":{\"minDelayTarget\":3600,\"maxDelayTarget\":3600,"
                + "\"numRetries\":3,\"numNoDelayRetries\":0}}");
    return with(policy, 64, null, false, false);
  }

  @Test
  void each_shard_learns_by_itself_that_the_endpoint_is_gone() {
    Subscription subscription = subscribe(with(NO_RETRY, 64, null, false, true));
    status = 410;
    publish(200);
    DeliveryReader reader = engine.reader(subscription);
    Await.until(
        "suspension",
        () ->
            engine.readers(subscription).stream()
                .allMatch(part -> part.held(subscription.number()) != null));
    // A shard stores its suspension before it tells of it: an answer of each says that it has.
    get(engine.backlog(subscription).health());
    assertThat(reader.held(subscription.number()).suspension())
        .returns(Suspension.Cause.ENDPOINT, Suspension::cause)
        .returns(Suspension.DEFAULT_MAX_HELD, Suspension::maxHeld);
    status = 200;
    get(engine.backlog(subscription).release());
    Await.until("deliveries", () -> ledger(subscription).pending() == 0);
    assertThat(changes)
        .extracting(change -> change.suspension() != null)
        .containsExactly(true, false);
  }

  @Test
  void what_is_pending_is_cancelled_in_all_shards() {
    Subscription subscription = subscribe(SPREAD);
    suspend(subscription, 1000);
    Set<MessageId> published = publish(100);
    MessageId one = published.iterator().next();
    assertThat(get(engine.backlog(subscription).cancel(one, null, 1000)).changed()).isOne();
    assertThat(walk(8, from -> engine.backlog(subscription).cancel(null, from, 8))).isEqualTo(99);
    assertThat(ledger(subscription)).returns(100L, Ledger::deadLettered);
  }

  @Test
  void its_deletion_discards_what_every_shard_holds() {
    Subscription subscription = subscribe(SPREAD);
    suspend(subscription, 1000);
    publish(100);
    engine.unsubscribe(subscription.id());
    Await.until("removal", () -> engine.ledger().discarded() == 100);
    assertThat(engine.ledger().unexplained()).isZero();
    assertThat(engine.ledger().pending()).isZero();
  }

  // --- listings ----------------------------------------------------------------------------

  @Test
  @Tag("slow")
  void lists_go_through_all_shards_in_one_order() {
    Subscription subscription = subscribe(SPREAD);
    suspend(subscription, 1_000_000);
    Set<MessageId> published = publish(20_000);
    DeliveryReader reader = engine.reader(subscription);
    long number = subscription.number();

    List<StoredDelivery> pending = new ArrayList<>();
    Position next = null;
    do {
      DeliveryReader.Page<Position> page = reader.pending(number, next, 1000);
      assertThat(page.items().size()).isBetween(1, 1000);
      assertThat(page.seen()).isLessThan(3000);
      pending.addAll(page.items());
      next = page.next();
    } while (next != null);
    assertThat(pending)
        .isSortedAccordingTo(
            (a, b) ->
                a.state().atMillis() == b.state().atMillis()
                    ? a.message().compareTo(b.message())
                    : Long.compare(a.state().atMillis(), b.state().atMillis()))
        .extracting(StoredDelivery::message)
        .hasSize(20_000)
        .containsExactlyInAnyOrderElementsOf(published);
    assertCounted(reader, number);

    assertThat(walk(1000, from -> engine.backlog(subscription).cancel(null, from, 1000)))
        .isEqualTo(20_000);
    assertThat(deadLetters(reader, number)).containsExactlyInAnyOrderElementsOf(published);
    assertThat(attempted(reader, number)).containsExactlyInAnyOrderElementsOf(published);
  }

  private static void assertCounted(DeliveryReader reader, long number) {
    int due = 0;
    int seen = 0;
    Position next = null;
    do {
      DeliveryReader.PendingCount count =
          reader.countPending(number, System.currentTimeMillis() + 60_000, next, 3000);
      assertThat(count.seen()).isLessThanOrEqualTo(3000);
      due += count.due();
      seen += count.seen();
      next = count.next();
    } while (next != null);
    assertThat(due).isEqualTo(20_000);
    assertThat(seen).isEqualTo(20_000);
    assertThat(reader.pendingSince(number, 5000, at -> assertThat(at).isPositive()))
        .isEqualTo(5000);
  }

  private static List<MessageId> deadLetters(DeliveryReader reader, long number) {
    List<MessageId> found = new ArrayList<>();
    Position next = null;
    long last = 0;
    do {
      DeliveryReader.Page<Position> page =
          reader.deadLetters(number, DeadLetterFilter.ALL, next, 700, 10_000);
      for (StoredDelivery each : page.items()) {
        assertThat(each.state().atMillis()).isGreaterThanOrEqualTo(last);
        last = each.state().atMillis();
        found.add(each.message());
      }
      next = page.next();
    } while (next != null);
    DeliveryReader.DeadLetterSummary summary =
        reader.summary(number, DeadLetterFilter.ALL, null, 100_000);
    assertThat(summary.reasons().values())
        .singleElement()
        .returns((long) found.size(), DeliveryReader.ReasonCount::count);
    return found;
  }

  private static List<MessageId> attempted(DeliveryReader reader, long number) {
    List<MessageId> found = new ArrayList<>();
    MessageId before = null;
    do {
      DeliveryReader.Page<MessageId> page = reader.attempted(number, null, before, 700, 10_000);
      for (StoredDelivery each : page.items()) {
        assertThat(found.isEmpty() || each.message().compareTo(found.get(found.size() - 1)) < 0)
            .isTrue();
        found.add(each.message());
      }
      before = page.next();
    } while (before != null);
    return found;
  }

  @Test
  void a_filter_that_chooses_few_ends_after_what_it_may_look_at() {
    Subscription subscription = withDeadLetters(400);
    MessageId one = attempts.keySet().iterator().next();
    DeadLetterFilter filter = new DeadLetterFilter(null, one, 0, Long.MAX_VALUE, null);
    DeliveryReader reader = engine.reader(subscription);
    List<MessageId> found = new ArrayList<>();
    Position next = null;
    do {
      DeliveryReader.Page<Position> page =
          reader.deadLetters(subscription.number(), filter, next, 10, 40);
      assertThat(page.seen()).isLessThanOrEqualTo(40);
      page.items().forEach(item -> found.add(item.message()));
      next = page.next();
    } while (next != null);
    assertThat(found).containsExactly(one);
  }
}
