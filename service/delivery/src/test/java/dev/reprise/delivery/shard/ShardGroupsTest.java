package dev.reprise.delivery.shard;

import static dev.reprise.delivery.shard.ShardHost.HOURLY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.http.HttpFailure;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.AttemptOutcome.Block;
import dev.reprise.delivery.EndpointHealth;
import dev.reprise.delivery.EndpointHealth.GroupHold;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.shard.ShardHost.Kept;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What subscriptions share that have the same host or the same carrier. */
class ShardGroupsTest {
  private static final ShardSettings SETTINGS = ShardSettings.DEFAULT;
  private static final HttpFailure DOWN = HttpFailure.status(503, null);
  private static final String SMSC = "carrier smsc";

  private static final RetryPolicy EVERY_SECOND =
      new RetryPolicy(Backoff.fixed(Duration.ofSeconds(1)), 1000, Duration.ofDays(1));

  private static SubscriptionSpec spec(long number, String group) {
    return spec(number, group, HOURLY, 0);
  }

  private static SubscriptionSpec spec(
      long number, String group, RetryPolicy policy, long lifetimeMillis) {
    return new SubscriptionSpec(number, policy, 0, lifetimeMillis, false, 64, group);
  }

  /** Subscriptions from 1 on that share a carrier. */
  private static SubscriptionSpec[] specs(int count, RetryPolicy policy) {
    return LongStream.rangeClosed(1, count)
        .mapToObj(number -> spec(number, SMSC, policy, 0))
        .toArray(SubscriptionSpec[]::new);
  }

  private static ShardHost host(int maxInFlight, SubscriptionSpec... specs) {
    ShardHost host = new ShardHost(SETTINGS, specs);
    configure(host, maxInFlight, 0);
    return host;
  }

  private static void configure(ShardHost host, int maxInFlight, long maxPerSecond) {
    host.give(new ShardInput.ConfigureGroup(new GroupSpec(SMSC, maxInFlight, maxPerSecond, 1)));
    host.run();
  }

  private static AttemptOutcome givenBack(Duration time) {
    return AttemptOutcome.givenBack("bind refused: 0x0000000E", time);
  }

  private static EndpointHealth health(ShardHost host, long subscription) {
    Kept<EndpointHealth> health = new Kept<>();
    host.give(new ShardInput.Inspect(subscription, health));
    host.run();
    return health.answer;
  }

  // --- places ---------------------------------------------------------------------------------

  @Test
  void subscriptionsOfAGroupShareItsPlacesInOrder() {
    ShardHost host = new ShardHost(SETTINGS, specs(5, HOURLY));
    promptly(host, 5);
    configure(host, 3, 0);
    for (int number = 1; number <= 5; number++) {
      host.publish(number);
      host.run();
    }
    assertThat(host.started).extracting(Claim::subscription).containsExactly(1L, 2L, 3L);
    // It has just had its turn, and stands behind those that wait.
    host.publish(1);
    host.end(null);
    host.run();
    host.end(null);
    host.run();
    assertThat(host.started).extracting(Claim::subscription).containsExactly(3L, 4L, 5L);
    host.end(null);
    host.run();
    assertThat(host.started).extracting(Claim::subscription).containsExactly(4L, 5L, 1L);
  }

  @Test
  void aLimitThatIsRaisedLetsThoseStartThatWait() {
    ShardHost host = host(1, specs(4, HOURLY));
    host.publish(1, 2, 3, 4);
    host.run();
    assertThat(host.started).hasSize(1);
    configure(host, 3, 0);
    assertThat(host.started).hasSize(3);
    configure(host, 0, 0);
    assertThat(host.started).hasSize(4);
  }

  @Test
  void limitsHoldFromTheStartOfAProcess() {
    ShardHost host = new ShardHost(SETTINGS, specs(4, HOURLY));
    host.groups.add(new GroupSpec(SMSC, 2, 0, 1));
    host.restart();
    host.publish(1, 2, 3, 4);
    host.run();
    assertThat(host.started).hasSize(2);
  }

