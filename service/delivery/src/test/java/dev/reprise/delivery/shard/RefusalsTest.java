package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.StopReason;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.StoredDelivery;
import dev.reprise.delivery.SweepProgress;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.carrier.CarrierFailure;
import dev.reprise.delivery.shard.ShardHost.Kept;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A backlog does not die of one cause. */
class RefusalsTest {
  private static final HttpFailure FORBIDDEN = HttpFailure.status(403, null);
  private static final HttpFailure NOT_FOUND = HttpFailure.status(404, null);
  private static final HttpFailure BUSY = HttpFailure.status(503, null);
  private static final String HOST = "https://example.com:443";

  private static SubscriptionSpec spec(long number) {
    return new SubscriptionSpec(number, HOURLY, 0, 0, false, 64, HOST);
  }

  private static ShardHost host(int subscriptions) {
    return host(ShardSettings.DEFAULT, subscriptions);
  }

  private static ShardHost host(ShardSettings settings, int subscriptions) {
    return new ShardHost(
        settings,
        LongStream.rangeClosed(1, subscriptions)
            .mapToObj(RefusalsTest::spec)
            .toArray(SubscriptionSpec[]::new));
  }

  /** Publishes and lets endpoints answer everything until nothing more starts at this time. */
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

  private static void publish(ShardHost host, int count, long... subscriptions) {
    for (int i = 0; i < count; i++) {
      host.publish(subscriptions);
    }
  }

  private static EndpointHealth health(ShardHost host, long subscription) {
    Kept<EndpointHealth> health = new Kept<>();
    host.give(new ShardInput.Inspect(subscription, health));
    host.run();
    return health.answer;
  }

  // --- one subscription -----------------------------------------------------------------------

  @Test
  void tenRefusedAlikeHoldTheRest() {
    ShardHost host = host(1);
    publish(host, 100, 1);
    refuse(host);
    assertThat(host.ledger(1).deadLettered()).isEqualTo(10);
    assertThat(host.ledger(1).pending()).isEqualTo(90);
    assertThat(host.shard().held())
        .singleElement()
        .satisfies(
            hold -> {
              assertThat(hold.subscription()).isEqualTo(1);
              assertThat(hold.code()).isEqualTo("403");
              assertThat(hold.count()).isEqualTo(10);
            });
    assertThat(health(host, 1).groupHold().reason())
        .contains("10 deliveries in a row were given up with 403");
  }

  @Test
  void aTryIsOneAtATimeAndChargesNobody() {
    ShardHost host = host(1);
    publish(host, 100, 1);
    refuse(host);
    long before = host.ledger(1).attempts();
    int most = 0;
    long end = host.nowMillis + 3_600_000;
    while (host.nowMillis < end) {
      host.sleep(500);
      most = Math.max(most, host.started.size());
      refuse(host);
    }
    assertThat(most).isEqualTo(1);
    assertThat(host.ledger(1).deadLettered()).isEqualTo(10);
    assertThat(host.ledger(1).pending()).isEqualTo(90);
    assertThat(host.ledger(1).attempts() - before).isBetween(60L, 75L);
  }

  @Test
  void aSuccessEndsTheHoldAndNothingIsLost() {
    ShardHost host = host(1);
    publish(host, 100, 1);
    refuse(host);
    host.sleep(1000);
    answer(host, claim -> null);
    host.sleep(120_000);
    answer(host, claim -> null);
    assertThat(host.ledger(1).delivered()).isEqualTo(90);
    assertThat(host.ledger(1).pending()).isZero();
    assertThat(host.shard().held()).isEmpty();
  }

  @Test
  void whatIsRefusedOnItsOwnIsGivenUpAsEver() {
    ShardHost host = host(1);
    for (int i = 0; i < 50; i++) {
      publish(host, 9, 1);
      refuse(host);
      publish(host, 1, 1);
      answer(host, claim -> null);
    }
    assertThat(host.ledger(1).deadLettered()).isEqualTo(450);
    assertThat(host.shard().held()).isEmpty();
  }

  @Test
  void anotherCodeIsAnotherCause() {
    ShardHost host = host(1);
    publish(host, 9, 1);
    refuse(host);
    publish(host, 9, 1);
    answer(host, claim -> NOT_FOUND);
    publish(host, 9, 1);
    refuse(host);
    assertThat(host.ledger(1).deadLettered()).isEqualTo(27);
    assertThat(host.shard().held()).isEmpty();
  }

