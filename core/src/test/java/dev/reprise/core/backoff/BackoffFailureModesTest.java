package dev.reprise.core.backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Mistakes in the arithmetic of delays that retry libraries have made, one test each. Where a
 * report exists, the comment names it.
 */
class BackoffFailureModesTest {
  private static final long SEED = 20261121;
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final long MINUTE_NANOS = MINUTE.toNanos();

  private static final List<Integer> BOUNDARIES =
      List.of(
          30,
          31,
          32,
          52,
          53,
          54,
          55,
          56,
          57,
          58,
          59,
          60,
          61,
          62,
          63,
          64,
          65,
          1_023,
          1_024,
          1_025,
          1_026,
          Integer.MAX_VALUE - 1,
          Integer.MAX_VALUE);

  /** Backoffs of our own making that have jitter and grow to a cap of one minute. */
  static Stream<Backoff> ownWithJitter() {
    Backoff exponential = Backoff.exponential(SECOND, MINUTE);
    return Stream.of(
        exponential.withFullJitter(),
        exponential.withEqualJitter(),
        exponential.withJitter(0.2),
        Backoff.exponential(SECOND, 1.3, MINUTE).withFullJitter(),
        Backoff.linear(SECOND, Duration.ofSeconds(2), MINUTE).withEqualJitter(),
        Backoff.decorrelatedJitter(SECOND, MINUTE),
        exponential.withFullJitter().withFirstFast(),
        Backoff.fixed(Duration.ofHours(1)).withJitter(0.3).withCap(MINUTE),
        Backoff.truncatedExponential(MINUTE, AtCap.JITTER),
        ExponentialBackoffWithJitter.builder().delays(SECOND, MINUTE).atCap(AtCap.JITTER).build());
  }

  private static List<Long> delaysNanos(Backoff backoff, int retry, int clients) {
    SplittableRandom random = new SplittableRandom(SEED);
    return IntStream.range(0, clients).mapToObj(i -> backoff.delayNanos(retry, random)).toList();
  }

  /** Polly#2163: infinity minus infinity, and retries at once for ever. */
  @Test
  void delayDoesNotTurnNegativeAfter1025Attempts() {
    Backoff backoff = Backoff.exponential(SECOND, MINUTE).withJitter(0.5);

    for (int retry : List.of(1_023, 1_024, 1_025, 1_026, 10_000)) {
      assertThat(backoff.range(retry)).isEqualTo(new DelayRange(MINUTE_NANOS / 2, MINUTE_NANOS));
    }
  }

  /** Polly#1866: an overflow skipped the cap, and the longest wait there is took its place. */
  @Test
  void overflowDoesNotSkipTheCap() {
    for (int retry : BOUNDARIES) {
      assertThat(Backoff.exponential(SECOND, MINUTE).range(retry))
          .isEqualTo(DelayRange.exactly(MINUTE_NANOS));
      assertThat(Backoff.exponential(SECOND, 1e300, MINUTE).range(retry))
          .isEqualTo(DelayRange.exactly(MINUTE_NANOS));
      assertThat(Backoff.linear(SECOND, Duration.ofNanos(Long.MAX_VALUE), MINUTE).range(retry))
          .isEqualTo(DelayRange.exactly(MINUTE_NANOS));
    }
  }

  /** reactor-addons#164, #139: an ArithmeticException after some 55 to 63 retries. */
  @Test
  void noRetryEndsInAnArithmeticException() {
    Duration longest = Duration.ofNanos(Long.MAX_VALUE);
    Backoff backoff = Backoff.exponential(SECOND, longest).withFullJitter();

    for (int retry : BOUNDARIES) {
      assertThat(backoff.delayNanos(retry, Sources.HIGHEST)).isPositive();
    }
    assertThat(backoff.delayNanos(64, Sources.HIGHEST)).isEqualTo(Long.MAX_VALUE);
  }

  /** astyanax#293: 1 shifted by 20 to 31 places slept a negative time. */
  @Test
  void shiftedBaseDoesNotWrapAround() {
    Backoff truncated = Backoff.truncatedExponential(Duration.ofNanos(Long.MAX_VALUE));

    assertThat(truncated.range(32).lowestNanos()).isEqualTo((1L << 31) * 1_000_000_000);
    assertThat(truncated.range(34).lowestNanos()).isEqualTo((1L << 33) * 1_000_000_000);
    assertThat(truncated.range(35)).isEqualTo(DelayRange.exactly(Long.MAX_VALUE));
    assertThat(truncated.range(65)).isEqualTo(DelayRange.exactly(Long.MAX_VALUE));
  }