  @Test
  void anAttemptOfARemovedSubscriptionKeepsItsPlace() {
    ShardHost host = host(1, specs(3, HOURLY));
    host.publish(1, 2, 3);
    host.run();
    Claim first = host.started.get(0);
    // One has its attempt under way, the other waits.
    host.give(new ShardInput.Remove(first.subscription()));
    host.give(new ShardInput.Remove(first.subscription() == 2 ? 1 : 2));
    host.run();
    assertThat(host.started).hasSize(1);

    host.end(null);
    host.run();

    assertThat(host.started).extracting(Claim::subscription).containsExactly(3L);
  }

  @Test
  void aSubscriptionThatChangesItsGroupWaitsThere() {
    ShardHost host = host(1, spec(1, SMSC), spec(2, SMSC), spec(3, "https://example.com:443"));
    host.publish(1);
    host.run();
    host.publish(2);
    host.run();
    host.give(new ShardInput.Configure(spec(1, "https://example.com:443")));
    host.give(new ShardInput.Configure(spec(3, SMSC)));
    host.run();
    host.publish(1, 3);
    host.run();
    assertThat(host.started).extracting(Claim::subscription).containsExactly(1L, 1L);
    host.end(null);
    host.run();
    assertThat(host.started).extracting(Claim::subscription).containsExactly(1L, 2L);
    host.end(host.started.get(1), (HttpFailure) null);
    host.run();
    assertThat(host.started).extracting(Claim::subscription).containsExactly(1L, 3L);
  }

