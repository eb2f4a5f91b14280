package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.EndpointHealth.GroupHold;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.RepeatReason;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.carrier.CarrierVerdict;
import dev.reprise.delivery.carrier.Concern;
import dev.reprise.delivery.carrier.Consequence;
import dev.reprise.delivery.shard.ShardHost.Kept;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What some are refused does not hold up the others of their host or carrier for long. */
class HeldGroupsTest {
  private static final HttpFailure FORBIDDEN = HttpFailure.status(403, null);
  private static final String HOST = "https://example.com:443";
  private static final String OTHER_HOST = "https://other.example:443";
  private static final AttemptOutcome NO_SUCH_USER =
      new AttemptOutcome(
          CarrierFailure.RECIPIENT_REFUSED, 550, "550 5.1.1 no such user", "", new byte[0], 1);
  private static final AttemptOutcome TOO_LARGE =
      new AttemptOutcome(
          CarrierFailure.OF_RECIPIENT, 552, "552 5.3.4 too large", "", new byte[0], 1);

  private static SubscriptionSpec spec(long number, String group) {
    return new SubscriptionSpec(number, HOURLY, 0, 0, false, 64, group);
  }

  private static ShardHost host(int subscriptions, String group) {
    return new ShardHost(
        ShardSettings.DEFAULT,
        LongStream.rangeClosed(1, subscriptions)
            .mapToObj(number -> spec(number, group))
            .toArray(SubscriptionSpec[]::new));
  }

  private static void answer(ShardHost host, Function<Claim, HttpFailure> answers) {
    host.run();
    while (!host.started.isEmpty()) {
      Claim claim = host.started.get(0);
      host.end(claim, answers.apply(claim));
      host.run();
    }
  }

  private static void refuse(ShardHost host) {
    answer(host, claim -> FORBIDDEN);
  }

  /** A host that is held after the first ten, with a message for each subscription behind them. */
  private static ShardHost held(int subscriptions) {
    ShardHost host = host(subscriptions, HOST);
    for (int number = 1; number <= 10; number++) {
      host.publish(number);
    }
    refuse(host);
    assertThat(host.shard().held())
        .singleElement()
        .extracting(RefusalHold::subscription)
        .isEqualTo(0L);
    for (int number = 11; number <= subscriptions; number++) {
      host.publish(number);
    }
    host.run();
    return host;
  }

  private static long dead(ShardHost host) {
    return host.specs.stream().mapToLong(s -> host.ledger(s.number()).deadLettered()).sum();
  }

  // --- what counts ----------------------------------------------------------------------------

  @Test
  void deadRecipientsOfOneCustomerDoNotHoldTheirCarrier() {
    ShardHost host = host(1000, "carrier mail");
    for (int number = 1; number < 1000; number++) {
      host.publish(number);
    }
    assertThat(refuseAll(host, NO_SUCH_USER)).isEqualTo(999);
    assertThat(host.shard().held()).isEmpty();
    host.publish(1000);
    answer(host, claim -> null);
    assertThat(host.ledger(1000).delivered()).isEqualTo(1);
  }

  /** A mail service of many millions said so of all its users for hours. */
  @Test
  void aCarrierThatKnowsNobodyAnyMoreIsHeld() {
    ShardHost host = served(40, "carrier mail");
    assertThat(refuseAll(host, NO_SUCH_USER)).isEqualTo(10);
    assertThat(host.shard().held())
        .singleElement()
        .satisfies(hold -> assertThat(hold.code()).isEqualTo("550 5.1.1"))
        .satisfies(hold -> assertThat(hold.group()).isEqualTo("carrier mail"));
    host.sleep(1000);
    answer(host, claim -> null);
    host.sleep(10_000);
    answer(host, claim -> null);
    assertThat(dead(host)).isEqualTo(10);
    assertThat(host.shard().held()).isEmpty();
  }

  @Test
  void aMessageThatNobodyTakesDoesNotHoldTheCarrier() {
    ShardHost host = served(40, "carrier mail");
    assertThat(refuseAll(host, TOO_LARGE)).isEqualTo(40);
    assertThat(host.shard().held()).isEmpty();
  }

  @Test
  void oneRecipientThatHasGoneDoesNotHoldTheCarrier() {
    ShardHost host = served(2, "carrier mail");
    for (int i = 0; i < 30; i++) {
      host.publish(1);
    }
    refuseAll(host, NO_SUCH_USER);
    assertThat(host.shard().held())
        .singleElement()
        .extracting(RefusalHold::subscription)
        .isEqualTo(1L);
  }

  /** Subscriptions that took a message before, each with one more that is under way. */
  private static ShardHost served(int subscriptions, String group) {
    ShardHost host = host(subscriptions, group);
    for (int round = 0; round < 2; round++) {
      for (int number = 1; number <= subscriptions; number++) {
        host.publish(number);
      }
      if (round == 0) {
        answer(host, claim -> null);
      }
    }
    return host;
  }

