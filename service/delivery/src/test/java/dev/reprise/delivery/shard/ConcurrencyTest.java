package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.LimitReason;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConcurrencyTest {
  private static final long FAST = 5_000_000;
  private static final long SLOW = 50_000_000;

  private long now;

  /** Attempts succeed one after the other while all places are in use. */
  private Concurrency succeed(Concurrency concurrency, int successes, long durationNanos) {
    for (int i = 0; i < successes; i++) {
      concurrency.occupied(concurrency.limit(), now);
      now += durationNanos / concurrency.limit();
      concurrency.succeeded(durationNanos, now);
    }
    return concurrency;
  }

  private Concurrency grown(int max, int successes) {
    return succeed(new Concurrency(max), successes, FAST);
  }

  private void fail(Concurrency concurrency, int failures) {
    for (int i = 0; i < failures; i++) {
      concurrency.failed(now);
    }
  }

  @Test
  void beginsSmallAndDoublesWhileTheEndpointKeepsItsPace() {
    assertThat(new Concurrency(64).limit()).isEqualTo(2);
    assertThat(new Concurrency(64).reason()).isEqualTo(LimitReason.STARTING);
    assertThat(grown(64, 2).limit()).isEqualTo(4);
    assertThat(grown(64, 6).limit()).isEqualTo(8);
    assertThat(grown(64, 62).limit()).isEqualTo(64);
    assertThat(grown(64, 62).reason()).isEqualTo(LimitReason.MAXIMUM);
  }

  @Test
  void neverExceedsTheMaximumAndFollowsItDownAndUp() {
    assertThat(new Concurrency(1).limit()).isEqualTo(1);
    Concurrency concurrency = grown(10, 20);
    assertThat(concurrency.limit()).isEqualTo(10);
    concurrency.max(3);
    assertThat(concurrency.limit()).isEqualTo(3);
    succeed(concurrency, 1000, FAST);
    assertThat(concurrency.limit()).isEqualTo(3);
    concurrency.max(10);
    assertThat(concurrency.limit()).isEqualTo(10);
    assertThat(concurrency.reason()).isEqualTo(LimitReason.MAXIMUM);
  }

  @Test
  void doesNotChangeWhileMorePlacesWouldStayEmpty() {
    Concurrency concurrency = new Concurrency(64);
    for (int i = 0; i < 1000; i++) {
      concurrency.occupied(1, i * FAST);
      concurrency.succeeded(i % 2 == 0 ? FAST : SLOW, (i + 1) * FAST);
      concurrency.occupied(0, (i + 1) * FAST);
    }
    assertThat(concurrency.limit()).isEqualTo(2);
  }

  @Test
  void allThatEndsAtOneInstantCounts() {
    Concurrency concurrency = new Concurrency(64);
    concurrency.occupied(2, 0);
    concurrency.succeeded(FAST, FAST);
    concurrency.occupied(1, FAST);
    concurrency.succeeded(FAST, FAST);
    concurrency.occupied(0, FAST);
    assertThat(concurrency.limit()).isEqualTo(4);
  }

  @Test
  void growthEndsWhereAnswersBecomeClearlySlower() {
    Concurrency concurrency = grown(64, 14);
    assertThat(concurrency.limit()).isEqualTo(16);
    succeed(concurrency, 64, SLOW);
    assertThat(concurrency.limit()).isLessThanOrEqualTo(16);
    assertThat(concurrency.reason()).isNotEqualTo(LimitReason.STARTING);
  }

  @Test
  void differencesOfTwoMillisecondsAreNoise() {
    Concurrency concurrency = succeed(new Concurrency(64), 14, 100_000);
    succeed(concurrency, 48, 2_000_000);
    assertThat(concurrency.limit()).isEqualTo(64);
  }

  @Test
  void attemptsThatFailTogetherHalveThePlaces() {
    Concurrency concurrency = grown(64, 62);
    fail(concurrency, 63);
    succeed(concurrency, 1, FAST);
    fail(concurrency, 1);
    assertThat(concurrency.limit()).isEqualTo(32);
    assertThat(concurrency.reason()).isEqualTo(LimitReason.FAILURES);
  }

  @Test
  void oneThatOnlyFailsKeepsOnePlace() {
    Concurrency concurrency = grown(64, 62);
    fail(concurrency, 64);
    assertThat(concurrency.limit()).isEqualTo(1);
    assertThat(concurrency.reason()).isEqualTo(LimitReason.FAILURES);
    fail(concurrency, 1000);
    assertThat(concurrency.limit()).isEqualTo(1);
  }

  @Test
  void aNewOneThatFailsKeepsOnePlace() {
    Concurrency concurrency = new Concurrency(64);
    fail(concurrency, 2);
    assertThat(concurrency.limit()).isEqualTo(1);
  }

  @Test
  void afterAShortOutageHalfOfThePlacesComeBackByDoubling() {
    Concurrency concurrency = grown(64, 62);
    fail(concurrency, 64);
    succeed(concurrency, 3, FAST);
    assertThat(concurrency.limit()).isEqualTo(4);
    succeed(concurrency, 30, FAST);
    assertThat(concurrency.limit()).isBetween(30, 34);
  }

  @Test
  void afterALongOutagePlacesComeBackByOneARound() {
    Concurrency concurrency = grown(64, 62);
    fail(concurrency, 1000);
    int rounds = 0;
    while (concurrency.limit() < 20) {
      succeed(concurrency, concurrency.limit(), FAST);
      rounds++;
    }
    assertThat(rounds).isBetween(18, 22);
    succeed(concurrency, 64 * 64, FAST);
    assertThat(concurrency.limit()).isEqualTo(64);
  }

  @Test
  void aSingleFailureAmongManySuccessesCostsLittle() {
    Concurrency concurrency = grown(64, 62);
    fail(concurrency, 1);
    assertThat(concurrency.limit()).isEqualTo(63);
    assertThat(concurrency.reason()).isEqualTo(LimitReason.FAILURES);
    succeed(concurrency, 40, FAST);
    assertThat(concurrency.limit()).isEqualTo(64);
  }

  @Test
  void reasonsHaveNamesOfTheirOwnAndSentences() {
    assertThat(Stream.of(LimitReason.values()).map(LimitReason::wireName))
        .containsExactly("starting", "maximum", "throughput", "failures", "measuring");
    assertThat(Stream.of(LimitReason.values()).map(LimitReason::describe)).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @EnumSource
  void aReasonIsFoundByItsName(LimitReason reason) {
    assertThat(LimitReason.of(reason.wireName())).contains(reason);
    assertThat(LimitReason.of("another")).isEmpty();
  }
}
