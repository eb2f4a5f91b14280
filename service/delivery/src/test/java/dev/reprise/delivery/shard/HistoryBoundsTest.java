package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.NO_RETRY;
import static dev.reprise.delivery.shard.ShardHost.START;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** History is bounded by bytes and by what the disk has room for; dead letters by their age. */
class HistoryBoundsTest {
  /** Retries by the thousand, which a budget would spread over minutes. */
  private static final ShardSettings SETTINGS =
      ShardSettings.DEFAULT.withGroupRetries(1_000_000, 200).withHoldAfter(0);

  private static final HttpFailure GONE = HttpFailure.status(410, null);
  private static final HttpFailure BROKEN = HttpFailure.status(500, null);
  private static final int PAGE_BYTES = 1024;

  private static SubscriptionSpec spec(long number, RetryPolicy policy) {
    return new SubscriptionSpec(number, policy, 0, 0, false, 64, "host " + number);
  }

  @Test
  void aNoisySubscriptionIsCutDownAndWhatOthersHoldStays() {
    ShardSettings settings = SETTINGS.withHistoryBytes(200_000);
    RetryPolicy stubborn = new RetryPolicy(Backoff.none(), 100, Duration.ZERO);
    ShardHost host = new ShardHost(settings, spec(1, stubborn), spec(2, NO_RETRY));
    List<MessageId> quiet = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      quiet.add(host.publish(2));
      deliverAll(host);
    }
    long others = historyBytes(host, 2);
    long most = 0;
    for (int i = 0; i < 40; i++) {
      host.publish(1);
      host.run();
      while (!host.started.isEmpty()) {
        fail(host, BROKEN);
        host.run();
        most = Math.max(most, historyBytes(host, 1) + historyBytes(host, 2));
      }
    }

