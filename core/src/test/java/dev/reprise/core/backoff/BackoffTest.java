package dev.reprise.core.backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BackoffTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration TEN_MINUTES = Duration.ofMinutes(10);
  private static final Duration TOO_LONG = Duration.ofDays(200_000);

  private static List<Long> millis(Backoff backoff, int retries, RandomGenerator random) {
    return IntStream.rangeClosed(1, retries)
        .mapToObj(retry -> backoff.delayNanos(retry, random) / 1_000_000)
        .toList();
  }

  private static DelayRange millis(long lowest, long highest) {
    return new DelayRange(lowest * 1_000_000, highest * 1_000_000);
  }

  @Test
  void noneNeverWaits() {
    assertThat(millis(Backoff.none(), 3, Sources.UNTOUCHED)).containsOnly(0L);
    assertThat(Backoff.none().range(Integer.MAX_VALUE)).isEqualTo(DelayRange.exactly(0));
  }

  @Test
  void fixedWaitsEquallyLong() {
    assertThat(millis(Backoff.fixed(SECOND), 3, Sources.UNTOUCHED)).containsOnly(1_000L);
    assertThat(Backoff.fixed(SECOND).capNanos()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void linearAddsItsStepUpToTheCap() {
    Backoff backoff = Backoff.linear(SECOND, Duration.ofMillis(700), Duration.ofSeconds(3));

    assertThat(millis(backoff, 5, Sources.UNTOUCHED))
        .containsExactly(1_000L, 1_700L, 2_400L, 3_000L, 3_000L);
  }

  @Test
  void exponentialMultipliesUpToTheCap() {
    Backoff backoff = Backoff.exponential(Duration.ofMillis(100), 1.5, Duration.ofMillis(500));

    assertThat(millis(backoff, 6, Sources.UNTOUCHED))
        .containsExactly(100L, 150L, 225L, 337L, 500L, 500L);
    assertThat(backoff.delayNanos(4, Sources.UNTOUCHED)).isEqualTo(337_500_000);
  }

  @Test
  void fullJitterDrawsFromAboveZeroToTheWholeDelay() {
    Backoff backoff = Backoff.exponential(SECOND, MINUTE).withFullJitter();

    assertThat(backoff.range(3)).isEqualTo(new DelayRange(1, 4_000_000_000L));
    assertThat(backoff.range(50)).isEqualTo(new DelayRange(1, 60_000_000_000L));
    assertThat(backoff.capNanos()).isEqualTo(60_000_000_000L);
  }

  @Test
  void equalJitterKeepsHalfOfTheDelay() {
    Backoff backoff = Backoff.exponential(SECOND, MINUTE).withEqualJitter();

    assertThat(backoff.range(3)).isEqualTo(millis(2_000, 4_000));
    assertThat(backoff.range(50)).isEqualTo(millis(30_000, 60_000));
    assertThat(Backoff.fixed(Duration.ofNanos(3)).withEqualJitter().range(1))
        .isEqualTo(new DelayRange(2, 3));
  }

  @Test
  void proportionalJitterGoesBothWaysAndStopsAtTheCap() {
    Backoff backoff = Backoff.exponential(SECOND, Duration.ofSeconds(10)).withJitter(0.5);

    assertThat(backoff.range(1)).isEqualTo(millis(500, 1_500));
    assertThat(backoff.range(4)).isEqualTo(millis(4_000, 10_000));
    assertThat(backoff.range(50)).isEqualTo(millis(5_000, 10_000));
    assertThat(Backoff.fixed(SECOND).withJitter(1).range(1)).isEqualTo(millis(0, 2_000));
    assertThat(Backoff.fixed(SECOND).withJitter(0).range(1)).isEqualTo(millis(1_000, 1_000));
  }

  @Test
  void decorrelatedJitterTriplesTheLongestDelay() {
    Backoff backoff = Backoff.decorrelatedJitter(SECOND, MINUTE);

    assertThat(backoff.range(1)).isEqualTo(millis(1_000, 3_000));
    assertThat(backoff.range(3)).isEqualTo(millis(1_000, 27_000));
    assertThat(backoff.range(4)).isEqualTo(millis(1_000, 60_000));
    assertThat(backoff.capNanos()).isEqualTo(60_000_000_000L);
  }

  @Test
  void firstFastRetriesAtOnceAndThenStartsOver() {
    Backoff backoff = Backoff.exponential(SECOND, MINUTE).withFirstFast();

    assertThat(millis(backoff, 4, Sources.UNTOUCHED)).containsExactly(0L, 1_000L, 2_000L, 4_000L);
    assertThat(backoff.capNanos()).isEqualTo(MINUTE.toNanos());
  }

  @Test
  void sequenceCountsTheRetriesOfEachPartFromOne() {
    Backoff backoff =
        Backoff.exponential(SECOND, MINUTE)
            .then(2, Backoff.linear(MINUTE, SECOND, TEN_MINUTES).then(3, Backoff.none()));

    assertThat(millis(backoff, 7, Sources.UNTOUCHED))
        .containsExactly(1_000L, 2_000L, 60_000L, 61_000L, 62_000L, 0L, 0L);
    assertThat(backoff.range(3)).isEqualTo(millis(60_000, 60_000));
  }

  @Test
  void sequenceHasTheHigherCapOfItsParts() {
    Backoff low = Backoff.exponential(SECOND, MINUTE);
    Backoff high = Backoff.exponential(SECOND, TEN_MINUTES);

    assertThat(low.then(1, high).capNanos()).isEqualTo(TEN_MINUTES.toNanos());
    assertThat(high.then(1, low).capNanos()).isEqualTo(TEN_MINUTES.toNanos());
  }

  @Test
  void jitterOfASequenceStopsAtTheCapOfEachPart() {
    Backoff backoff =
        Backoff.exponential(SECOND, SECOND)
            .then(1, Backoff.exponential(MINUTE, TEN_MINUTES))
            .withJitter(0.5);

    assertThat(backoff.range(1)).isEqualTo(millis(500, 1_000));
    assertThat(backoff.range(2)).isEqualTo(millis(30_000, 90_000));
  }

  static Stream<Backoff> jittered() {
    Backoff exponential = Backoff.exponential(SECOND, MINUTE);
    return Stream.of(
        exponential.withFullJitter(),
        exponential.withEqualJitter(),
        exponential.withJitter(0.1),
        exponential.withJitter(0.1).withFirstFast(),
        Backoff.fixed(SECOND).then(3, exponential.withFullJitter()),
        Backoff.decorrelatedJitter(SECOND, MINUTE),
        Backoff.truncatedExponential(MINUTE, AtCap.JITTER),
        ExponentialBackoffWithJitter.builder().atCap(AtCap.JITTER).build());
  }

  @ParameterizedTest
  @MethodSource("jittered")
  void capAddedAfterJitterLeavesTheJitterInsideIt(Backoff backoff) {
    Backoff capped = backoff.withCap(Duration.ofSeconds(5));

    assertThat(capped.capNanos()).isEqualTo(5_000_000_000L);
    assertThat(capped.range(50).highestNanos()).isEqualTo(5_000_000_000L);
    // Cut off instead, all draws but the lowest would be the cap.
    assertThat(capped.delayNanos(50, Sources.at(0.5))).isLessThan(4_900_000_000L);
  }

  @Test
  void capsNestToTheLowest() {
    Backoff backoff = Backoff.linear(SECOND, SECOND, MINUTE).withCap(Duration.ofSeconds(3));

    assertThat(backoff.withCap(Duration.ofSeconds(2)))
        .isEqualTo(
            new CappedBackoff(Backoff.linear(SECOND, SECOND, MINUTE), Duration.ofSeconds(2)));
    assertThat(backoff.withCap(Duration.ofSeconds(4))).isEqualTo(backoff);
    assertThat(Backoff.linear(SECOND, SECOND, MINUTE).withCap(TEN_MINUTES).capNanos())
        .isEqualTo(MINUTE.toNanos());
  }

  @Test
  void backoffOfAnotherMakerIsCutOffAtTheCap() {
    Backoff own =
        new Backoff() {
          @Override
          public long delayNanos(int retry, RandomGenerator random) {
            return retry * 1_000L;
          }

          @Override
          public DelayRange range(int retry) {
            return DelayRange.exactly(retry * 1_000L);
          }
        };

    assertThat(own.capNanos()).isEqualTo(Long.MAX_VALUE);
    assertThat(own.withCap(Duration.ofNanos(1_500)).range(2)).isEqualTo(DelayRange.exactly(1_500));
    assertThat(own.withJitter(0.5).range(2)).isEqualTo(new DelayRange(1_000, 3_000));
  }

  @Test
  void settingsCanBeReadBack() {
    ExponentialBackoff exponential = (ExponentialBackoff) Backoff.exponential(SECOND, 1.5, MINUTE);
    ExponentialBackoffWithJitter documented =
        ExponentialBackoffWithJitter.builder()
            .interval(Duration.ofMillis(1))
            .delays(Duration.ofMillis(2), Duration.ofMillis(3))
            .jitter(0.75, 0.5)
            .atCap(AtCap.JITTER)
            .build();

    assertThat(exponential.base()).isEqualTo(SECOND);
    assertThat(exponential.factor()).isEqualTo(1.5);
    assertThat(exponential.cap()).isEqualTo(MINUTE);
    assertThat(documented.interval()).isEqualTo(Duration.ofMillis(1));
    assertThat(documented.minDelay()).isEqualTo(Duration.ofMillis(2));
    assertThat(documented.maxDelay()).isEqualTo(Duration.ofMillis(3));
    assertThat(documented.jitterDown()).isEqualTo(0.75);
    assertThat(documented.jitterUp()).isEqualTo(0.5);
    assertThat(documented.atCap()).isEqualTo(AtCap.JITTER);
    assertThat(Backoff.none().withFirstFast())
        .isEqualTo(new BackoffSequence(new FixedBackoff(Duration.ZERO), 1, Backoff.none()));
    assertThat(Backoff.truncatedExponential(MINUTE))
        .isEqualTo(new TruncatedExponentialBackoff(MINUTE, AtCap.CONSTANT));
  }

  @Test
  void backoffsAreEqualWhenAllTheirSettingsAre() {
    Backoff exponential = Backoff.exponential(SECOND, 3, MINUTE);
    ExponentialBackoffWithJitter.Builder settings = ExponentialBackoffWithJitter.builder();
    Backoff documented = settings.build();

    assertThat(exponential)
        .isEqualTo(Backoff.exponential(SECOND, 3, MINUTE))
        .hasSameHashCodeAs(Backoff.exponential(SECOND, 3, MINUTE))
        .isNotEqualTo(Backoff.exponential(Duration.ZERO, 3, MINUTE))
        .isNotEqualTo(Backoff.exponential(SECOND, 2, MINUTE))
        .isNotEqualTo(Backoff.exponential(SECOND, 3, SECOND))
        .isNotEqualTo(documented)
        .hasToString("ExponentialBackoff[base=PT1S, factor=3.0, cap=PT1M]");
    assertThat(documented)
        .isEqualTo(Backoff.exponentialWithJitter())
        .hasSameHashCodeAs(Backoff.exponentialWithJitter())
        .isNotEqualTo(exponential)
        .hasToString(
            "ExponentialBackoffWithJitter[interval=PT0.1S, minDelay=PT0.1S, maxDelay=PT10S,"
                + " jitterDown=0.5, jitterUp=0.25, atCap=CONSTANT]")
        .isNotEqualTo(settings.interval(SECOND).build())
        .isNotEqualTo(documentedBuilder().delays(SECOND, Duration.ofSeconds(10)).build())
        .isNotEqualTo(documentedBuilder().delays(Duration.ofMillis(100), SECOND).build())
        .isNotEqualTo(documentedBuilder().jitter(0.6, 0.25).build())
        .isNotEqualTo(documentedBuilder().jitter(0.5, 0.3).build())
        .isNotEqualTo(documentedBuilder().atCap(AtCap.JITTER).build());
  }

  private static ExponentialBackoffWithJitter.Builder documentedBuilder() {
    return ExponentialBackoffWithJitter.builder();
  }

  static Stream<Arguments> mistakes() {
    Duration negative = Duration.ofSeconds(-1);
    Backoff exponential = Backoff.exponential(SECOND, MINUTE);
    return Stream.of(
        mistake(() -> Backoff.fixed(negative), "delay is PT-1S: must not be negative"),
        mistake(
            () -> Backoff.fixed(TOO_LONG),
            "delay is PT4800000H: must be at most PT2562047H47M16.854775807S"),
        mistake(() -> Backoff.exponential(negative, MINUTE), "base is PT-1S: must not be negative"),
        mistake(() -> Backoff.exponential(SECOND, negative), "cap is PT-1S: must not be negative"),
        mistake(
            () -> Backoff.exponential(MINUTE, SECOND),
            "base is PT1M: must be at most cap, which is PT1S"),
        mistake(
            () -> Backoff.exponential(SECOND, 0.999, MINUTE),
            "factor is 0.999: must be >= 1 and finite"),
        mistake(
            () -> Backoff.exponential(SECOND, Double.NaN, MINUTE),
            "factor is NaN: must be >= 1 and finite"),
        mistake(
            () -> Backoff.exponential(SECOND, Double.POSITIVE_INFINITY, MINUTE),
            "factor is Infinity: must be >= 1 and finite"),
        mistake(
            () -> Backoff.exponential(SECOND, 1.0001, MINUTE),
            "factor is 1.0001: must be 1, or large enough to reach the cap within 4096 retries"),
        mistake(
            () -> Backoff.linear(negative, SECOND, MINUTE), "base is PT-1S: must not be negative"),
        mistake(
            () -> Backoff.linear(SECOND, negative, MINUTE), "step is PT-1S: must not be negative"),
        mistake(
            () -> Backoff.linear(SECOND, SECOND, negative), "cap is PT-1S: must not be negative"),
        mistake(
            () -> Backoff.linear(MINUTE, SECOND, SECOND),
            "base is PT1M: must be at most cap, which is PT1S"),
        mistake(
            () -> Backoff.decorrelatedJitter(negative, SECOND),
            "base is PT-1S: must not be negative"),
        mistake(
            () -> Backoff.decorrelatedJitter(SECOND, TOO_LONG),
            "cap is PT4800000H: must be at most PT2562047H47M16.854775807S"),
        mistake(
            () -> Backoff.decorrelatedJitter(MINUTE, SECOND),
            "base is PT1M: must be at most cap, which is PT1S"),
        mistake(
            () -> Backoff.truncatedExponential(negative),
            "maximumBackoff is PT-1S: must not be negative"),
        mistake(
            () -> documentedBuilder().interval(negative).build(),
            "interval is PT-1S: must not be negative"),
        mistake(
            () -> documentedBuilder().delays(negative, SECOND).build(),
            "minDelay is PT-1S: must not be negative"),
        mistake(
            () -> documentedBuilder().delays(SECOND, TOO_LONG).build(),
            "maxDelay is PT4800000H: must be at most PT2562047H47M16.854775807S"),
        mistake(
            () -> documentedBuilder().delays(MINUTE, SECOND).build(),
            "minDelay is PT1M: must be at most maxDelay, which is PT1S"),
        mistake(
            () -> documentedBuilder().jitter(1.1, 0).build(),
            "jitterDown is 1.1: must be between 0 and 1"),
        mistake(
            () -> documentedBuilder().jitter(-0.1, 0).build(),
            "jitterDown is -0.1: must be between 0 and 1"),
        mistake(
            () -> documentedBuilder().jitter(0.2, 0.3).build(),
            "jitterUp is 0.3: must be between 0 and jitterDown, which is 0.2"),
        mistake(
            () -> documentedBuilder().jitter(0.2, -0.1).build(),
            "jitterUp is -0.1: must be between 0 and jitterDown, which is 0.2"),
        mistake(() -> exponential.withJitter(-0.1), "share is -0.1: must be between 0 and 1"),
        mistake(() -> exponential.withJitter(1.1), "share is 1.1: must be between 0 and 1"),
        mistake(() -> exponential.withJitter(Double.NaN), "share is NaN: must be between 0 and 1"),
        mistake(() -> exponential.withCap(negative), "cap is PT-1S: must not be negative"),
        mistake(
            () -> exponential.withCap(SECOND).withCap(TOO_LONG),
            "cap is PT4800000H: must be at most PT2562047H47M16.854775807S"),
        mistake(
            () -> exponential.withFullJitter().withCap(negative),
            "cap is PT-1S: must not be negative"),
        mistake(
            () -> Backoff.decorrelatedJitter(SECOND, MINUTE).withCap(negative),
            "cap is PT-1S: must not be negative"),
        mistake(
            () -> Backoff.truncatedExponential(MINUTE).withCap(negative),
            "cap is PT-1S: must not be negative"),
        mistake(
            () -> Backoff.exponentialWithJitter().withCap(negative),
            "cap is PT-1S: must not be negative"),
        mistake(() -> exponential.then(0, Backoff.none()), "firstRetries is 0: must be >= 1"));
  }

  private static Arguments mistake(ThrowingCallable call, String message) {
    return Arguments.of(message, call);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("mistakes")
  void badSettingsAreNamed(String message, ThrowingCallable call) {
    assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
  }

  static Stream<Backoff> everyKind() {
    return Stream.concat(
        jittered(),
        Stream.of(
            Backoff.none(),
            Backoff.linear(SECOND, SECOND, MINUTE),
            Backoff.exponential(SECOND, MINUTE),
            Backoff.exponential(SECOND, MINUTE).withCap(SECOND),
            StagedBackoff.builder().build()));
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void retriesCountFromOne(Backoff backoff) {
    for (int retry : new int[] {0, -1, Integer.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> backoff.delayNanos(retry, Sources.LOWEST))
          .withMessage("retry is " + retry + ": must be >= 1");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> backoff.range(retry))
          .withMessage("retry is " + retry + ": must be >= 1");
    }
  }

  @Test
  void wholeFactorsReachACapThatNoProductMeets() {
    Duration longest = Duration.ofNanos(Long.MAX_VALUE);
    Backoff threefold = Backoff.exponential(Duration.ofNanos(1), 3, longest);
    // 3^39 is the last power of three that is a long.
    assertThat(threefold.range(40)).isEqualTo(DelayRange.exactly(4_052_555_153_018_976_267L));
    assertThat(threefold.range(41)).isEqualTo(DelayRange.exactly(Long.MAX_VALUE));

    Backoff twofold = Backoff.exponential(Duration.ofNanos(1), 2, longest);
    assertThat(twofold.range(63)).isEqualTo(DelayRange.exactly(1L << 62));
    assertThat(twofold.range(64)).isEqualTo(DelayRange.exactly(Long.MAX_VALUE));
  }
}
