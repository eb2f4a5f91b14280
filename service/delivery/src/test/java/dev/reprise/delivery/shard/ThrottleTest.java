package dev.reprise.delivery.shard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.testkit.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class ThrottleTest {
  private static final long SECOND = 1_000_000_000L;

  @Property(tries = 200)
  void noTenSecondsHoldMoreThanTenTimesTheRate(
      @ForAll @LongRange(min = 1, max = 300) long rate,
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 2_000) int latenessMillis) {
    SeededRandom random = SeededRandom.of(seed);
    Throttle throttle = new Throttle(rate, 0);
    List<Long> starts = run(throttle, 0, 35 * SECOND, random, latenessMillis);
    assertExact(starts, rate);
  }

  @Property(tries = 200)
  void aCallerThatIsInTimeGetsAllOfTheRate(
      @ForAll @LongRange(min = 1, max = 300) long rate, @ForAll long seed) {
    List<Long> starts = run(new Throttle(rate, 0), 0, 60 * SECOND, SeededRandom.of(seed), 1);
    for (int from = 0; from <= 50; from++) {
      long begin = from * SECOND;
      long count = starts.stream().filter(s -> s >= begin && s < begin + 10 * SECOND).count();
      assertThat(count).as("starts from second %s on", from).isGreaterThanOrEqualTo(10 * rate - 1);
    }
  }

  @Property(tries = 200)
  void aRestartDoesNotAddToTheTenSecondsAroundIt(
      @ForAll @LongRange(min = 1, max = 300) long rate,
      @ForAll long seed,
      @ForAll @LongRange(min = 0, max = 12_000) long deadAtMillis,
      @ForAll @LongRange(min = 0, max = 200) long downMillis,
      @ForAll @IntRange(min = 1, max = 150) int latenessMillis) {
    SeededRandom random = SeededRandom.of(seed);
    long deadAt = deadAtMillis * 1_000_000;
    List<Long> starts = run(new Throttle(rate, 0), 0, deadAt, random, latenessMillis);
    long again = deadAt + downMillis * 1_000_000;
    Throttle reopened = Throttle.reopened(rate, again);
    starts.addAll(run(reopened, again, again + 12 * SECOND, random, latenessMillis));
    assertExact(starts, rate);
  }

  @Property(tries = 100)
  void partsOfARateTogetherDoNotExceedIt(
      @ForAll @LongRange(min = 1, max = 100) long rate,
      @ForAll @IntRange(min = 1, max = 10) int sharers,
      @ForAll long seed) {
    SeededRandom random = SeededRandom.of(seed);
    List<Long> starts = new ArrayList<>();
    for (int i = 0; i < sharers; i++) {
      starts.addAll(run(new Throttle(rate, sharers, 0), 0, 35 * SECOND, random, 20));
    }
    starts.sort(null);
    assertExact(starts, rate);
    assertThat(starts.size()).as("use").isGreaterThan((int) (35 * rate - 10L * sharers - 10));
  }

  @Test
  void partsOfLessThanOneStartInTenSecondsKeepToTheRateOnAverage() {
    List<Long> starts = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      starts.addAll(run(new Throttle(1, 64, 0), 0, 640 * SECOND, SeededRandom.of(i), 1));
    }
    assertThat(starts.size()).isBetween(600, 640);
  }

  @Test
  void startsAreSpacedEvenly() {
    Throttle throttle = new Throttle(4, 0);
    assertThat(throttle.waitNanos(0)).isZero();
    throttle.start(0);
    assertThat(throttle.waitNanos(0)).isEqualTo(SECOND / 4);
    assertThat(throttle.waitNanos(SECOND / 4)).isZero();
  }

  @Test
  void aShortPauseOfTheCallerIsCaughtUpAndALongOneIsNot() {
    Throttle throttle = new Throttle(100, 0);
    int burst = 0;
    while (throttle.waitNanos(5 * SECOND) <= 0) {
      throttle.start(5 * SECOND);
      burst++;
    }
    // A tenth of a second is caught up: ten starts, and the one that is due.
    assertThat(burst).isEqualTo(11);
  }

  @Test
  void theRateMustBePositive() {
    assertThatThrownBy(() -> new Throttle(0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxPerSecond is 0: must be >= 1");
  }

  @Test
  void theLargestRateNeverWaitsForLong() {
    Throttle throttle = new Throttle(Long.MAX_VALUE, 0);
    throttle.start(0);
    assertThat(throttle.waitNanos(0)).isLessThanOrEqualTo(1);
  }

  /** A caller that starts whenever it may, but comes late by up to a number of milliseconds. */
  private static List<Long> run(
      Throttle throttle, long from, long to, SeededRandom random, int latenessMillis) {
    List<Long> starts = new ArrayList<>();
    long now = from;
    while (true) {
      long wait = throttle.waitNanos(now);
      if (wait > 0) {
        now += wait + random.nextLong(latenessMillis * 1_000_000L);
        continue;
      }
      if (now >= to) {
        return starts;
      }
      throttle.start(now);
      starts.add(now);
    }
  }

  private static void assertExact(List<Long> starts, long rate) {
    int most = Math.toIntExact(10 * rate);
    for (int i = most; i < starts.size(); i++) {
      assertThat(starts.get(i) - starts.get(i - most))
          .as("%s starts to the one at %s", most + 1, starts.get(i))
          .isGreaterThanOrEqualTo(Throttle.WINDOW_NANOS);
    }
  }
}
