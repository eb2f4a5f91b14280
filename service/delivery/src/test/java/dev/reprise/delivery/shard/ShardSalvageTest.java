package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.RepeatReason;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.salvage.SalvageLosses;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Single shards of which chosen records are damaged. */
class ShardSalvageTest {
  private static final HttpFailure UNAVAILABLE = HttpFailure.status(503, null);

  /** Larger than what stands in each delivery's own record. */
  private static final int SHARED_BYTES = 5000;

  private final SimulatedStore uncertain = new SimulatedStore();
  private boolean isDamaged;
  private final ShardHost host =
      new ShardHost(
          new SimulatedStore(),
          ShardSettings.DEFAULT,
          new SubscriptionSpec(1, HOURLY, 0, 0, false, 64, "host"));

  private List<byte[]> keys(byte[] prefix) {
    List<byte[]> keys = new ArrayList<>();
    try (Store.Cursor cursor = host.store.range(prefix, Keys.after(prefix))) {
      while (cursor.next()) {
        keys.add(cursor.key());
      }
    }
    return keys;
  }

  private List<MessageId> pending() {
    return keys(Keys.kind(Keys.PENDING)).stream().map(Keys::message).toList();
  }

  private void damage(byte[] key) {
    Batch batch = new Batch();
    if (Shard.isShortLived(key)) {
      batch.deleteOnce(key);
    } else {
      batch.delete(key);
    }
    host.store.write(batch);
  }

  private void damagePending(MessageId message) {
    keys(Keys.kind(Keys.PENDING)).stream()
        .filter(key -> Keys.message(key).equals(message))
        .forEach(this::damage);
  }

  private void damageLastEvent(MessageId message) {
    List<byte[]> events = keys(Keys.historyOf(1, message));
    damage(events.get(events.size() - 1));
  }

  private SalvageLosses salvage(Long... existing) {
    Map<Long, SalvageLosses> losses =
        ShardSalvage.run(
            host.store, uncertain, Set.of(existing), Map.of(), key -> isDamaged, 0, host.nowMillis);
    assertThat(new ShardReader(host.store).audit().agrees()).isTrue();
    return losses.getOrDefault(1L, SalvageLosses.NONE);
  }

  /** The next attempts fail. */
  private void fail(int attempts) {
    host.run();
    for (int i = 0; i < attempts; i++) {
      host.end(UNAVAILABLE);
      host.run();
    }
  }

  @Test
  void aDeliveryWhoseLastEventIsLostIsNotTakenForALostOne() {
    MessageId kept = host.publishAt(host.nowMillis, SHARED_BYTES, 1);
    fail(1);
    host.nowMillis++;
    MessageId lost = host.publishAt(host.nowMillis, SHARED_BYTES, 1);
    fail(1);
    host.sleep(3_600_000 - 1);
    fail(1);
    assertThat(new ShardReader(host.store).find(1, kept).attempts()).isEqualTo(2);
    damageLastEvent(kept);
    damagePending(lost);

    SalvageLosses losses = salvage(1L);

    assertThat(pending()).containsExactlyInAnyOrder(kept, lost);
    assertThat(losses).isEqualTo(new SalvageLosses(0, 0, 1, 0, 0, 0, 0));
    host.restart();
    assertThat(host.ledger(1).pending()).isEqualTo(2);
  }

  /** Returns one that has ended, and is pending for all that can be read. */
  private MessageId publishAndResurrect() {
    MessageId message = host.publish(1);
    host.run();
    byte[] key = keys(Keys.kind(Keys.PENDING)).get(0);
    byte[] record = Objects.requireNonNull(host.store.get(key));
    host.end(null);
    host.run();
    assertThat(pending()).isEmpty();
    keys(Keys.historyOf(1, message)).forEach(this::damage);
    Batch former = new Batch();
    former.put(key, record);
    uncertain.write(former);
    isDamaged = true;
    return message;
  }

