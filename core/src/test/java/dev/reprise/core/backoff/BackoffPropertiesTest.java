package dev.reprise.core.backoff;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.SplittableRandom;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import org.assertj.core.data.Offset;

/** What holds for every legal backoff before every retry. */
class BackoffPropertiesTest {
  @Provide
  Arbitrary<Backoff> anyBackoff() {
    return Backoffs.all();
  }

  @Provide
  Arbitrary<Backoff> growing() {
    return Backoffs.growing();
  }

  @Provide
  Arbitrary<ExponentialBackoffWithJitter> exponentialWithJitter() {
    return Backoffs.exponentialWithJitter();
  }

  @Provide
  Arbitrary<Duration> anyDuration() {
    return Backoffs.durations();
  }

  @Provide
  Arbitrary<Integer> anyRetry() {
    return Backoffs.retries();
  }

  @Provide
  Arbitrary<Double> shortFactors() {
    return Arbitraries.integers().between(105, 1_000).map(hundredths -> hundredths / 100.0);
  }

  @Property
  void delayLiesInItsRangeAndTheRangeBetweenZeroAndTheCap(
      @ForAll("anyBackoff") Backoff backoff, @ForAll("anyRetry") int retry, @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    DelayRange range = backoff.range(retry);

    assertThat(range.lowestNanos()).isNotNegative();
    assertThat(range.highestNanos()).isLessThanOrEqualTo(backoff.capNanos());
    for (int i = 0; i < 5; i++) {
      assertThat(backoff.delayNanos(retry, random))
          .isBetween(range.lowestNanos(), range.highestNanos());
    }
  }

  @Property
  void bothEndsOfTheRangeArePossible(
      @ForAll("anyBackoff") Backoff backoff, @ForAll("anyRetry") int retry) {
    DelayRange range = backoff.range(retry);

    assertThat(backoff.delayNanos(retry, Sources.LOWEST)).isEqualTo(range.lowestNanos());
    assertThat(backoff.delayNanos(retry, Sources.HIGHEST)).isEqualTo(range.highestNanos());
  }

  @Property
  void longestDelayNeverFalls(
      @ForAll("growing") Backoff backoff,
      @ForAll("anyRetry") int retry,
      @ForAll @IntRange(min = 1, max = 100) int later) {
    int laterRetry = (int) Math.min(Integer.MAX_VALUE, (long) retry + later);

    assertThat(backoff.range(laterRetry).highestNanos())
        .isGreaterThanOrEqualTo(backoff.range(retry).highestNanos());
  }

  @Property
  void noRetryTakesMoreDrawsThanThereAreJitters(
      @ForAll("growing") Backoff backoff, @ForAll("anyRetry") int retry) {
    Sources.Counting random = new Sources.Counting();

    backoff.withFullJitter().delayNanos(retry, random);

    // One for the formula, two for the decorations around it, one for this test's own.
    assertThat(random.draws()).isBetween(0, 4);
  }

  @Property
  void capAppliedLaterIsKeptAndLeavesTheShorterRangesAlone(
      @ForAll("anyBackoff") Backoff backoff,
      @ForAll("anyDuration") Duration cap,
      @ForAll("anyRetry") int retry) {
    Backoff capped = backoff.withCap(cap);

    assertThat(capped.capNanos()).isLessThanOrEqualTo(cap.toNanos());
    assertThat(capped.range(retry).highestNanos())
        .isEqualTo(Math.min(backoff.range(retry).highestNanos(), cap.toNanos()));
  }

  @Property
  void doublingIsExact(
      @ForAll("anyDuration") Duration base,
      @ForAll("anyDuration") Duration growth,
      @ForAll("anyRetry") int retry) {
    long baseNanos = base.toNanos();
    long capNanos = Nanos.plus(baseNanos, growth.toNanos());
    // Past 100 doublings even a nanosecond has outgrown every cap.
    BigInteger expected =
        BigInteger.valueOf(baseNanos)
            .shiftLeft(Math.min(retry - 1, 100))
            .min(BigInteger.valueOf(capNanos));

    Backoff backoff = Backoff.exponential(base, Duration.ofNanos(capNanos));

    assertThat(backoff.delayNanos(retry, Sources.UNTOUCHED)).isEqualTo(expected.longValueExact());
  }

  @Property
  void anyFactorIsExactlyTheDecimalThatItPrintsAs(
      @ForAll("anyDuration") Duration base,
      @ForAll("anyDuration") Duration growth,
      @ForAll("shortFactors") double factor,
      @ForAll @IntRange(min = 1, max = 1_100) int retry) {
    long capNanos = Nanos.plus(base.toNanos(), growth.toNanos());
    BigDecimal expected =
        new BigDecimal(Double.toString(factor))
            .pow(retry - 1)
            .multiply(BigDecimal.valueOf(base.toNanos()))
            .setScale(0, RoundingMode.DOWN)
            .min(BigDecimal.valueOf(capNanos));

    Backoff backoff = Backoff.exponential(base, factor, Duration.ofNanos(capNanos));

    assertThat(backoff.delayNanos(retry, Sources.UNTOUCHED)).isEqualTo(expected.longValueExact());
  }