  @Test
  void aGroupGoesWithItsLastSubscriptionAndItsLastAttempt() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, "a"), spec(2, "a"), spec(3, "b"));
    host.publish(1);
    host.run();
    assertThat(host.shard().groups()).isEqualTo(2);
    host.give(new ShardInput.Remove(1));
    host.give(new ShardInput.Remove(2));
    host.run();
    assertThat(host.shard().groups()).as("an attempt is under way").isEqualTo(2);
    host.end(null);
    host.run();
    assertThat(host.shard().groups()).isEqualTo(1);
  }

  @Test
  void oneHostLeavesHalfOfThePlacesToOthers() {
    ShardSettings settings = SETTINGS.withMemory(1024, 64 << 20, 32 << 20, 16 << 20);
    SubscriptionSpec[] specs = specs(1500, HOURLY);
    specs[1499] = spec(1500, "https://example.com:443");
    ShardHost host = new ShardHost(settings, specs);
    promptly(host, 1500);
    host.publish(LongStream.rangeClosed(1, 1499).toArray());
    host.run();
    assertThat(host.started).hasSize(512);
    assertThat(host.turn().saturated()).as("publishers slow down").isTrue();
    assertThat(health(host, 1).groupHold())
        .isEqualTo(new GroupHold(SMSC, "512 attempts under way, all that one host may have", 0));

    host.publish(1500);
    host.run();

    assertThat(host.started).hasSize(513);
    Claim ended = host.started.get(0);
    host.end(ended, (HttpFailure) null);
    host.run();
    assertThat(host.started).hasSize(513).doesNotContain(ended);
  }

  @Test
  void thoseOfAHostThatBeginToHangGiveItsPlacesToTheOthers() {
    ShardSettings settings = SETTINGS.withMemory(1024, 64 << 20, 32 << 20, 16 << 20);
    ShardHost host = new ShardHost(settings, specs(600, HOURLY));
    promptly(host, 600);
    host.publish(LongStream.rangeClosed(1, 600).toArray());
    host.run();
    assertThat(host.started).hasSize(512);
    host.sleep(6_000);
    assertThat(host.started).hasSize(600);
    assertThat(host.turn().saturated()).isFalse();
  }

  @Test
  void aSingleHostHasEnoughPlaces() {
    ShardSettings settings = SETTINGS.withMemory(300, 64 << 20, 32 << 20, 16 << 20);
    ShardHost host = new ShardHost(settings, specs(400, HOURLY));
    promptly(host, 400);
    host.publish(LongStream.rangeClosed(1, 400).toArray());
    host.run();
    assertThat(host.started).hasSize(Places.ENOUGH);
  }

  /** Each subscription has had one attempt that was quick. */
  private static void promptly(ShardHost host, int count) {
    host.publish(LongStream.rangeClosed(1, count).toArray());
    host.run();
    while (!host.started.isEmpty()) {
      host.end(null);
      host.run();
    }
  }

  @Test
  void slowEndpointsThatWaitForTheShardKeepNoPlaceOfTheirGroup() {
    ShardSettings settings = SETTINGS.withMemory(8, 64 << 20, 32 << 20, 16 << 20);
    SubscriptionSpec[] specs = specs(8, HOURLY);
    for (int number = 4; number <= 8; number++) {
      specs[number - 1] = spec(number, "host " + number);
    }
    ShardHost host = new ShardHost(settings, specs);
    // Subscription 1 is prompt; 2 and 3 are new, as those that take all places of new ones.
    host.publish(1);
    host.run();
    host.end(null);
    configure(host, 1, 0);
    host.publish(1);
    host.run();
    host.publish(2, 3);
    host.publish(4, 5, 6, 7);
    host.run();
    assertThat(host.started).hasSize(5);
    host.publish(1);
    host.end(host.started.get(0), (HttpFailure) null);
    host.run();
    assertThat(host.started).extracting(Claim::subscription).containsExactly(4L, 5L, 6L, 7L, 1L);

    host.end(host.started.get(4), (HttpFailure) null);
    host.end(host.started.get(0), (HttpFailure) null);
    host.run();

    assertThat(host.started).extracting(Claim::subscription).hasSize(4).containsAnyOf(2L, 3L);
  }

  // --- blocks ---------------------------------------------------------------------------------

  @Test
  void anAttemptGivenBackChangesNothingAndBlocksItsGroup() {
    ShardHost host = new ShardHost(SETTINGS, spec(1, SMSC), spec(2, SMSC), spec(3, "other"));
    MessageId message = host.publish(1);
    host.run();
    Claim claim = host.started.get(0);
    host.end(claim, givenBack(Duration.ofSeconds(5)));
    host.turn();
    assertThat(host.lastWrites).as("only that it is not under way").isEqualTo(1);
    host.publish(2, 3);
    host.run();
    assertThat(host.started).extracting(Claim::subscription).containsExactly(3L);
    assertThat(host.ledger(1)).isEqualTo(new Ledger(1, 1, 0, 0, 0, 0, 0, 0));
    assertThat(health(host, 2).groupHold())
        .isEqualTo(new GroupHold(SMSC, "bind refused: 0x0000000E", host.nowMillis + 5_000));

    host.sleep(4_999);
    assertThat(host.started).hasSize(1);
    host.sleep(1);

    assertThat(host.started).extracting(Claim::subscription).containsExactly(3L, 1L, 2L);
    assertThat(host.started.get(1).message()).isEqualTo(message);
    assertThat(host.started.get(1).attempt()).isEqualTo(1);
    assertThat(health(host, 2).groupHold()).isNull();
  }

  @Test
  void aCarrierThatWorksAgainEndsItsBlock() {
    ShardHost host = host(0, specs(3, HOURLY));
    host.publish(1, 2, 3);
    host.run();
    for (Claim claim : List.copyOf(host.started)) {
      host.end(claim, givenBack(Duration.ofMinutes(10)));
    }
    host.run();
    assertThat(host.started).isEmpty();

    host.give(new ShardInput.Unblock(SMSC));
    host.give(new ShardInput.Unblock("nobody"));
    host.run();

    assertThat(host.started).hasSize(3);
  }

  @Test
  void theLongerOfTwoBlocksHolds() {
    ShardHost host = host(0, specs(3, HOURLY));
    host.publish(1, 2, 3);
    host.run();
    host.end(host.started.get(0), givenBack(Duration.ofSeconds(30)));
    host.end(host.started.get(0), AttemptOutcome.notMade("no connection is free"));
    host.run();
    host.sleep(29_999);
    assertThat(host.started).hasSize(1);
    host.sleep(1);
    assertThat(host.started).hasSize(3);
  }

  @Test
  void whoeverComesAfterTheEndOfABlockStopsNobody() {
    ShardHost host = host(0, specs(2, HOURLY));
    host.publish(1);
    host.run();
    host.end(host.started.get(0), givenBack(Duration.ofSeconds(1)));
    host.run();
    // Nobody was awake at the end of the block, and this comes first.
    host.nowMillis += 5_000;
    host.publish(2);
    host.run();
    assertThat(host.started).extracting(Claim::subscription).containsExactly(1L, 2L);
  }

  @Test
  void anAttemptThatWasMadeCountsAndMayBlockAsWell() {
    ShardHost host = host(0, specs(2, HOURLY));
    host.publish(1);
    host.run();
    Block block = new Block(Duration.ofSeconds(2), "0x00000058 ESME_RTHROTTLED");
    host.end(host.started.get(0), SimulatedEndpoint.success(1).withBlock(block));
    host.publish(2);
    host.run();
    assertThat(host.ledger(1)).isEqualTo(new Ledger(1, 0, 1, 0, 0, 0, 0, 1));
    assertThat(host.started).isEmpty();
    host.sleep(2_000);
    assertThat(host.started).hasSize(1);
  }

  @Test
  void aPauseThatAnEndpointAsksForIsItsOwn() {
    ShardHost host = host(0, specs(2, HOURLY));
    host.publish(1);
    host.run();
    host.end(HttpFailure.status(429, Duration.ofMinutes(1)));
    host.publish(1, 2);
    host.run();
    assertThat(host.started).extracting(Claim::subscription).containsExactly(2L);
  }

  @Test
  void whatWaitsForItsGroupStillExpiresInTime() {
    ShardHost host =
        host(1, spec(1, SMSC), spec(2, SMSC, HOURLY, 1_000), spec(3, SMSC, HOURLY, 90_000));
    host.publish(1);
    host.run();
    host.publish(2);
    host.run();
    host.publish(3);
    host.run();
    host.sleep(1_001);
    assertThat(host.ledger(2).expired()).isEqualTo(1);
    assertThat(host.ledger(3).pending()).isEqualTo(1);

    host.end(null);
    host.run();

    assertThat(host.started).extracting(Claim::subscription).containsExactly(3L);
    assertThat(host.shard().armedTimers()).isLessThanOrEqualTo(1);
  }

  // --- the throttle ---------------------------------------------------------------------------

  @Test
  void theThrottleOfAGroupHoldsForAllTogether() {
    ShardHost host = new ShardHost(SETTINGS, specs(20, HOURLY));
    configure(host, 0, 2);
    for (int number = 1; number <= 20; number++) {
      host.publish(number);
    }
    host.run();
    assertThat(host.started).hasSize(1);
    assertThat(health(host, 20).groupHold())
        .isEqualTo(new GroupHold(SMSC, "throttled to 2 attempts a second", host.nowMillis + 500));
    host.sleep(499);
    assertThat(host.started).hasSize(1);
    host.sleep(1);
    assertThat(host.started).hasSize(2);
    host.sleep(4_000);
    assertThat(host.started).hasSize(10);
  }

  // --- the retry budget -----------------------------------------------------------------------

  @Test
  void retriesToAGroupThatFailsAreBoundedAndFirstAttemptsAreNot() {
    ShardHost host = new ShardHost(SETTINGS.withGroupRetries(5, 2), specs(20, EVERY_SECOND));
    host.publish(LongStream.rangeClosed(1, 19).toArray());
    host.run();
    assertThat(host.started).hasSize(19);
    failAll(host);
    host.sleep(1_000);
    assertThat(host.started).as("what is saved up").hasSize(5);
    host.sleep(2_000);
    assertThat(host.started).as("two a second").hasSize(9);
    assertThat(host.started).allMatch(claim -> claim.attempt() == 2);
    long waiting = 19;
    assertThat(health(host, waiting).groupHold().reason())
        .isEqualTo("most attempts fail: retries wait for its retry budget");

    host.publish(20);
    host.run();
    assertThat(host.started).hasSize(10);

    // Each success brings one, and a retry that succeeds has cost nothing.
    host.end(host.started.get(9), (HttpFailure) null);
    host.end(host.started.get(0), (HttpFailure) null);
    host.run();
    assertThat(host.started).hasSize(10);
    assertThat(host.ledger(20).delivered()).isEqualTo(1);
  }

  @Test
  void aRequestedAttemptNeedsNoBudget() {
    ShardHost host = new ShardHost(SETTINGS.withGroupRetries(1, 0.001), specs(4, HOURLY));
    host.publish(1, 2, 3, 4);
    host.run();
    failAll(host);
    for (int number = 1; number <= 4; number++) {
      host.give(new ShardInput.AttemptNow(number, null, null, 10, ShardHost.ignored()));
    }
    host.run();
    assertThat(host.started).hasSize(4);
  }

  @Test
  void whatComesBeforeARetryThatWaitsIsNotHeldUp() {
    ShardHost host = new ShardHost(SETTINGS.withGroupRetries(1, 0.001), specs(2, EVERY_SECOND));
    host.publish(1, 2);
    host.run();
    failAll(host);
    host.sleep(1_000);
    assertThat(host.started).hasSize(1);
    long waiting = host.started.get(0).subscription() == 1 ? 2 : 1;
    host.started.clear();

    MessageId older = host.publishAt(host.nowMillis - 500, 3, waiting);
    host.run();

    assertThat(host.started).extracting(Claim::message).containsExactly(older);
  }

  @Test
  void aRetryGivenBackHasItsBudgetBack() {
    ShardHost host = new ShardHost(SETTINGS.withGroupRetries(1, 0.001), specs(1, EVERY_SECOND));
    host.publish(1);
    host.run();
    failAll(host);
    host.sleep(1_000);
    for (int i = 0; i < 5; i++) {
      host.end(host.started.get(0), givenBack(Duration.ofSeconds(1)));
      host.run();
      assertThat(host.started).isEmpty();
      host.sleep(1_000);
      assertThat(host.started).hasSize(1);
    }
    assertThat(host.started.get(0).attempt()).isEqualTo(2);
  }

  private static void failAll(ShardHost host) {
    for (Claim claim : List.copyOf(host.started)) {
      host.end(claim, DOWN);
    }
    host.run();
  }

  // --- cost -----------------------------------------------------------------------------------

  @Test
  void aHundredThousandThatWaitCostNothing() {
    int count = 100_000;
    ShardHost host = host(10, specs(count, HOURLY));
    host.publish(LongStream.rangeClosed(1, count).toArray());
    host.run();
    assertThat(host.started).hasSize(10);
    long visits = host.shard().visits();
    long read = host.store.entriesRead();
    for (int i = 0; i < 1_000; i++) {
      host.nowMillis++;
      host.turn();
    }
    assertThat(host.shard().visits()).as("nothing happens").isEqualTo(visits);
    for (int i = 0; i < 1_000; i++) {
      host.end(null);
      host.run();
    }
    assertThat(host.started).hasSize(10);
    assertThat(host.shard().visits() - visits).as("one for each place").isLessThan(3_000);
    assertThat(host.store.entriesRead() - read).isLessThan(5_000);
  }

  @Test
  void anOutcomeCannotWaitWhileSomebodyWaitsForItsPlace() {
    ShardHost host = host(1, specs(2, HOURLY));
    host.publish(1, 2);
    host.run();
    Claim claim = host.started.get(0);
    ShardInput ended =
        new ShardInput.Completed(claim, SimulatedEndpoint.success(1), host.nowMillis);
    assertThat(host.shard().canWait(List.of(ended), host.nowMillis)).isFalse();
    host.give(ended);
    host.started.clear();
    host.run();
    ended =
        new ShardInput.Completed(host.started.get(0), SimulatedEndpoint.success(1), host.nowMillis);
    assertThat(host.shard().canWait(List.of(ended), host.nowMillis)).isTrue();
  }
}