  /** Refuses what is started until nothing is; returns how many deliveries are given up. */
  private static long refuseAll(ShardHost host, AttemptOutcome outcome) {
    host.run();
    while (!host.started.isEmpty()) {
      host.end(host.started.get(0), outcome);
      host.run();
    }
    return dead(host);
  }

  @Test
  void whatIsAboutOneRecipientOrMessageSaysNothingOfItsCarrier() {
    for (CarrierVerdict verdict : CarrierVerdict.values()) {
      boolean isGivenUp = verdict.consequence() == Consequence.GIVE_UP;
      assertThat(CarrierFailure.isOfRecipient(verdict.failure()))
          .isEqualTo(isGivenUp && verdict.concern() == Concern.MESSAGE);
      assertThat(CarrierFailure.isRecipientRefused(verdict.failure()))
          .isEqualTo(isGivenUp && verdict.concern() == Concern.RECIPIENT);
    }
    assertThat(CarrierFailure.isOfRecipient(CarrierFailure.PERMANENT)).isFalse();
    assertThat(CarrierFailure.OF_RECIPIENT).isEqualTo(CarrierFailure.PERMANENT);
    assertThat(CarrierFailure.RECIPIENT_REFUSED).isEqualTo(CarrierFailure.PERMANENT);
  }

  @Test
  void manyMessagesOfAFewPathsDoNotHoldTheirHost() {
    ShardHost host = host(10, HOST);
    for (int number = 1; number <= 9; number++) {
      for (int i = 0; i < 30; i++) {
        host.publish(number);
      }
      refuse(host);
    }
    assertThat(host.shard().held()).allMatch(hold -> hold.subscription() != 0).hasSize(9);
    host.publish(10);
    answer(host, claim -> null);
    assertThat(host.ledger(10).delivered()).isEqualTo(1);
  }

  // --- who is tried ---------------------------------------------------------------------------

