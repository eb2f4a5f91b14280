package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.StopReason;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.shard.ShardHost.Kept;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Damaged records, endpoints that hang or ask for silence, and what a backlog costs. */
class ShardUnderFireTest {
  private static final ShardSettings SETTINGS = ShardSettings.DEFAULT;
  private static final HttpFailure DOWN = HttpFailure.status(503, null);

  private static SubscriptionSpec spec(long number) {
    return new SubscriptionSpec(number, HOURLY, 0, 0, false, 64, "host " + number);
  }

  private static SubscriptionSpec[] specs(int count) {
    return LongStream.rangeClosed(1, count)
        .mapToObj(ShardUnderFireTest::spec)
        .toArray(SubscriptionSpec[]::new);
  }

  // --- records that cannot be read -----------------------------------------------------------

  private static void change(ShardHost host, byte kind, BiConsumer<Batch, byte[]> change) {
    Batch batch = new Batch();
    try (Store.Cursor cursor = host.store.range(Keys.kind(kind), Keys.after(Keys.kind(kind)))) {
      while (cursor.next()) {
        change.accept(batch, cursor.key());
      }
    }
    assertThat(batch.isEmpty()).isFalse();
    host.store.write(batch);
  }

  @Test
  void aRecordOfANewerProgramComesBackOnceItCanBeRead() {
    ShardHost host = new ShardHost(SETTINGS, spec(1), spec(2));
    MessageId message = host.publish(1);
    host.publish(2);
    host.run();
    byte[][] original = new byte[1][];
    change(
        host,
        Keys.PENDING,
        (batch, key) -> {
          if (Keys.subscription(key) == 1) {
            original[0] = host.store.get(key);
            batch.deleteOnce(key);
            batch.putOnce(key, new byte[] {9, 1, 2});
          }
        });
    host.restart();
    host.run();

    assertThat(host.started).extracting(Claim::subscription).containsExactly(2L);
    assertThat(host.ledger(1)).isEqualTo(new Ledger(1, 0, 0, 1, 0, 0, 0, 0));
    ShardReader reader = new ShardReader(host.store);
    StoredDelivery shown = reader.find(1, message);
    assertThat(shown.state().status()).isEqualTo(Status.DEAD_LETTERED);
    assertThat(shown.state().reason()).isEqualTo(StopReason.UNREADABLE);
    StoredDelivery listed =
        reader.deadLetters(1, DeadLetterFilter.ALL, null, 10, 10).items().get(0);
    assertThat(listed.last()).contains("version 9");

    host.sleep(10);
    assertThat(redrive(host)).as("as unreadable as before").isZero();
    assertThat(host.ledger(1).deadLettered()).isEqualTo(1);

    // The program that can read it: here, the record as it was before.
    change(
        host,
        Keys.DEAD_LETTER,
        (batch, key) -> {
          Dead dead = Dead.decode(key, host.store.get(key));
          batch.put(
              key,
              new Dead(
                      dead.message(),
                      dead.diedAtMillis(),
                      dead.attempts(),
                      dead.reason(),
                      dead.summary(),
                      original[0])
                  .encode());
        });
    host.started.clear();
    assertThat(redrive(host)).isEqualTo(1);
    assertThat(host.started).extracting(Claim::message).containsExactly(message);
    host.end(null);
    host.run();
    assertThat(host.ledger(1)).isEqualTo(new Ledger(1, 0, 1, 0, 0, 0, 0, 1));
  }

  private static int redrive(ShardHost host) {
    Kept<SweepProgress> reply = new Kept<>();
    SweepRequest request =
        new SweepRequest(DeadLetterFilter.ALL, host.nowMillis + 1, null, 100, 0, 0);
    host.give(new ShardInput.Redrive(1, request, reply));
    host.run();
    return reply.answer.changed();
  }

  @Test
  void aPayloadThatIsGoneCostsItsDeliveriesAndNoOther() {
    ShardHost host = new ShardHost(SETTINGS, specs(3));
    host.publishAt(host.nowMillis, 5_000, 1, 2);
    host.publishAt(host.nowMillis, 5_000, 3);
    // Accepted, and not begun when the payload goes.
    host.store.write(host.lastTurn().writes());
    MessageId[] lost = new MessageId[1];
    change(
        host,
        Keys.PENDING,
        (batch, key) -> {
          if (Keys.subscription(key) == 1) {
            lost[0] = Keys.message(key);
            batch.delete(Keys.ofMessage(Keys.PAYLOAD, Keys.message(key)));
          }
        });
    host.restart();
    host.run();

    assertThat(host.started).extracting(Claim::subscription).containsExactly(3L);
    assertThat(host.ledger(1).deadLettered()).isEqualTo(1);
    assertThat(host.ledger(2).deadLettered()).isEqualTo(1);
    assertThat(new ShardReader(host.store).find(1, lost[0]).state().reason())
        .isEqualTo(StopReason.UNREADABLE);
  }