  @ParameterizedTest
  @ValueSource(ints = {100, SHARED_BYTES})
  void oneThatHasEndedHidesNoLostOne(int bytes) {
    MessageId ended = publishAndResurrect();
    host.nowMillis++;
    MessageId lost = host.publishAt(host.nowMillis, bytes, 1);
    fail(1);
    damagePending(lost);
    boolean hasPayload = bytes == SHARED_BYTES;

    SalvageLosses losses = salvage(1L);

    assertThat(losses)
        .isEqualTo(new SalvageLosses(1, 0, hasPayload ? 1 : 0, hasPayload ? 0 : 1, 0, 0, 0));
    assertThat(pending())
        .containsExactlyInAnyOrderElementsOf(hasPayload ? List.of(ended, lost) : List.of(ended));
    host.restart();
    Ledger ledger = host.ledger(1);
    assertThat(ledger.accepted()).isEqualTo(2);
    assertThat(ledger.deadLettered()).isEqualTo(hasPayload ? 0 : 1);
    assertThat(ledger.unexplained()).isZero();
  }

  @Test
  void whatMayBeLostWithoutATraceIsSaid() {
    publishAndResurrect();
    host.nowMillis++;
    MessageId lost = host.publishAt(host.nowMillis, SHARED_BYTES, 1);
    fail(1);
    damagePending(lost);
    keys(Keys.historyOf(1, lost)).forEach(this::damage);

    assertThat(salvage(1L)).isEqualTo(new SalvageLosses(1, 0, 0, 0, 0, 1, 0));
  }

  @Test
  void aLetterThatMayHaveBeenPurgedIsSaid() {
    MessageId message = host.publishAt(host.nowMillis, SHARED_BYTES, 1);
    host.run();
    host.end(HttpFailure.status(400, null));
    host.run();
    byte[] key = keys(Keys.kind(Keys.DEAD_LETTER)).get(0);
    Batch former = new Batch();
    former.put(key, Objects.requireNonNull(host.store.get(key)));
    uncertain.write(former);
    damage(key);
    assertThat(keys(Keys.historyOf(1, message))).isNotEmpty();
    // Its purge would be the last event of the history, which may be in a damaged block.
    isDamaged = true;

    assertThat(salvage(1L)).isEqualTo(new SalvageLosses(0, 0, 0, 0, 0, 0, 1));
    assertThat(keys(Keys.kind(Keys.DEAD_LETTER))).hasSize(1);
  }

  @Test
  void aRecoveredDeliveryStillSaysWhyItMayComeAgain() {
    MessageId message = host.publishAt(host.nowMillis, SHARED_BYTES, 1);
    host.run();
    host.end(HttpFailure.timeout());
    host.sleep(3_600_000);
    fail(1);
    damagePending(message);

    assertThat(salvage(1L).recovered()).isEqualTo(1);

    byte[] key = keys(Keys.kind(Keys.PENDING)).get(0);
    Pending made = Pending.decode(key, Objects.requireNonNull(host.store.get(key)));
    assertThat(made.message()).isEqualTo(message);
    assertThat(made.unclear()).isEqualTo(RepeatReason.TIMED_OUT);
  }

  @Test
  void aLetterWhoseLastEventIsLostIsNotTakenForALostDelivery() {
    MessageId dead = host.publishAt(host.nowMillis, SHARED_BYTES, 1);
    fail(1);
    host.nowMillis++;
    MessageId lost = host.publishAt(host.nowMillis, SHARED_BYTES, 1);
    fail(1);
    host.sleep(3_600_000 - 1);
    host.end(HttpFailure.status(400, null));
    host.run();
    assertThat(host.ledger(1).deadLettered()).isEqualTo(1);
    damageLastEvent(dead);
    damagePending(lost);

    SalvageLosses losses = salvage(1L);

    assertThat(pending()).containsExactly(lost);
    assertThat(keys(Keys.kind(Keys.DEAD_LETTER)))
        .singleElement()
        .extracting(Keys::message)
        .isEqualTo(dead);
    assertThat(losses).isEqualTo(new SalvageLosses(0, 0, 1, 0, 0, 0, 0));
    HistoryEvent last = new ShardReader(host.store).find(1, lost).history().get(0);
    assertThat(last.after().status()).isEqualTo(Status.PENDING);
  }