  @Test
  void badMessagesInFrontOfGoodOnesHoldThemForOneTry() {
    ShardHost host = host(1);
    for (int i = 0; i < 20; i++) {
      host.publishAt(host.nowMillis, i < 15 ? 1 : 2, 1);
    }
    Function<Claim, HttpFailure> byBody =
        claim -> PayloadRecord.decode(claim.payload()).body().length == 1 ? FORBIDDEN : null;
    answer(host, byBody);
    for (int i = 0; i < 600; i++) {
      host.sleep(1000);
      answer(host, byBody);
    }
    assertThat(host.ledger(1).delivered()).isEqualTo(5);
    assertThat(host.ledger(1).pending()).isZero();
  }

  @Test
  void aTryThatWaitsSaysSoInItsHistory() {
    ShardHost host = host(1);
    publish(host, 10, 1);
    refuse(host);
    MessageId waiting = host.publish(1);
    host.sleep(1000);
    refuse(host);
    StoredDelivery shown = new ShardReader(host.store).find(1, waiting);
    HistoryEvent last = shown.history().get(shown.history().size() - 1);
    assertThat(last.due().kind()).isEqualTo(DueReason.Kind.HELD);
    assertThat(last.due().describe()).contains("not charged", "2 s");
    assertThat(shown.attempts()).isEqualTo(1);
  }

  @Test
  void attemptsUnderWayTogetherCostNoMoreThanTheBound() {
    ShardHost host = host(1);
    // Slow start is over: many are under way when the first is refused.
    publish(host, 500, 1);
    answer(host, claim -> null);
    publish(host, 200, 1);
    host.run();
    assertThat(host.started.size()).isGreaterThan(20);
    while (!host.started.isEmpty()) {
      host.end(FORBIDDEN);
    }
    host.run();
    assertThat(host.ledger(1).deadLettered()).isEqualTo(10);
    assertThat(host.ledger(1).pending()).isEqualTo(190);
  }

  @Test
  void aFailureThatMayPassIsChargedAndEndsNoHold() {
    ShardHost host = host(1);
    publish(host, 20, 1);
    refuse(host);
    host.sleep(1000);
    answer(host, claim -> BUSY);
    assertThat(host.shard().held()).hasSize(1);
    assertThat(host.ledger(1).deadLettered()).isEqualTo(10);
  }

  @Test
  void aBoundOfNeverHoldsNothing() {
    ShardHost host = host(ShardSettings.DEFAULT.withHoldAfter(0), 1);
    publish(host, 100, 1);
    refuse(host);
    assertThat(host.ledger(1).deadLettered()).isEqualTo(100);
  }

  @Test
  void aLetterThatIsRedrivenAgainAndAgainCountsOnce() {
    ShardHost host = host(1);
    publish(host, 1, 1);
    for (int i = 0; i < 30; i++) {
      refuse(host);
      host.nowMillis += 10;
      host.give(
          new ShardInput.Redrive(
              1,
              new SweepRequest(DeadLetterFilter.ALL, host.nowMillis, null, 10, 0, 0),
              ShardHost.<SweepProgress>ignored()));
    }
    refuse(host);
    assertThat(host.shard().held()).isEmpty();
    assertThat(host.ledger(1).deadLettered()).isEqualTo(1);
  }

  @Test
  void anEndpointThatHasGoneIsSuspendedAsEver() {
    SubscriptionSpec spec =
        new SubscriptionSpec(1, HOURLY, 0, 0, false, 64, HOST, false, /* suspendsWhenGone= */ true);
    ShardHost host = new ShardHost(ShardSettings.DEFAULT, spec);
    publish(host, 20, 1);
    answer(host, claim -> HttpFailure.status(410, null));
    assertThat(new ShardReader(host.store).held(1)).isNotNull();
    assertThat(host.shard().held()).isEmpty();
  }

  // --- restarts -------------------------------------------------------------------------------

  @Test
  void aCrashKeepsTheHoldWithCodeAndCount() {
    ShardHost host = host(1);
    publish(host, 100, 1);
    refuse(host);
    RefusalHold before = host.shard().held().get(0);
    for (int i = 0; i < 5; i++) {
      host.restart();
      assertThat(host.shard().held()).containsExactly(before);
      host.sleep(100);
      refuse(host);
    }
    assertThat(host.ledger(1).deadLettered()).isEqualTo(10);
    host.sleep(1000);
    answer(host, claim -> null);
    host.restart();
    assertThat(host.shard().held()).isEmpty();
  }

  @Test
  void aCrashKeepsTheCountBeforeTheHold() {
    ShardHost host = host(2);
    for (int i = 0; i < 9; i++) {
      publish(host, 1, 1);
      refuse(host);
      host.restart();
    }
    assertThat(host.shard().held()).isEmpty();
    publish(host, 5, 1);
    refuse(host);
    assertThat(host.ledger(1).deadLettered()).isEqualTo(10);
    assertThat(host.shard().held()).hasSize(1);
  }