  @Test
  void aLedgerThatCannotBeReadBeginsAnewWithWhatCanBeCounted() {
    ShardHost host = new ShardHost(SETTINGS, spec(1), spec(2));
    host.publish(1);
    host.publish(1, 2);
    host.run();
    change(
        host,
        Keys.LEDGER,
        (batch, key) -> {
          if (Keys.subscription(key) == 1) {
            batch.put(key, new byte[] {77});
          }
        });
    host.restart();
    host.run();
    assertThat(host.started).hasSize(3);
    while (!host.started.isEmpty()) {
      host.end(null);
    }
    host.run();

    assertThat(host.ledger(1)).isEqualTo(new Ledger(2, 0, 2, 0, 0, 0, 0, 2));
    assertThat(host.ledger(2)).isEqualTo(new Ledger(1, 0, 1, 0, 0, 0, 0, 1));
  }

  @Test
  void aRecordCutShortDoesNotAskForMemoryItDoesNotHold() {
    byte[] announcesTwoGigabytes = {1, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1, -1, -1, -1, 7};
    assertThat(
            Pending.read(
                Keys.timed(Keys.PENDING, 1, 0, new MessageId(1, 1)), announcesTwoGigabytes))
        .isNull();
  }

  // --- endpoints that hang -------------------------------------------------------------------

  private static void end(ShardHost host, Claim claim, Duration took) {
    host.started.remove(claim);
    host.give(
        new ShardInput.Completed(claim, SimulatedEndpoint.success(took.toNanos()), host.nowMillis));
  }

  @Test
  void threeThousandHangingEndpointsDelayNoPromptOne() {
    ShardSettings settings = SETTINGS.withMemory(2048, 64 << 20, 32 << 20, 16 << 20);
    ShardHost host = new ShardHost(settings, specs(3001));
    host.publish(3001);
    host.run();
    end(host, host.started.get(0), Duration.ofMillis(5));
    host.run();
    for (int i = 0; i < 3; i++) {
      host.publish(LongStream.rangeClosed(1, 3000).toArray());
    }
    host.run();
    assertThat(host.started).as("all the places that they may have").hasSize(1024);

    for (int round = 0; round < 40; round++) {
      host.sleep(500);
      MessageId message = host.publish(3001);
      host.run();
      Claim claim = host.started.get(host.started.size() - 1);
      assertThat(claim.message()).as("starts in the very turn that takes it in").isEqualTo(message);
      end(host, claim, Duration.ofMillis(5));
      for (Claim hung : List.copyOf(host.started)) {
        if ((host.nowMillis - ShardHost.START) * 1_000_000 >= 15_000_000_000L && round % 30 == 29) {
          host.started.remove(hung);
          host.give(
              new ShardInput.Completed(
                  hung,
                  new AttemptOutcome(
                      HttpFailure.timeout(), 0, "timeout", "", new byte[0], 15_000_000_000L),
                  host.nowMillis));
        }
      }
      host.run();
    }
    assertThat(host.started.size()).as("known to hang: a quarter").isBetween(512, 1024);
  }

  @Test
  void promptEndpointsThatBeginToHangGiveTheirPlacesToOthers() {
    ShardSettings settings = SETTINGS.withMemory(64, 64 << 20, 32 << 20, 16 << 20);
    ShardHost host = new ShardHost(settings, specs(65));
    for (int number = 1; number <= 65; number++) {
      host.publish(number);
      host.run();
      end(host, host.started.get(0), Duration.ofMillis(5));
      host.run();
    }
    host.publish(LongStream.rangeClosed(1, 64).toArray());
    host.run();
    assertThat(host.started).hasSize(64);
    MessageId waiting = host.publish(65);
    host.run();
    assertThat(host.started).as("no place is left").hasSize(64);

    host.sleep(6_000);

    assertThat(host.started).extracting(Claim::message).contains(waiting);
  }