  @Property
  void linearIsExact(
      @ForAll("anyDuration") Duration base,
      @ForAll("anyDuration") Duration step,
      @ForAll("anyDuration") Duration growth,
      @ForAll("anyRetry") int retry) {
    long capNanos = Nanos.plus(base.toNanos(), growth.toNanos());
    BigInteger expected =
        BigInteger.valueOf(step.toNanos())
            .multiply(BigInteger.valueOf(retry - 1L))
            .add(BigInteger.valueOf(base.toNanos()))
            .min(BigInteger.valueOf(capNanos));

    Backoff backoff = Backoff.linear(base, step, Duration.ofNanos(capNanos));

    assertThat(backoff.delayNanos(retry, Sources.UNTOUCHED)).isEqualTo(expected.longValueExact());
  }

  @Property
  void decorrelatedJitterHasTheRangeOfTheChain(
      @ForAll("anyDuration") Duration base,
      @ForAll("anyDuration") Duration growth,
      @ForAll @IntRange(min = 1, max = 60) int retry) {
    long baseNanos = base.toNanos();
    long capNanos = Nanos.plus(baseNanos, growth.toNanos());
    // The chain at its highest: three times the delay before, starting at the base.
    BigInteger highest = BigInteger.valueOf(baseNanos);
    for (int i = 0; i < retry; i++) {
      highest = highest.multiply(BigInteger.valueOf(3)).min(BigInteger.valueOf(capNanos));
    }

    Backoff backoff = Backoff.decorrelatedJitter(base, Duration.ofNanos(capNanos));

    assertThat(backoff.range(retry)).isEqualTo(new DelayRange(baseNanos, highest.longValueExact()));
    assertThat(backoff.range(Integer.MAX_VALUE))
        .isEqualTo(new DelayRange(baseNanos, baseNanos == 0 ? 0 : capNanos));
  }

  @Property
  void documentedFormulaIsExactAtBothEndsOfItsJitter(
      @ForAll("exponentialWithJitter") ExponentialBackoffWithJitter backoff,
      @ForAll @IntRange(min = 1, max = 1_100) int retry) {
    BigDecimal max = BigDecimal.valueOf(backoff.maxDelay().toNanos());
    BigDecimal lowest = formula(backoff, retry, backoff.jitterDown());
    BigDecimal highest = formula(backoff, retry, backoff.jitterUp());

    DelayRange range = backoff.range(retry);

    if (backoff.atCap() == AtCap.CONSTANT || highest.compareTo(max) <= 0) {
      assertThat(range)
          .isEqualTo(new DelayRange(lowest.min(max).longValue(), highest.min(max).longValue()));
    } else {
      assertThat(range.highestNanos()).isEqualTo(max.longValueExact());
      assertThat(range.lowestNanos())
          .isBetween(backoff.minDelay().toNanos(), lowest.min(max).longValue());
    }
  }

  private static BigDecimal formula(
      ExponentialBackoffWithJitter backoff, int retry, double shareLeftOut) {
    BigDecimal growth = BigDecimal.valueOf(2).pow(retry - 1).subtract(BigDecimal.ONE);
    BigDecimal share = BigDecimal.ONE.subtract(new BigDecimal(Double.toString(shareLeftOut)));
    return growth
        .multiply(share)
        .multiply(BigDecimal.valueOf(backoff.interval().toNanos()))
        .add(BigDecimal.valueOf(backoff.minDelay().toNanos()));
  }

  @Property
  void proportionalJitterSpreadsByItsShareToBothSides(
      @ForAll("anyDuration") Duration delay, @ForAll @DoubleRange(min = 0, max = 1) double share) {
    long nanos = delay.toNanos();

    DelayRange range = Backoff.fixed(delay).withJitter(share).range(1);

    long down = nanos - range.lowestNanos();
    long up = range.highestNanos() - nanos;
    assertThat(down).isBetween(0L, nanos);
    assertThat((double) down).isCloseTo(nanos * share, byAtMost(nanos));
    assertThat(up).isEqualTo(Math.min(down, Long.MAX_VALUE - nanos));
  }

  /** A nanosecond, and what a double cannot tell apart. */
  private static Offset<Double> byAtMost(long nanos) {
    return Offset.offset(1.0 + nanos * 0x1p-51);
  }
}