  @Test
  void eachSubscriptionIsTriedOnceBeforeTheWaitGrows() {
    ShardHost host = held(60);
    Set<Long> tried = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      host.sleep(1000);
      answer(
          host,
          claim -> {
            tried.add(claim.subscription());
            return FORBIDDEN;
          });
    }
    assertThat(tried).hasSize(50);
    assertThat(dead(host)).isEqualTo(10);
  }

  @Test
  void aNewcomerIsTriedBeforeThoseThatWereTriedInThisHold() {
    ShardHost host = held(60);
    long end = host.nowMillis + 1_800_000;
    while (host.nowMillis < end) {
      host.sleep(500);
      refuse(host);
    }
    long published = host.nowMillis;
    // Its own messages have all ended: this is its first delivery in the hold.
    host.publish(1);
    while (host.ledger(1).delivered() == 0) {
      host.sleep(500);
      answer(host, claim -> claim.subscription() == 1 ? null : FORBIDDEN);
      assertThat(host.nowMillis - published).isLessThanOrEqualTo(61_000);
    }
  }

  @Test
  void theWaitGrowsWhereTheSameIsTriedAgain() {
    ShardHost host = held(12);
    long before = attempts(host);
    long end = host.nowMillis + 3_600_000;
    while (host.nowMillis < end) {
      host.sleep(500);
      refuse(host);
    }
    assertThat(attempts(host) - before).isBetween(60L, 75L);
  }

  private static long attempts(ShardHost host) {
    return host.specs.stream().mapToLong(s -> host.ledger(s.number()).attempts()).sum();
  }

  @Test
  void anAttemptNowTriesTheOneThatWasAskedFor() {
    ShardHost host = held(60);
    host.give(new ShardInput.AttemptNow(45, null, null, 100, ShardHost.<SweepProgress>ignored()));
    host.run();
    assertThat(host.started).singleElement().extracting(Claim::subscription).isEqualTo(45L);
  }

  @Test
  void anAttemptNowOfWhatWasTriedBeforeIsTheNextTry() {
    ShardHost host = held(60);
    host.sleep(1000);
    host.run();
    long tried = host.started.get(0).subscription();
    host.end(FORBIDDEN);
    host.run();
    host.give(
        new ShardInput.AttemptNow(tried, null, null, 100, ShardHost.<SweepProgress>ignored()));
    host.run();
    assertThat(host.started).singleElement().extracting(Claim::subscription).isEqualTo(tried);
  }

  @Test
  void changedSettingsAreTriedByTheirOwnSubscription() {
    ShardHost host = held(60);
    host.give(new ShardInput.Configure(spec(33, HOST)));
    host.run();
    assertThat(host.started).singleElement().extracting(Claim::subscription).isEqualTo(33L);
  }

  @Test
  void aReleaseOfOneSubscriptionCostsNoDeliveriesOfOthers() {
    ShardHost host = held(60);
    for (int i = 0; i < 5; i++) {
      host.publish(40);
      Kept<Boolean> released = new Kept<>();
      host.give(new ShardInput.Release(40, released));
      host.run();
      assertThat(released.answer).isTrue();
      assertThat(host.started).singleElement().extracting(Claim::subscription).isEqualTo(40L);
      refuse(host);
      host.sleep(100);
      refuse(host);
    }
    assertThat(dead(host)).isEqualTo(10);
    assertThat(host.shard().held()).hasSize(1);
  }

  // --- old and new endpoints ------------------------------------------------------------------

  @Test
  void lateRefusalsOfAFormerHostDoNotHoldTheNewOne() {
    ShardHost host = host(1, HOST);
    for (int i = 0; i < 500; i++) {
      host.publish(1);
    }
    answer(host, claim -> null);
    for (int i = 0; i < 100; i++) {
      host.publish(1);
    }
    host.run();
    assertThat(host.started.size()).isGreaterThan(20);
    int late = host.started.size();
    host.give(new ShardInput.Configure(spec(1, OTHER_HOST)));
    host.turn();
    for (int i = 0; i < late; i++) {
      host.end(FORBIDDEN);
    }
    host.turn();
    assertThat(host.shard().held()).isEmpty();
    answer(host, claim -> null);
    assertThat(host.ledger(1).pending()).isZero();
  }

  @Test
  void whoIsHeldAloneDoesNotBlameTheHost() {
    ShardHost host = host(2, HOST);
    for (int i = 0; i < 20; i++) {
      host.publish(1);
    }
    refuse(host);
    Kept<EndpointHealth> health = new Kept<>();
    host.give(new ShardInput.Inspect(1, health));
    host.run();
    assertThat(health.answer.groupHold().group()).isEqualTo(GroupHold.SUBSCRIPTION);
    assertThat(health.answer.groupHold().reason()).contains("403");
  }

  // --- a template that was wrong --------------------------------------------------------------

  @Test
  void newTrafficGoesOnWhenAThousandOldMessagesAreBad() {
    ShardHost host = host(1, HOST);
    for (int i = 0; i < 1000; i++) {
      host.publishAt(host.nowMillis, 1, 1);
    }
    Function<Claim, HttpFailure> byBody =
        claim -> PayloadRecord.decode(claim.payload()).body().length == 1 ? FORBIDDEN : null;
    answer(host, byBody);
    for (int i = 0; i < 300; i++) {
      host.sleep(1000);
      answer(host, byBody);
    }
    assertThat(host.ledger(1).deadLettered()).isEqualTo(10);
    // The template is mended.
    for (int i = 0; i < 5; i++) {
      host.publishAt(host.nowMillis, 2, 1);
    }
    for (int i = 0; i < 300; i++) {
      host.sleep(1000);
      answer(host, byBody);
    }
    assertThat(host.ledger(1).delivered()).isEqualTo(5);
  }

  // --- the clock ------------------------------------------------------------------------------

  @Test
  void aHoldGoesOnWithTheClockThatIsTakenBack() {
    long ahead = 365 * 86_400_000L;
    ShardHost wrong = host(60, HOST);
    wrong.nowMillis += ahead;
    wrong.restart();
    for (int number = 1; number <= 60; number++) {
      wrong.publish(number);
    }
    for (int i = 0; i < 20; i++) {
      wrong.publish(1);
    }
    refuse(wrong);
    assertThat(wrong.shard().held()).isNotEmpty();
    MessageId unclear = new MessageId(1, 2);
    Pending pending =
        Pending.first(unclear, wrong.nowMillis, ShardHost.payload(1))
            .withUnclear(RepeatReason.TIMED_OUT);
    Pending due =
        new Pending(
            unclear,
            wrong.nowMillis,
            1,
            0,
            wrong.nowMillis,
            pending.reason(),
            pending.payload(),
            pending.unclear());
    Batch batch = new Batch();
    batch.putOnce(due.key(2), due.encode());
    wrong.store.write(batch);

    long now = wrong.nowMillis - ahead;
    ClockReset.run(wrong.store, now, wrong.nowMillis);
    assertThat(unclear(wrong.store, 2, unclear)).isEqualTo(RepeatReason.TIMED_OUT);
    ShardHost host =
        new ShardHost(
            wrong.store, ShardSettings.DEFAULT, wrong.specs.toArray(SubscriptionSpec[]::new));
    host.nowMillis = now;
    host.restart();
    assertThat(host.shard().held())
        .isNotEmpty()
        .extracting(RefusalHold::sinceMillis)
        .allSatisfy(since -> assertThat(since).isLessThanOrEqualTo(now));
    answer(host, claim -> null);
    host.sleep(10_000);
    answer(host, claim -> null);
    assertThat(host.shard().held()).isEmpty();
    for (int number = 3; number <= 60; number++) {
      assertThat(host.ledger(number).pending()).isZero();
    }
  }

  private static RepeatReason unclear(Store store, long subscription, MessageId message) {
    byte[] from = Keys.ofSubscription(Keys.PENDING, subscription);
    try (Store.Cursor cursor = store.range(from, Keys.after(from))) {
      while (cursor.next()) {
        if (Keys.message(cursor.key()).equals(message)) {
          return Pending.decode(cursor.key(), cursor.value()).unclear();
        }
      }
    }
    throw new AssertionError("it is gone");
  }
}