  @Test
  void anAttemptThatWasNotMadeCountsForNothingAndIsMadeLater() {
    ShardHost host = new ShardHost(SETTINGS, spec(1));
    MessageId message = host.publish(1);
    host.run();
    Claim claim = host.started.remove(0);
    host.give(
        new ShardInput.Completed(
            claim, AttemptOutcome.notMade("no connection is free"), host.nowMillis));
    host.run();
    assertThat(host.started).isEmpty();
    assertThat(host.ledger(1)).isEqualTo(new Ledger(1, 1, 0, 0, 0, 0, 0, 0));

    host.sleep(1_000);

    assertThat(host.started).extracting(Claim::message).containsExactly(message);
    assertThat(host.started.get(0).attempt()).isEqualTo(1);
  }

  // --- silence -------------------------------------------------------------------------------

  @Test
  void aPauseThatAnEndpointAskedForSurvivesARestart() {
    ShardHost host = new ShardHost(SETTINGS, spec(1));
    for (int i = 0; i < 20; i++) {
      host.publish(1);
    }
    host.run();
    HttpFailure silence = HttpFailure.status(429, Duration.ofSeconds(60));
    while (!host.started.isEmpty()) {
      host.end(silence);
    }
    host.run();
    assertThat(host.started).isEmpty();

    host.sleep(10_000);
    host.restart();
    host.run();
    assertThat(host.started).as("in the endpoint's silence").isEmpty();
    host.sleep(49_000);
    assertThat(host.started).isEmpty();

    host.sleep(1_001);
    assertThat(host.started).isNotEmpty();
  }

  @Test
  void attemptNowMakesWhatWaitsDueAndEndsThePause() {
    ShardHost host = new ShardHost(SETTINGS, spec(1));
    MessageId first = host.publish(1);
    host.run();
    host.end(HttpFailure.status(503, Duration.ofSeconds(200)));
    host.run();
    host.publish(1);
    host.run();
    assertThat(host.started).as("the endpoint asked for silence").isEmpty();

    Kept<SweepProgress> reply = new Kept<>();
    host.give(new ShardInput.AttemptNow(1, null, null, 100, reply));
    host.run();

    assertThat(reply.answer).isEqualTo(new SweepProgress(1, null, 1));
    // After a failure there is one place: the message that never waited has it first.
    host.end(null);
    host.run();
    Claim again = host.started.get(0);
    assertThat(again.message()).isEqualTo(first);
    assertThat(again.attempt()).isEqualTo(2);
    host.end(again, DOWN);
    host.run();
    StoredDelivery shown = new ShardReader(host.store).find(1, first);
    assertThat(shown.due().retry()).as("the retries made so far count on").isEqualTo(2);
  }

  @Test
  void attemptNowForOneMessageLeavesTheOthersWaiting() {
    ShardHost host = new ShardHost(SETTINGS, spec(1));
    MessageId first = host.publish(1);
    host.publish(1);
    host.run();
    host.end(DOWN);
    host.end(DOWN);
    host.run();

    host.give(new ShardInput.AttemptNow(1, first, null, 100, ShardHost.ignored()));
    host.run();

    assertThat(host.started).extracting(Claim::message).containsExactly(first);
  }

  // --- memory --------------------------------------------------------------------------------

  @Test
  void whatIsBlockedKeepsNothingInMemory() {
    int count = 500;
    ShardHost host = new ShardHost(SETTINGS, specs(count));
    for (int i = 0; i < 34; i++) {
      for (int number = 1; number <= count; number++) {
        host.publishAt(host.nowMillis, 900, number);
      }
    }
    host.run();
    HttpFailure silence = HttpFailure.status(429, Duration.ofHours(1));
    while (!host.started.isEmpty()) {
      host.end(silence);
    }
    host.run();

    assertThat(host.started).isEmpty();
    assertThat(host.shard().readAheadBytes()).isZero();
  }

  @Test
  void whatIsReadAheadForAllTogetherIsBounded() {
    long most = 100_000;
    ShardHost host = new ShardHost(SETTINGS.withMemory(4096, 64 << 20, most, 16 << 20), specs(200));
    for (int i = 0; i < 34; i++) {
      for (int number = 1; number <= 200; number++) {
        host.publishAt(host.nowMillis, 900, number);
      }
    }
    for (int turn = 0; turn < 300; turn++) {
      host.turn();
      assertThat(host.shard().readAheadBytes()).isLessThan(most + (256 << 10) + 64 * 1200);
      if (!host.started.isEmpty()) {
        host.end(null);
      }
    }
    while (host.ledger(1).pending() > 0 || !host.started.isEmpty()) {
      while (!host.started.isEmpty()) {
        host.end(null);
      }
      host.run();
    }
    assertThat(host.ledger(200)).isEqualTo(new Ledger(34, 0, 34, 0, 0, 0, 0, 34));
  }
}