  @Test
  void aRemovedSubscriptionIsNotCountedAgain() {
    host.publish(1);
    host.run();
    host.end(null);
    host.run();
    byte[] key = Keys.ofSubscription(Keys.LEDGER, 1);
    byte[] ledger = Objects.requireNonNull(host.store.get(key));
    host.specs.clear();
    host.give(new ShardInput.Remove(1));
    host.run();
    ShardReader reader = new ShardReader(host.store);
    assertThat(host.store.get(key)).isNull();
    Ledger closed = reader.allLedgers().closed();
    assertThat(closed.accepted()).isEqualTo(1);
    // The deletion is lost, and a former version is read from another table.
    Batch former = new Batch();
    former.put(key, ledger);
    host.store.write(former);
    uncertain.write(former);

    assertThat(salvage()).isEqualTo(SalvageLosses.NONE);

    host.restart();
    host.run();
    assertThat(reader.allLedgers().open()).isEmpty();
    assertThat(reader.allLedgers().closed()).isEqualTo(closed);
  }

  /**
   * What was refused, what was under way, and why it may come again: the records are salvaged as
   * they are, those that are left explain, and without them the sums agree all the same.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void repeatsAndHoldsCostNothingIfTheyAreLost(boolean lost) {
    host.specs.clear();
    for (int number = 1; number <= 3; number++) {
      String group = number == 1 ? "https://example.net" : "https://example.com";
      host.specs.add(new SubscriptionSpec(number, HOURLY, 0, 0, false, 64, group));
    }
    host.restart();
    MessageId timedOut = host.publish(1);
    host.run();
    host.end(HttpFailure.timeout());
    host.run();
    for (int i = 0; i < 20; i++) {
      host.publish(2, 3);
    }
    host.run();
    for (int i = 0; i < 20 && !host.started.isEmpty(); i++) {
      host.end(HttpFailure.status(403, null));
      host.run();
    }
    assertThat(keys(Keys.STREAKS)).hasSize(1);
    host.sleep(3_600_000);
    assertThat(host.started).extracting(Claim::message).contains(timedOut);
    assertThat(keys(Keys.UNDER_WAY)).isNotEmpty();
    List<Byte> versions = new ArrayList<>();
    for (byte kind : new byte[] {Keys.LEDGER, Keys.PENDING}) {
      keys(Keys.kind(kind))
          .forEach(key -> versions.add(Objects.requireNonNull(host.store.get(key))[0]));
    }
    assertThat(versions).contains((byte) 5, (byte) 2);
    if (lost) {
      keys(Keys.STREAKS).forEach(this::damage);
      keys(Keys.UNDER_WAY).forEach(this::damage);
      damage(Keys.ofSubscription(Keys.LEDGER, 2));
    }

    assertThat(salvage(1L, 2L, 3L)).isEqualTo(SalvageLosses.NONE);

    host.restart();
    // A hold stands in the ledger of its subscription, of which one was lost.
    assertThat(host.shard().held()).hasSize(lost ? 1 : 2);
    host.sleep(48 * 3_600_000L);
    while (!host.started.isEmpty()) {
      host.end(null);
      host.sleep(3_600_000);
    }
    ShardReader reader = new ShardReader(host.store);
    for (long number = 1; number <= 3; number++) {
      Ledger ledger = reader.ledger(number);
      assertThat(ledger.pending()).as("%s", ledger).isZero();
      assertThat(ledger.unexplained()).as("%s", ledger).isZero();
    }
    assertThat(reader.audit().agrees()).isTrue();
    assertThat(reader.repeats(1).of(lost ? RepeatReason.TIMED_OUT : RepeatReason.KILLED))
        .isEqualTo(1);
  }
}
