package dev.reprise.core.backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class StagedBackoffTest {
  private static final StagedBackoff SEED_EXAMPLE =
      StagedBackoff.builder()
          .noDelayRetries(3)
          .minDelayRetries(4)
          .backoffRetries(9)
          .maxDelayRetries(4)
          .delays(Duration.ofSeconds(20), Duration.ofSeconds(60))
          .build();

  @Provide
  Arbitrary<StagedBackoff> backoffs() {
    Arbitrary<Integer> count =
        Arbitraries.oneOf(
            Arbitraries.integers().between(0, 5),
            Arbitraries.integers().between(0, Integer.MAX_VALUE));
    Arbitrary<Long> millis =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 3_600_000),
            Arbitraries.longs().between(0, Long.MAX_VALUE / 1_000_000));
    return Combinators.combine(
            count, count, count, count, millis, millis, Arbitraries.of(BackoffFunction.values()))
        .as(
            (noDelay, min, backoff, max, a, b, function) ->
                new StagedBackoff(
                    noDelay,
                    min,
                    backoff,
                    max,
                    Duration.ofMillis(Math.min(a, b)),
                    Duration.ofMillis(Math.max(a, b)),
                    function));
  }

  @Property
  void everyDelayIsBetweenZeroAndTheMaximum(
      @ForAll("backoffs") StagedBackoff backoff, @ForAll @IntRange(min = 1) int retry) {
    long delayNanos = backoff.delayNanos(retry, Sources.UNTOUCHED);

    assertThat(delayNanos).isBetween(0L, backoff.maxDelay().toNanos());
    assertThat(backoff.range(retry)).isEqualTo(new DelayRange(delayNanos, delayNanos));
  }

  @Property
  void delaysNeverFallFromOneRetryToTheNext(
      @ForAll("backoffs") StagedBackoff backoff,
      @ForAll @IntRange(min = 1, max = Integer.MAX_VALUE - 1) int retry) {
    assertThat(backoff.delayMillis(retry + 1)).isGreaterThanOrEqualTo(backoff.delayMillis(retry));
    assertThat(backoff.stageOf(retry + 1)).isGreaterThanOrEqualTo(backoff.stageOf(retry));
  }

  @Property
  void stagesHaveTheirLength(
      @ForAll @IntRange(max = 20) int noDelay,
      @ForAll @IntRange(max = 20) int min,
      @ForAll @IntRange(max = 20) int growing,
      @ForAll @IntRange(max = 20) int max) {
    StagedBackoff backoff =
        StagedBackoff.builder()
            .noDelayRetries(noDelay)
            .minDelayRetries(min)
            .backoffRetries(growing)
            .maxDelayRetries(max)
            .delays(Duration.ofSeconds(1), Duration.ofSeconds(9))
            .build();
    List<Stage> expected = new ArrayList<>();
    for (Stage stage : Stage.values()) {
      for (int i = 0; i < backoff.retriesIn(stage); i++) {
        expected.add(stage);
      }
    }

    List<Stage> actual =
        IntStream.rangeClosed(1, (int) backoff.numRetries()).mapToObj(backoff::stageOf).toList();

    assertThat(actual).isEqualTo(expected);
    assertThat(backoff.stageOf(expected.size() + 1)).isEqualTo(Stage.MAX_DELAY);
  }

  @Test
  void exampleOfTheSeed() {
    List<Long> seconds =
        IntStream.rangeClosed(1, 20)
            .mapToObj(retry -> SEED_EXAMPLE.delayNanos(retry, Sources.UNTOUCHED) / 1_000_000_000)
            .toList();

    assertThat(seconds)
        .containsExactly(
            0L, 0L, 0L, 20L, 20L, 20L, 20L, 20L, 25L, 30L, 35L, 40L, 45L, 50L, 55L, 60L, 60L, 60L,
            60L, 60L);
    assertThat(SEED_EXAMPLE.numRetries()).isEqualTo(20);
  }

  @Test
  void delayStaysAtTheMaximumPastTheLastStage() {
    assertThat(SEED_EXAMPLE.delayMillis(21)).isEqualTo(60_000);
    assertThat(SEED_EXAMPLE.delayMillis(Integer.MAX_VALUE)).isEqualTo(60_000);
  }

  @Test
  void totalOfFourFullStagesDoesNotOverflow() {
    int most = Integer.MAX_VALUE;
    StagedBackoff backoff =
        new StagedBackoff(
            most, most, most, most, Duration.ZERO, Duration.ZERO, BackoffFunction.LINEAR);

    assertThat(backoff.numRetries()).isEqualTo(4L * most);
    assertThat(backoff.stageOf(most)).isEqualTo(Stage.IMMEDIATE);
  }

  @Test
  void badSettingsAreNamed() {
    assertThatThrownBy(() -> StagedBackoff.builder().backoffRetries(-1).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("backoffRetries is -1: must be >= 0");
    assertThatThrownBy(
            () ->
                StagedBackoff.builder()
                    .delays(Duration.ofSeconds(2), Duration.ofSeconds(1))
                    .build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("minDelay is PT2S: must be at most maxDelay, which is PT1S");
    assertThatThrownBy(
            () -> StagedBackoff.builder().delays(Duration.ofNanos(5), Duration.ofDays(1)).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("minDelay is PT0.000000005S: must be a whole number of milliseconds");
    assertThatThrownBy(
            () -> StagedBackoff.builder().delays(Duration.ZERO, Duration.ofDays(200_000)).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("maxDelay is PT4800000H: must be at most");
    assertThatThrownBy(() -> SEED_EXAMPLE.delayNanos(0, Sources.UNTOUCHED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("retry is 0: must be >= 1");
  }
}
