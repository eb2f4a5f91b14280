package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static dev.reprise.delivery.shard.ShardHost.NO_RETRY;
import static dev.reprise.delivery.shard.ShardHost.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.IdempotencyConflictException;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.shard.ShardHost.Kept;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import dev.reprise.testkit.SeededRandom;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Single stories of a shard; {@link ShardSimulationTest} tells thousands. */
class ShardTest {
  private static final List<Integer> SHARDS = List.of(0, 7, 1023);
  private static final ShardSettings SETTINGS = ShardSettings.DEFAULT;
  private static final HttpFailure DOWN = HttpFailure.status(503, null);
  private static final HttpFailure GONE = HttpFailure.status(404, null);

  @Test
  void aDeliveryThatExpiresIsCountedOnceWhenOthersWaitBehindIt() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 1_000, 1));
    host.publish(1);
    host.run();
    host.sleep(1);
    host.publish(1);
    host.run();
    // The first attempt hangs and the second is read ahead; now another comes behind it.
    host.sleep(100);
    host.publish(1);
    host.run();
    host.sleep(950);

    assertThat(host.ledger(1)).isEqualTo(new Ledger(3, 2, 0, 0, 0, 1, 0, 0));
    assertThat(new ShardReader(host.store).recount().get(1L).agrees()).isTrue();
  }

  @Test
  void whatIsDueBeforeWhatWasReadAheadExpiresInTime() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 1_000, 1));
    host.publish(1);
    host.publish(1);
    host.run();
    // One hangs, one waits behind it; this one has an older id, and half a second more to live.
    host.sleep(500);
    host.publishAt(START - 500, 3, 1);
    host.run();

    host.sleep(1_001);

    assertThat(host.ledger(1).expired()).isEqualTo(2);
  }

  @Test
  void aRedrivenExpiredDeliveryKeepsItsHistoryAndIsPending() {
    ShardSettings settings = SETTINGS.withHistory(Duration.ofMillis(1));
    ShardHost host = new ShardHost(settings, spec(1, 0, 1_000, 1));
    host.publish(1);
    MessageId message = host.publish(1);
    host.run();
    host.sleep(2_000);
    assertThat(host.ledger(1).expired()).isEqualTo(1);
    // Redriven, it waits behind the one that still hangs, now for as long as it takes.
    host.give(new ShardInput.Configure(spec(1, 0, 0, 1)));
    host.give(new ShardInput.Redrive(1, all(host), ShardHost.ignored()));
    host.run();
    ShardReader reader = new ShardReader(host.store);
    assertThat(reader.find(1, message).state().status()).isEqualTo(Status.PENDING);
    assertThat(reader.attempted(1, Status.PENDING, null, 10, 10).items())
        .extracting(StoredDelivery::message)
        .containsExactly(message);

    host.sleep(settings.sweepIntervalMillis() + 1);

    assertThat(reader.find(1, message).history()).hasSize(2);
  }

  @Test
  void anEndpointThatHangsDelaysNobodyElse() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 0, 64), spec(2, 0, 0, 64));
    for (int i = 0; i < 1000; i++) {
      host.publish(1);
    }
    host.run();
    assertThat(host.started).isNotEmpty();
    host.started.clear();

    MessageId message = host.publish(2);
    Turn turn = host.turn();

    assertThat(turn.attempts()).extracting(Claim::message).containsExactly(message);
  }

  @Test
  void aScanReadsWhatItReturnsAndNotWhatWasDelivered() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 0, 64));
    host.publishAt(START + 3_600_000, 3, 1);
    for (int i = 0; i < 500; i++) {
      host.publish(1);
      host.run();
      while (!host.started.isEmpty()) {
        host.end(null);
        host.run();
      }
      host.nowMillis++;
    }
    assertThat(host.ledger(1).delivered()).isEqualTo(500);
    long passed = host.store.tombstonesPassed();
    long read = host.store.entriesRead();

    host.publish(1);
    host.run();
    host.end(null);
    host.run();

    assertThat(host.store.tombstonesPassed() - passed).isLessThan(3);
    assertThat(host.store.entriesRead() - read).isLessThan(3);

    host.restart();
    passed = host.store.tombstonesPassed();
    host.nowMillis = START + 3_600_000;
    host.run();
    assertThat(host.started).hasSize(1);
    assertThat(host.store.tombstonesPassed() - passed).isLessThan(3);
  }

  @Test
  void aListOfWhatIsPendingDoesNotPassWhatHasEnded() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 0, 64));
    host.publishAt(START + 3_600_000, 3, 1);
    for (int i = 0; i < 500; i++) {
      host.publish(1);
      host.run();
      host.end(null);
      host.run();
      host.nowMillis++;
    }
    MessageId last = host.publish(1);
    host.run();
    ShardReader reader = new ShardReader(host.store);
    long passed = host.store.tombstonesPassed();

    assertThat(reader.pending(1, null, 10).items())
        .extracting(StoredDelivery::message)
        .contains(last)
        .hasSize(2);
    assertThat(reader.pending(1, new Position(START, last), 10).items()).hasSize(2);
    assertThat(reader.pendingSince(1, 10, ignored -> {})).isEqualTo(2);
    assertThat(reader.countPending(1, host.nowMillis, null, 10).seen()).isEqualTo(2);

    assertThat(host.store.tombstonesPassed() - passed).isLessThan(20);
  }

  @Test
  void aBacklogIsReadOnce() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 0, 64));
    for (int i = 0; i < 2000; i++) {
      host.publish(1);
    }
    host.run();
    long passed = host.store.tombstonesPassed();
    long read = host.store.entriesRead();
    while (!host.started.isEmpty()) {
      host.end(null);
      host.run();
    }
    assertThat(host.ledger(1).delivered()).isEqualTo(2000);
    assertThat(host.store.entriesRead() - read).isLessThan(4000);
    // What was delivered since the scan before lies in front of the next one, and nothing older.
    assertThat(host.store.tombstonesPassed() - passed).isLessThan(4000);
  }

  @Test
  void timersDoNotPileUpBehindARetryThatIsFarAway() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 10, 0, 64));
    host.publish(1);
    host.run();
    host.end(DOWN);
    host.run();
    for (int i = 0; i < 200; i++) {
      for (int j = 0; j < 3; j++) {
        host.publish(1);
      }
      host.run();
      host.sleep(350);
      while (!host.started.isEmpty()) {
        host.end(null);
      }
      host.run();
    }
    assertThat(host.shard().armedTimers()).isLessThanOrEqualTo(1);
  }

  @Test
  void twoWalksInOneTurnBothSeeWhatTheOtherLeft() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, NO_RETRY, 0, 0, false, 64));
    host.publish(1);
    host.publish(1);
    host.run();
    host.end(GONE);
    host.end(GONE);
    host.run();
    host.nowMillis++;
    Kept<SweepProgress> first = new Kept<>();
    Kept<SweepProgress> second = new Kept<>();
    host.give(new ShardInput.Redrive(1, all(host), first));
    host.give(new ShardInput.Purge(1, all(host), second));
    host.run();

    assertThat(first.answer).isEqualTo(new SweepProgress(2, null, 2));
    assertThat(second.answer).isEqualTo(new SweepProgress(0, null, 0));
    assertThat(host.ledger(1)).isEqualTo(new Ledger(2, 2, 0, 0, 0, 0, 0, 2));
  }

  @Test
  void aPacedRedriveIsSpreadOverTimeAcrossItsParts() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, NO_RETRY, 0, 0, false, 64));
    for (int i = 0; i < 4; i++) {
      host.publish(1);
    }
    host.run();
    while (!host.started.isEmpty()) {
      host.end(GONE);
      host.run();
    }
    host.nowMillis += 1000;
    long begin = host.nowMillis;
    Kept<SweepProgress> part = new Kept<>();
    SweepRequest request = new SweepRequest(DeadLetterFilter.ALL, begin, null, 3, 2, 0);
    host.give(new ShardInput.Redrive(1, request, part));
    host.run();
    assertThat(part.answer.changed()).isEqualTo(3);
    host.give(
        new ShardInput.Redrive(
            1,
            new SweepRequest(DeadLetterFilter.ALL, begin, part.answer.next(), 3, 2, 3),
            ShardHost.ignored()));
    host.run();

    for (int i = 1; i <= 4; i++) {
      assertThat(host.started).as("attempt %s", i).hasSize(1);
      host.end(null);
      host.sleep(499);
      assertThat(host.started).isEmpty();
      host.sleep(1);
    }
    assertThat(host.ledger(1).delivered()).isEqualTo(4);
  }

  @Test
  void aPublishSentAgainWithItsKeyIsAcceptedOnce() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 0, 64));
    MessageId first = reserve(host, 7, 1).answer.message();
    assertThat(publishKeyed(host, first)).isEqualTo(new ShardInput.Accepted(1, false));

    Kept<ShardInput.Reserved> again = reserve(host, 7, 1);
    assertThat(again.answer).isEqualTo(new ShardInput.Reserved(first, SHARDS, true));
    assertThat(publishKeyed(host, first)).isEqualTo(new ShardInput.Accepted(1, true));
    assertThat(host.ledger(1).accepted()).isEqualTo(1);

    Kept<ShardInput.Reserved> other = reserve(host, 7, 2);
    assertThat(other.answer).isNull();
    assertThat(other.error)
        .isInstanceOf(IdempotencyConflictException.class)
        .hasMessageContaining(first.toString());
  }

  @Test
  void twoPublishesOfOneKeyInOneTurnAreOne() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 0, 64));
    MessageId message = MessageId.create(START, SeededRandom.of(5));
    Kept<ShardInput.Accepted> one = new Kept<>();
    Kept<ShardInput.Accepted> two = new Kept<>();
    byte[] payload = ShardHost.payload(2000);
    host.give(new ShardInput.Publish(message, payload, new long[] {1}, true, one));
    host.give(new ShardInput.Publish(message, payload, new long[] {1}, true, two));
    host.run();

    assertThat(List.of(one.answer, two.answer))
        .containsExactly(new ShardInput.Accepted(1, false), new ShardInput.Accepted(1, true));
    assertThat(host.ledger(1).accepted()).isEqualTo(1);
  }

  @Test
  void aMarkerOfAnOlderVersionDoesNotSayHowManyWereAccepted() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 0, 64));
    MessageId message = MessageId.create(START, SeededRandom.of(5));
    Batch batch = new Batch();
    batch.put(Keys.ofMessage(Keys.ACCEPTED, message), new byte[0]);
    host.store.write(batch);

    assertThat(publishKeyed(host, message)).isEqualTo(new ShardInput.Accepted(1, true));
    assertThat(host.ledger(1).accepted()).isZero();
  }

  @Test
  void anIdempotencyKeyIsForgottenAfterItsTime() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 0, 64));
    MessageId first = reserve(host, 7, 1).answer.message();
    host.nowMillis += SETTINGS.idempotencyMillis();
    assertThat(reserve(host, 7, 1).answer.message()).isEqualTo(first);
    host.nowMillis += 1;
    assertThat(reserve(host, 7, 2).answer.message()).isNotEqualTo(first);
  }

  @Test
  void theHistoryOfWhatHasEndedIsRemovedInPartsAndTheRestIsKept() {
    ShardSettings settings = SETTINGS.withHistory(Duration.ofMinutes(1));
    ShardHost host = new ShardHost(settings, spec(1, NO_RETRY, 0, 0, false, 64));
    for (int i = 0; i < 700; i++) {
      host.publish(1);
    }
    host.run();
    host.end(GONE);
    while (!host.started.isEmpty()) {
      host.end(null);
      host.run();
    }
    assertThat(host.ledger(1)).isEqualTo(new Ledger(700, 0, 699, 1, 0, 0, 0, 700));
    host.sleep(settings.sweepIntervalMillis() - 1);
    assertThat(histories(host)).isEqualTo(700);

    int turns = host.turns;
    host.sleep(1);

    assertThat(host.turns - turns).isGreaterThan(3);
    assertThat(new ShardReader(host.store).attempted(1, null, null, 1000, 1000).items())
        .extracting(delivery -> delivery.state().status())
        .containsExactly(Status.DEAD_LETTERED);
  }

  @Test
  void keysAndMarkersAreRemovedAfterTheirTime() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 0, 64));
    publishKeyed(host, reserve(host, 7, 1).answer.message());
    host.end(null);
    host.run();
    long before = SETTINGS.idempotencyMillis() - 1;
    host.sleep(before);
    assertThat(count(host, Keys.IDEMPOTENCY)).isEqualTo(1);
    assertThat(count(host, Keys.ACCEPTED)).isEqualTo(1);

    // The key goes first: a key without its marker would let a repeat through.
    host.sleep(SETTINGS.sweepIntervalMillis() + 1);
    assertThat(count(host, Keys.IDEMPOTENCY)).isZero();
    assertThat(count(host, Keys.ACCEPTED)).isEqualTo(1);

    host.sleep(2 * SETTINGS.sweepIntervalMillis());
    assertThat(count(host, Keys.ACCEPTED)).isZero();
  }

  @Test
  void theClockMustNotRunBackwards() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 0, 64));
    host.run();
    host.nowMillis--;
    assertThatThrownBy(host::turn)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("nowMillis is 1699999999999: must be >= 1700000000000, the last step's");
  }

  @Test
  void theClockIsRememberedAcrossARestart() {
    SimulatedStore store = new SimulatedStore();
    assertThat(Shard.storedClockMillis(store)).isZero();
    ShardHost host = new ShardHost(store, SETTINGS, spec(1, 0, 0, 64));
    host.publish(1);
    host.run();
    assertThat(Shard.storedClockMillis(store)).isEqualTo(START);
  }

  @Test
  void removingASubscriptionDiscardsThousandsInParts() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 0, 64), spec(2, 0, 0, 64));
    for (int i = 0; i < 1200; i++) {
      host.publishAt(START, 2000, 1, 2);
    }
    host.run();
    host.specs.remove(0);
    host.give(new ShardInput.Remove(1));
    host.turn();
    host.turn();
    // The process dies in the middle.
    host.restart();
    host.run();

    ShardReader reader = new ShardReader(host.store);
    assertThat(reader.closedLedger()).isEqualTo(new Ledger(1200, 0, 0, 0, 1200, 0, 0, 0));
    assertThat(reader.recount()).containsOnlyKeys(2L);
    assertThat(host.ledger(2)).isEqualTo(new Ledger(1200, 1200, 0, 0, 0, 0, 0, 0));
    host.started.forEach(claim -> assertThat(claim.subscription()).isEqualTo(2));
  }

  private static int histories(ShardHost host) {
    return new ShardReader(host.store).attempted(1, null, null, 1000, 1000).items().size();
  }

  private static int count(ShardHost host, byte kind) {
    int count = 0;
    try (Store.Cursor cursor = host.store.range(Keys.kind(kind), Keys.after(Keys.kind(kind)))) {
      while (cursor.next()) {
        count++;
      }
    }
    return count;
  }

  private static ShardInput.Accepted publishKeyed(ShardHost host, MessageId message) {
    Kept<ShardInput.Accepted> accepted = new Kept<>();
    host.give(
        new ShardInput.Publish(message, ShardHost.payload(3), new long[] {1}, true, accepted));
    host.run();
    return accepted.answer;
  }

  /** The place in a log is stored with what it brought, and never before. */
  @Test
  void aPlaceInTheLogIsStoredWithWhatCameBefore() {
    ShardHost host =
        new ShardHost(SETTINGS.withMemory(64, 1 << 20, 1 << 20, 600), spec(1, 0, 0, 1));
    assertThat(Shard.takenUpTo(host.store)).isEqualTo(-1);

    for (int i = 0; i < 10; i++) {
      MessageId message = MessageId.create(START, SeededRandom.of(i));
      ShardInput.Publish publish =
          new ShardInput.Publish(
              message, ShardHost.payload(3), new long[] {1}, false, new Kept<>());
      host.give(new ShardInput.Taken(List.of(publish), i));
    }
    long before = -1;
    while (host.ledger(1).accepted() < 10) {
      host.turn();
      long taken = Shard.takenUpTo(host.store);
      assertThat(taken).isGreaterThan(before).isLessThan(host.ledger(1).accepted());
      before = taken;
    }
    host.run();

    assertThat(before).as("the first turn had room for a part").isPositive();
    assertThat(Shard.takenUpTo(host.store)).isEqualTo(9);
  }

  @Test
  void thePlaceOfTheSecondLogNeverGoesBack() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, 0, 0, 1));
    assertThat(Shard.openTakenUpTo(host.store)).isEqualTo(-1);

    host.give(new ShardInput.OpenTaken(7));
    host.give(new ShardInput.OpenTaken(3));
    host.run();
    assertThat(Shard.openTakenUpTo(host.store)).isEqualTo(7);
    host.give(new ShardInput.OpenTaken(5));
    host.run();
    assertThat(Shard.openTakenUpTo(host.store)).isEqualTo(7);
    assertThat(Shard.takenUpTo(host.store)).as("that of the first").isEqualTo(-1);

    host.restart();
    host.give(new ShardInput.OpenTaken(6));
    host.run();
    assertThat(Shard.openTakenUpTo(host.store)).isEqualTo(7);
  }

  private static Kept<ShardInput.Reserved> reserve(ShardHost host, int key, long fingerprint) {
    Kept<ShardInput.Reserved> reply = new Kept<>();
    MessageId proposed = MessageId.create(host.nowMillis, SeededRandom.of(host.turns));
    ShardInput.Keyed keyed = new ShardInput.Keyed(proposed, SHARDS);
    host.give(new ShardInput.Reserve(new byte[] {(byte) key}, fingerprint, keyed, reply));
    host.run();
    return reply;
  }

  private static SweepRequest all(ShardHost host) {
    return new SweepRequest(DeadLetterFilter.ALL, host.nowMillis, null, 100, 0, 0);
  }

  private static SubscriptionSpec spec(
      long number, long maxPerSecond, long lifetimeMillis, int maxInFlight) {
    return spec(number, HOURLY, maxPerSecond, lifetimeMillis, false, maxInFlight);
  }

  private static SubscriptionSpec spec(
      long number,
      RetryPolicy policy,
      long maxPerSecond,
      long lifetimeMillis,
      boolean discard,
      int maxInFlight) {
    return new SubscriptionSpec(
        number, policy, maxPerSecond, lifetimeMillis, discard, maxInFlight, "host " + number);
  }
}