  @Test
  void aBoundOfNeverReleasesWhatAnEarlierProcessHeld() {
    ShardHost host = host(2);
    publish(host, 50, 1, 2);
    refuse(host);
    ShardHost next =
        new ShardHost(host.store, ShardSettings.DEFAULT.withHoldAfter(0), spec(1), spec(2));
    answer(next, claim -> null);
    next.sleep(1000);
    answer(next, claim -> null);
    assertThat(next.ledger(1).pending()).isZero();
    assertThat(next.ledger(2).pending()).isZero();
  }

  // --- a host, or a carrier -------------------------------------------------------------------

  @Test
  void oneMessageEachOfManySubscriptionsHoldsTheirCarrier() {
    ShardHost host = host(200);
    for (int number = 1; number <= 200; number++) {
      host.publish(number);
    }
    refuse(host);
    long dead = 0;
    for (int number = 1; number <= 200; number++) {
      dead += host.ledger(number).deadLettered();
    }
    assertThat(dead).isEqualTo(10);
    assertThat(host.shard().held())
        .singleElement()
        .satisfies(hold -> assertThat(hold.subscription()).isZero());
    assertThat(health(host, 200).groupHold().reason()).contains("403");

    host.restart();
    assertThat(host.shard().held()).hasSize(1);
    host.sleep(1000);
    host.run();
    assertThat(host.started).hasSize(1);
    answer(host, claim -> null);
    host.sleep(1000);
    answer(host, claim -> null);
    long delivered = 0;
    for (int number = 1; number <= 200; number++) {
      delivered += host.ledger(number).delivered();
    }
    assertThat(delivered).isEqualTo(190);
  }

  @Test
  void aCarrierThatRefusesOneAfterTheOtherIsHeldAtTheNext() {
    ShardHost host =
        new ShardHost(
            ShardSettings.DEFAULT,
            LongStream.rangeClosed(1, 4)
                .mapToObj(n -> new SubscriptionSpec(n, HOURLY, 0, 0, false, 64, "carrier mail"))
                .toArray(SubscriptionSpec[]::new));
    AttemptOutcome refusal =
        new AttemptOutcome(
            CarrierFailure.PERMANENT, 554, "554 5.2.252 SendAsDenied; x", "", new byte[0], 1);
    for (int number = 1; number <= 4; number++) {
      publish(host, 30, number);
      host.run();
      while (!host.started.isEmpty()) {
        host.end(host.started.get(0), refusal);
        host.run();
      }
    }
    long dead = 0;
    for (int number = 1; number <= 4; number++) {
      dead += host.ledger(number).deadLettered();
    }
    assertThat(dead).isEqualTo(11);
  }

  @Test
  void whatUrlsAnswerThroughAProxySaysNothingOfTheProxy() {
    ShardHost host =
        new ShardHost(
            ShardSettings.DEFAULT,
            LongStream.rangeClosed(1, 40)
                .mapToObj(n -> new SubscriptionSpec(n, HOURLY, 0, 0, false, 64, "carrier proxy"))
                .toArray(SubscriptionSpec[]::new));
    for (int number = 1; number <= 40; number++) {
      host.publish(number);
      refuse(host);
    }
    assertThat(host.shard().held()).isEmpty();
  }

  @Test
  void onePathThatHasGoneDoesNotStopTheOthers() {
    ShardHost host = host(10);
    publish(host, 30, 1);
    answer(host, claim -> NOT_FOUND);
    assertThat(host.shard().held())
        .singleElement()
        .satisfies(hold -> assertThat(hold.subscription()).isEqualTo(1));
    // One message of a second path that is refused is not what holds the host.
    publish(host, 1, 2);
    answer(host, claim -> NOT_FOUND);
    assertThat(host.shard().held()).hasSize(1);
    publish(host, 100, 3, 4, 5, 6, 7, 8, 9, 10);
    answer(host, claim -> claim.subscription() <= 2 ? NOT_FOUND : null);
    for (int number = 3; number <= 10; number++) {
      assertThat(host.ledger(number).delivered()).isEqualTo(100);
    }
  }

  @Test
  void aSuccessOfTheHostInBetweenStartsItsCountAnew() {
    ShardHost host = host(20);
    for (int number = 1; number <= 19; number++) {
      host.publish(number);
      answer(host, claim -> claim.subscription() == 20 ? null : NOT_FOUND);
      host.publish(20);
      answer(host, claim -> claim.subscription() == 20 ? null : NOT_FOUND);
    }
    assertThat(host.shard().held()).isEmpty();
  }