  /** failsafe#115, #116: jitter longer than the delay failed at random, and only when drawn. */
  @Test
  void jitterLongerThanTheDelayIsRefusedWhenItIsSet() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Backoff.fixed(Duration.ofMillis(10)).withJitter(10))
        .withMessage("share is 10.0: must be between 0 and 1");
  }

  /** failsafe#215: a duration too long for nanoseconds overflowed. */
  @Test
  void hugeDurationIsRefusedByNameAndTheLongestIsHonoured() {
    Duration longest = Duration.ofNanos(Long.MAX_VALUE);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> Backoff.fixed(Duration.ofSeconds(Long.MAX_VALUE)))
        .withMessageStartingWith("delay is PT2562047788015215H30M7S: must be at most");
    assertThat(Backoff.fixed(longest).withJitter(1).range(1))
        .isEqualTo(new DelayRange(0, Long.MAX_VALUE));
  }

  /** spring-framework#36932: a delay of 0 with jitter divided by zero. */
  @Test
  void delayOfZeroWithJitterIsZero() {
    Backoff none = Backoff.none();

    for (Backoff backoff :
        List.of(
            none.withFullJitter(),
            none.withEqualJitter(),
            none.withJitter(0.5),
            Backoff.exponential(Duration.ZERO, 3, MINUTE).withFullJitter(),
            Backoff.decorrelatedJitter(Duration.ZERO, MINUTE))) {
      assertThat(backoff.range(1)).isEqualTo(DelayRange.exactly(0));
      assertThat(backoff.delayNanos(50, Sources.UNTOUCHED)).isZero();
    }
  }

  /** spring-framework#36943: whole-number division drew the jitter from a few steps only. */
  @Test
  void jitterIsNoStaircase() {
    Backoff backoff = Backoff.fixed(Duration.ofMillis(1)).withJitter(0.1);

    assertThat(delaysNanos(backoff, 1, 1_000).stream().distinct()).hasSizeGreaterThan(950);
  }

  /** aws-sdk-java-v2#4724 and others: a bound of 0 threw, and hid the failure itself. */
  @Test
  void delaysBelowAMillisecondHaveJitterAndNoneThrows() {
    for (long nanos = 0; nanos <= 3; nanos++) {
      Backoff fixed = Backoff.fixed(Duration.ofNanos(nanos));

      assertThat(fixed.withFullJitter().range(1))
          .isEqualTo(new DelayRange(Math.min(nanos, 1), nanos));
      assertThat(delaysNanos(fixed.withFullJitter(), 1, 100)).allMatch(d -> d >= 0);
      assertThat(delaysNanos(fixed.withEqualJitter(), 1, 100)).allMatch(d -> d >= 0);
      assertThat(delaysNanos(fixed.withJitter(1), 1, 100)).allMatch(d -> d >= 0);
    }
    assertThat(Backoff.exponential(Duration.ofNanos(1), MINUTE).withFullJitter().range(2))
        .isEqualTo(new DelayRange(1, 2));
  }

  /** backoff#8, tenacity#703, aws-sdk-go-v2#3400: at the cap the jitter was gone. */
  @ParameterizedTest
  @MethodSource("ownWithJitter")
  void jitterSurvivesTheCap(Backoff backoff) {
    for (int retry : List.of(50, 1_025, Integer.MAX_VALUE)) {
      List<Long> delays = delaysNanos(backoff, retry, 1_000);

      assertThat(delays.stream().distinct()).hasSizeGreaterThan(990);
      assertThat(delays).allMatch(delay -> delay >= 0 && delay <= MINUTE_NANOS);
    }
  }

  /** Polly#530: what was drawn above the clamp clumped at it. Clients spread over all tenths. */
  @ParameterizedTest
  @MethodSource("ownWithJitter")
  void cohortAtTheCapSpreadsEvenly(Backoff backoff) {
    DelayRange range = backoff.range(50);
    long width = range.highestNanos() - range.lowestNanos() + 1;

    Map<Long, Long> clientsPerTenth =
        delaysNanos(backoff, 50, 10_000).stream()
            .map(delay -> (delay - range.lowestNanos()) * 10 / width)
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));

    // Five standard deviations of 30 around a tenth.
    assertThat(clientsPerTenth).hasSize(10);
    assertThat(clientsPerTenth.values()).allMatch(clients -> clients > 850 && clients < 1_150);
  }

  /** The formulas whose documents cut off last, and what they lose by it. */
  @Test
  void documentedFormulasLoseTheirJitterAtTheCapUnlessToldToKeepIt() {
    assertThat(Backoff.truncatedExponential(MINUTE).range(50).isJittered()).isFalse();
    assertThat(Backoff.exponentialWithJitter().range(50).isJittered()).isFalse();

    assertThat(Backoff.truncatedExponential(MINUTE, AtCap.JITTER).range(50))
        .isEqualTo(new DelayRange(59_000_000_000L, MINUTE_NANOS));
    assertThat(Backoff.truncatedExponential(Duration.ofMillis(300), AtCap.JITTER).range(1))
        .isEqualTo(new DelayRange(0, 300_000_000));
    assertThat(ExponentialBackoffWithJitter.builder().atCap(AtCap.JITTER).build().range(50))
        .isEqualTo(new DelayRange(6_700_000_000L, 10_000_000_000L));
  }

  @Test
  void keptJitterChangesNothingBelowTheCap() {
    Backoff truncated = Backoff.truncatedExponential(MINUTE, AtCap.JITTER);
    Backoff documented = ExponentialBackoffWithJitter.builder().atCap(AtCap.JITTER).build();

    for (int retry = 1; retry <= 6; retry++) {
      assertThat(truncated.range(retry))
          .isEqualTo(Backoff.truncatedExponential(MINUTE).range(retry));
      assertThat(documented.range(retry)).isEqualTo(Backoff.exponentialWithJitter().range(retry));
    }
  }

  /**
   * As documented, most draws of a retry may lie above the cap: they become the cap, all of them.
   */
  @Test
  void documentedCutOffKeepsTheOddsOfTheFormula() {
    // The second retry draws from 1.5 to 1.75 seconds.
    Backoff backoff =
        ExponentialBackoffWithJitter.builder()
            .interval(SECOND)
            .delays(SECOND, Duration.ofMillis(1_600))
            .build();

    assertThat(backoff.range(2)).isEqualTo(new DelayRange(1_500_000_000, 1_600_000_000));
    assertThat(backoff.delayNanos(2, Sources.at(0.5))).isEqualTo(1_600_000_000);
    assertThat(backoff.delayNanos(2, Sources.at(0.2))).isBetween(1_549_999_999L, 1_550_000_001L);
  }

  /** micronaut-core#11631, nats.java#314: the jitter that was asked for was not there at all. */
  @ParameterizedTest
  @MethodSource("ownWithJitter")
  void rangeTellsWhetherThereIsJitter(Backoff backoff) {
    assertThat(backoff.range(50).isJittered()).isTrue();
    assertThat(Backoff.exponential(SECOND, MINUTE).range(50).isJittered()).isFalse();
  }

  /** A multiplier that is never capped waited 0 at attempts 55 to 62, and started over at 63. */
  @Test
  void delayOf1SecondTimes2NeverFallsToZeroAgain() {
    Backoff backoff = Backoff.exponential(SECOND, MINUTE);

    for (int retry = 7; retry <= 2_000; retry++) {
      assertThat(backoff.delayNanos(retry, Sources.UNTOUCHED)).isEqualTo(MINUTE_NANOS);
    }
  }

  /** Jitter of 100 ms around 10 ms asked a timer for a negative time. */
  @Test
  void widestJitterReachesZeroAndNotBelow() {
    Backoff backoff = Backoff.fixed(Duration.ofMillis(10)).withJitter(1);

    assertThat(backoff.delayNanos(1, Sources.LOWEST)).isZero();
    assertThat(delaysNanos(backoff, 1, 1_000)).allMatch(delay -> delay >= 0);
  }

  /** Past 2^53 nanoseconds, 104 days, a double rounds the delay up, and the difference below 0. */
  @Test
  void widestJitterOfAHugeDelayDoesNotRoundBelowZero() {
    for (long nanos : new long[] {(1L << 53) + 3, (1L << 60) + 200, Long.MAX_VALUE - 1}) {
      assertThat(Backoff.fixed(Duration.ofNanos(nanos)).withJitter(1).range(1).lowestNanos())
          .isZero();
    }
  }

  /** 200 times 500 microseconds took 8 ms instead of 100: nanoseconds were cut to milliseconds. */
  @Test
  void halfAMillisecondIsHonoured() {
    Backoff backoff = Backoff.fixed(Duration.ofNanos(500_000));

    long totalNanos =
        IntStream.rangeClosed(1, 200)
            .mapToLong(retry -> backoff.delayNanos(retry, Sources.UNTOUCHED))
            .sum();

    assertThat(totalNanos).isEqualTo(100_000_000);
    assertThat(Backoff.exponential(Duration.ofNanos(1), 1.5, SECOND).range(4))
        .isEqualTo(DelayRange.exactly(3));
  }
}