    // 40 dead letters of 101 attempts with a page of 1 KB each would be 4.6 MB.
    assertThat(host.ledger(1)).isEqualTo(new Ledger(40, 0, 0, 40, 0, 0, 0, 4040));
    assertThat(most).as("bytes of history at the most").isLessThan(250_000);
    assertThat(historyBytes(host, 2)).isEqualTo(others);
    ShardReader reader = new ShardReader(host.store);
    for (MessageId message : quiet) {
      StoredDelivery shown = reader.find(2, message);
      assertThat(shown.state().status()).isEqualTo(Status.DELIVERED);
      assertThat(shown.history().get(0).outcome().response()).hasSize(PAGE_BYTES);
    }
    for (StoredDelivery dead :
        reader.deadLetters(1, DeadLetterFilter.ALL, null, 1000, 1000).items()) {
      StoredDelivery shown = reader.find(1, dead.message());
      assertThat(shown.state().status()).isEqualTo(Status.DEAD_LETTERED);
      assertThat(shown.attempts()).isEqualTo(101);
    }
  }

  @Test
  void aLargeHistoryKeepsTheResponsesOfFirstAndLastAttempts() {
    ShardSettings settings = SETTINGS.withHistoryBytes(80_000);
    RetryPolicy stubborn = new RetryPolicy(Backoff.none(), 30, Duration.ZERO);
    ShardHost host = new ShardHost(settings, spec(1, stubborn));
    MessageId message = host.publish(1);
    host.run();
    while (!host.started.isEmpty()) {
      fail(host, BROKEN);
      host.run();
    }

    List<HistoryEvent> history = new ShardReader(host.store).find(1, message).history();
    List<Integer> withResponse = new ArrayList<>();
    for (HistoryEvent event : history) {
      if (event.outcome().response().length > 0) {
        withResponse.add(event.attempt());
      }
    }
    assertThat(history).hasSize(31);
    assertThat(withResponse).contains(1, 2, 31).hasSizeLessThan(13);
  }

  @Test
  void levelsAreSuchThatWhatLiesBelowThemFits() {
    assertThat(HistoryBudget.level(new long[] {1, 2, 100}, 50)).isEqualTo(47);
    assertThat(HistoryBudget.level(new long[] {10, 40, 60}, 90)).isEqualTo(40);
    assertThat(HistoryBudget.level(new long[] {5, 5}, 0)).isZero();
    assertThat(HistoryBudget.level(new long[] {1, 2}, 50)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void withoutSpaceNoResponsesAreKept() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, NO_RETRY));
    host.shard().spaceIsShort(true);
    MessageId message = host.publish(1);
    host.run();
    fail(host, GONE);
    host.run();

    StoredDelivery shown = new ShardReader(host.store).find(1, message);
    assertThat(shown.state().status()).isEqualTo(Status.DEAD_LETTERED);
    assertThat(shown.history().get(0).outcome().summary()).contains("410");
    assertThat(shown.history().get(0).outcome().response()).isEmpty();
  }

  @Test
  void withoutSpaceTheOldestHistoryGoesFirst() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, NO_RETRY), spec(2, NO_RETRY));
    List<MessageId> messages = new ArrayList<>();
    for (int hour = 0; hour < 16; hour++) {
      messages.add(host.publish(1 + hour % 2));
      deliverAll(host);
      host.sleep(Duration.ofHours(1).toMillis());
    }
    host.shard().spaceIsShort(true);
    host.run();
    int before = kept(host, messages).size();
    assertThat(before).isEqualTo(16);
    while (kept(host, messages).size() == before) {
      host.sleep(100);
    }
    host.shard().spaceIsShort(false);
    host.sleep(Duration.ofHours(1).toMillis());

    List<MessageId> kept = kept(host, messages);
    assertThat(kept).hasSizeBetween(4, 12);
    assertThat(kept).isEqualTo(messages.subList(16 - kept.size(), 16));
  }

  @Test
  void withoutSpaceOpenDeliveriesKeepTheirLastEvent() {
    RetryPolicy hourly = new RetryPolicy(Backoff.fixed(Duration.ofHours(1)), 100, Duration.ZERO);
    ShardHost host = new ShardHost(SETTINGS, spec(1, NO_RETRY), spec(2, NO_RETRY), spec(3, hourly));
    host.publish(1);
    deliverAll(host);
    MessageId dead = host.publish(2);
    host.run();
    fail(host, GONE);
    MessageId pending = host.publish(3);
    host.run();
    fail(host, BROKEN);
    host.run();
    for (int i = 0; i < 20; i++) {
      host.sleep(Duration.ofHours(1).toMillis());
      fail(host, BROKEN);
      host.run();
    }
    int turns = host.turns;
    host.shard().spaceIsShort(true);
    host.run();
    host.sleep(Duration.ofMinutes(5).toMillis());

    ShardReader reader = new ShardReader(host.store);
    assertThat(historyBytes(host, 1)).isZero();
    assertThat(reader.find(2, dead).state().status()).isEqualTo(Status.DEAD_LETTERED);
    assertThat(reader.find(3, pending).state().status()).isEqualTo(Status.PENDING);
    assertThat(reader.find(3, pending).history()).hasSize(1);
    assertThat(reader.find(3, pending).attempts()).isEqualTo(21);
    assertThat(host.turns - turns).as("does not spin").isLessThan(200);
  }

  @Test
  void historyThatMakesNoSpaceIsKept() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, NO_RETRY));
    MessageId message = host.publish(1);
    deliverAll(host);
    host.shard().spaceIsShort(true);
    host.run();
    host.sleep(Duration.ofHours(1).toMillis());

    assertThat(new ShardReader(host.store).find(1, message)).isNotNull();
  }

  @Test
  void withoutSpaceADeletedSubscriptionLeavesNothing() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, NO_RETRY));
    for (int i = 0; i < 700; i++) {
      host.publish(1);
    }
    deliverAll(host);
    assertThat(historyBytes(host, 1)).isGreaterThan(700 * PAGE_BYTES);
    host.specs.clear();
    host.give(new ShardInput.Remove(1));
    host.run();

    assertThat(historyBytes(host, 1)).isZero();
    assertThat(new ShardReader(host.store).closedLedger())
        .isEqualTo(new Ledger(700, 0, 700, 0, 0, 0, 0, 700));
  }

  @Test
  void theCountOfBytesSurvivesARestart() {
    ShardSettings settings = SETTINGS.withHistoryBytes(50_000);
    ShardHost host = new ShardHost(settings, spec(1, NO_RETRY));
    for (int i = 0; i < 40; i++) {
      host.publish(1);
      deliverAll(host);
      host.restart();
      host.sleep(1000);
    }
    assertThat(historyBytes(host, 1)).isBetween(30_000L, 50_000L);
  }

  @Test
  void aRedrivenDeadLetterKeepsItsHistoryAfterItsDelivery() {
    ShardSettings settings = SETTINGS.withHistory(Duration.ofHours(1));
    ShardHost host = new ShardHost(settings, spec(1, NO_RETRY));
    MessageId message = host.publish(1);
    host.run();
    fail(host, GONE);
    host.run();
    host.sleep(Duration.ofHours(5).toMillis());
    host.give(
        new ShardInput.Redrive(
            1,
            new SweepRequest(DeadLetterFilter.ALL, host.nowMillis, null, 10, 0, 0),
            ShardHost.ignored()));
    deliverAll(host);
    host.sleep(Duration.ofMinutes(50).toMillis());

    StoredDelivery shown = new ShardReader(host.store).find(1, message);
    assertThat(shown).isNotNull();
    assertThat(shown.state().status()).isEqualTo(Status.DELIVERED);
    assertThat(shown.history()).hasSize(3);
    host.sleep(Duration.ofMinutes(30).toMillis());
    assertThat(new ShardReader(host.store).find(1, message)).isNull();
  }

  @Test
  void deadLettersAreDiscardedAndCountedAfterTheirRetention() {
    ShardSettings settings = SETTINGS.withDeadLetters(Duration.ofDays(2));
    ShardHost host = new ShardHost(settings, spec(1, NO_RETRY));
    List<MessageId> old = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      old.add(host.publishAt(host.nowMillis, i == 0 ? 5000 : 10, 1));
    }
    host.run();
    while (!host.started.isEmpty()) {
      fail(host, GONE);
      host.run();
    }
    host.sleep(Duration.ofDays(1).toMillis());
    MessageId young = host.publish(1);
    host.run();
    fail(host, GONE);
    host.run();
    host.sleep(Duration.ofDays(1).toMillis() - 1);
    assertThat(host.ledger(1)).isEqualTo(new Ledger(701, 0, 0, 701, 0, 0, 0, 701));

    host.sleep(SETTINGS.sweepIntervalMillis() + 1);
    assertThat(host.ledger(1)).isEqualTo(new Ledger(701, 0, 0, 1, 700, 0, 0, 701));
    ShardReader reader = new ShardReader(host.store);
    assertThat(reader.recount().get(1L).agrees()).isTrue();
    assertThat(host.store.get(Keys.ofMessage(Keys.PAYLOAD, old.get(0)))).isNull();
    StoredDelivery shown = reader.find(1, old.get(0));
    assertThat(shown.state().status()).isEqualTo(Status.DISCARDED);
    assertThat(shown.history())
        .extracting(HistoryEvent::kind)
        .last()
        .isEqualTo(HistoryEvent.Kind.RETIRED);
    assertThat(reader.find(1, young).state().status()).isEqualTo(Status.DEAD_LETTERED);
  }

  @Test
  void deadLettersAreKeptForEverIfToldSo() {
    ShardHost host = new ShardHost(SETTINGS.withDeadLetters(Duration.ZERO), spec(1, NO_RETRY));
    MessageId message = host.publish(1);
    host.run();
    fail(host, GONE);
    host.run();
    host.nowMillis += Duration.ofDays(4000).toMillis();
    host.sleep(Duration.ofDays(1).toMillis());
    assertThat(new ShardReader(host.store).find(1, message).state().status())
        .isEqualTo(Status.DEAD_LETTERED);
  }

  private static void deliverAll(ShardHost host) {
    host.run();
    while (!host.started.isEmpty()) {
      end(host, null, 204);
      host.run();
    }
  }

  private static void fail(ShardHost host, HttpFailure failure) {
    end(host, failure, failure.status());
  }

  /** The oldest attempt ends; the endpoint answers with a page. */
  private static void end(ShardHost host, HttpFailure failure, int status) {
    Claim claim = host.started.remove(0);
    AttemptOutcome outcome =
        new AttemptOutcome(
            failure, status, status + " page", "192.0.2.1", new byte[PAGE_BYTES], 1_000_000);
    host.give(new ShardInput.Completed(claim, outcome, host.nowMillis));
  }

  private static List<MessageId> kept(ShardHost host, List<MessageId> messages) {
    ShardReader reader = new ShardReader(host.store);
    return messages.stream()
        .filter(m -> reader.find(1, m) != null || reader.find(2, m) != null)
        .toList();
  }

  private static long historyBytes(ShardHost host, long subscription) {
    byte[] prefix = Keys.ofSubscription(Keys.HISTORY, subscription);
    long bytes = 0;
    try (Store.Cursor cursor = host.store.range(prefix, Keys.after(prefix))) {
      while (cursor.next()) {
        bytes += cursor.key().length + cursor.value().length;
      }
    }
    assertThat(host.nowMillis).isGreaterThanOrEqualTo(START);
    return bytes;
  }
}