  @Test
  void aHostThatIsHeldIsForgottenWithItsLastSubscription() {
    ShardHost host = host(12);
    for (int number = 1; number <= 12; number++) {
      host.publish(number);
    }
    refuse(host);
    assertThat(host.store.get(Keys.streak(HOST))).isNotNull();
    for (int number = 1; number <= 12; number++) {
      host.give(new ShardInput.Remove(number));
    }
    host.specs.clear();
    host.sleep(1000);
    assertThat(host.shard().held()).isEmpty();
    assertThat(host.store.get(Keys.streak(HOST))).isNull();
  }

  // --- what operators ask for -----------------------------------------------------------------

  @Test
  void aReleaseGoesOnAtOnceAndCountsAnew() {
    ShardHost host = host(2);
    publish(host, 100, 1, 2);
    refuse(host);
    Kept<Boolean> released = new Kept<>();
    host.give(new ShardInput.Release(1, released)).give(new ShardInput.Release(2, new Kept<>()));
    refuse(host);
    assertThat(released.answer).isTrue();
    assertThat(host.ledger(1).deadLettered()).isEqualTo(20);
    assertThat(host.ledger(2).deadLettered()).isEqualTo(20);
    host.give(new ShardInput.Release(1, released)).give(new ShardInput.Release(2, new Kept<>()));
    answer(host, claim -> null);
    host.sleep(1000);
    answer(host, claim -> null);
    assertThat(host.ledger(1).pending() + host.ledger(2).pending()).isZero();
  }

  @Test
  void aResumeLetsAllOfACarrierGoOn() {
    ShardHost host = host(3);
    publish(host, 20, 1);
    refuse(host);
    publish(host, 20, 2, 3);
    refuse(host);
    assertThat(host.shard().held()).isNotEmpty();
    Kept<Boolean> resumed = new Kept<>();
    host.give(new ShardInput.Resume(HOST, resumed));
    answer(host, claim -> null);
    host.sleep(1000);
    answer(host, claim -> null);
    assertThat(resumed.answer).isTrue();
    assertThat(host.shard().held()).isEmpty();
    for (int number = 1; number <= 3; number++) {
      assertThat(host.ledger(number).pending()).isZero();
    }
    host.give(new ShardInput.Resume(HOST, resumed));
    host.run();
    assertThat(resumed.answer).isFalse();
  }

  @Test
  void anAttemptNowIsTheNextTry() {
    ShardHost host = host(1);
    publish(host, 20, 1);
    refuse(host);
    for (int i = 0; i < 8; i++) {
      host.sleep(60_000);
      refuse(host);
    }
    host.run();
    assertThat(host.started).isEmpty();
    host.give(new ShardInput.AttemptNow(1, null, null, 100, ShardHost.<SweepProgress>ignored()));
    host.run();
    assertThat(host.started).hasSize(1);
  }

  @Test
  void aChangeOfSettingsIsTriedAtOnce() {
    ShardHost host = host(1);
    publish(host, 20, 1);
    refuse(host);
    host.run();
    assertThat(host.started).isEmpty();
    host.give(new ShardInput.Configure(spec(1)));
    host.run();
    assertThat(host.started).hasSize(1);
  }

  @Test
  void anotherHostHasRefusedNothing() {
    ShardHost host = host(1);
    publish(host, 20, 1);
    refuse(host);
    host.give(
        new ShardInput.Configure(
            new SubscriptionSpec(1, HOURLY, 0, 0, false, 64, "https://other.example:443")));
    answer(host, claim -> null);
    host.sleep(1000);
    answer(host, claim -> null);
    assertThat(host.shard().held()).isEmpty();
    assertThat(host.ledger(1).delivered()).isEqualTo(10);
  }

  // --- codes ----------------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({
    "403, 403 Forbidden, 403",
    "550, '550 5.7.1 <a@example.net>: sender refused', 550 5.7.1",
    "554, '554-5.2.252 SendAsDenied; x', 554 5.2.252",
    "550, 550 no such user a@example.net, 550",
    "11, 0x0000000B (invalid destination), 11",
    "0, 'amqp:unauthorized-access: not allowed for a1', amqp:unauthorized-access",
    "0, 'AccessDeniedException: User x; may repeat (timed out)', AccessDeniedException",
    "0, '', refused",
  })
  void theCodeIsWhatDiffersFromMessageToMessageLeftOut(int status, String summary, String code) {
    AttemptOutcome outcome =
        new AttemptOutcome(CarrierFailure.PERMANENT, status, summary, "", new byte[0], 1);
    assertThat(Streak.codeOf(outcome)).isEqualTo(code);
  }

  @Test
  void theReasonOfWhatWasGivenUpStays() {
    ShardHost host = host(1);
    MessageId first = host.publish(1);
    refuse(host);
    DeliveryReader reader = new ShardReader(host.store);
    assertThat(reader.find(1, first).state().reason()).isEqualTo(StopReason.NOT_RETRYABLE);
  }
}
