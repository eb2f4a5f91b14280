package dev.reprise.core.backoff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BackoffFunctionTest {
  /** A retry of a backoff stage; {@code x <= x2}, {@code minMillis <= maxMillis}. */
  record Point(int x, int x2, long minMillis, long maxMillis) {
    long delayMillis(BackoffFunction function) {
      return function.delayMillis(x, x2, minMillis, maxMillis);
    }
  }

  @Provide
  Arbitrary<Point> points() {
    Arbitrary<Integer> length =
        Arbitraries.oneOf(
            Arbitraries.integers().between(1, 100),
            Arbitraries.integers().between(1, Integer.MAX_VALUE));
    Arbitrary<Long> millis =
        Arbitraries.oneOf(
            Arbitraries.longs().between(0, 3_600_000),
            Arbitraries.longs().between(0, Long.MAX_VALUE / 1_000_000));
    return Combinators.combine(length, millis, millis)
        .flatAs(
            (x2, a, b) ->
                Arbitraries.integers()
                    .between(1, x2)
                    .map(x -> new Point(x, x2, Math.min(a, b), Math.max(a, b))));
  }

  @Property
  void agreesWithDecimalArithmetic(@ForAll("points") Point p, @ForAll BackoffFunction function) {
    // Enough digits that the quotient's error cannot reach half a millisecond of 2^63.
    MathContext digits = new MathContext(400, RoundingMode.DOWN);
    BigDecimal share =
        p.x2 == 1
            ? BigDecimal.ZERO
            : BigDecimal.valueOf(p.x - 1L).divide(BigDecimal.valueOf(p.x2 - 1L), digits);
    BigDecimal rise =
        share
            .pow(function.exponent())
            .multiply(BigDecimal.valueOf(p.maxMillis - p.minMillis))
            // Repeating digits were cut off: what is half but for the 300th digit is half.
            .setScale(300, RoundingMode.HALF_UP);
    BigDecimal expected =
        BigDecimal.valueOf(p.minMillis).add(rise).setScale(0, RoundingMode.HALF_UP);

    assertThat(p.delayMillis(function)).isEqualTo(expected.longValueExact());
  }

  @Property
  void staysBetweenTheEnds(@ForAll("points") Point p, @ForAll BackoffFunction function) {
    assertThat(p.delayMillis(function)).isBetween(p.minMillis, p.maxMillis);
  }

  @Property
  void neverFallsFromOneRetryToTheNext(
      @ForAll("points") Point p, @ForAll BackoffFunction function) {
    if (p.x < p.x2) {
      Point next = new Point(p.x + 1, p.x2, p.minMillis, p.maxMillis);
      assertThat(next.delayMillis(function)).isGreaterThanOrEqualTo(p.delayMillis(function));
    }
  }

  @Property
  void functionsKeepTheirOrder(@ForAll("points") Point p) {
    long linear = p.delayMillis(BackoffFunction.LINEAR);
    long arithmetic = p.delayMillis(BackoffFunction.ARITHMETIC);
    long geometric = p.delayMillis(BackoffFunction.GEOMETRIC);
    long exponential = p.delayMillis(BackoffFunction.EXPONENTIAL);

    assertThat(linear).isGreaterThanOrEqualTo(arithmetic);
    assertThat(arithmetic).isGreaterThanOrEqualTo(geometric);
    assertThat(geometric).isGreaterThanOrEqualTo(exponential);
  }

  @Property
  void bothEndsAreExact(
      @ForAll("points") Point p,
      @ForAll BackoffFunction function,
      @ForAll @IntRange(min = 2) int length) {
    assertThat(function.delayMillis(1, length, p.minMillis, p.maxMillis)).isEqualTo(p.minMillis);
    assertThat(function.delayMillis(length, length, p.minMillis, p.maxMillis))
        .isEqualTo(p.maxMillis);
  }

  @Property
  void singleRetryWaitsTheMinimum(@ForAll("points") Point p, @ForAll BackoffFunction function) {
    assertThat(function.delayMillis(1, 1, p.minMillis, p.maxMillis)).isEqualTo(p.minMillis);
  }

  @Test
  void halfAMillisecondRoundsUp() {
    assertThat(BackoffFunction.LINEAR.delayMillis(2, 3, 0, 1)).isEqualTo(1);
    assertThat(BackoffFunction.LINEAR.delayMillis(2, 3, 0, 3)).isEqualTo(2);
    assertThat(BackoffFunction.ARITHMETIC.delayMillis(2, 3, 0, 2)).isEqualTo(1);
    assertThat(BackoffFunction.ARITHMETIC.delayMillis(2, 3, 0, 1)).isEqualTo(0);
  }

  @Test
  void halfAMillisecondRoundsUpInLongStagesToo() {
    // 64,000 / 2^10 = 62.5, from numbers that no long holds.
    assertThat(BackoffFunction.EXPONENTIAL.delayMillis(51, 101, 0, 64_000)).isEqualTo(63);
    assertThat(BackoffFunction.EXPONENTIAL.delayMillis(51, 101, 0, 63_999)).isEqualTo(62);
  }

  @Test
  void fractionThatADoubleTakesForHalfIsRoundedExactly() {
    long justBelow = 1001L * 8_991_008_991L + 1;
    long justAbove = 1001L * 8_991_008_991L + 1000;

    assertThat(BackoffFunction.LINEAR.delayMillis(501, 1002, 0, justBelow))
        .isEqualTo((justBelow * 500 - 500) / 1001);
    assertThat(BackoffFunction.LINEAR.delayMillis(501, 1002, 0, justAbove))
        .isEqualTo((justAbove * 500 - 501) / 1001 + 1);
  }

  @Test
  void argumentsOutOfRangeAreNamed() {
    assertThatThrownBy(() -> BackoffFunction.LINEAR.delayMillis(0, 3, 1, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("x is 0: must be between 1 and x2, which is 3");
    assertThatThrownBy(() -> BackoffFunction.LINEAR.delayMillis(4, 3, 1, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("x is 4: must be between 1 and x2, which is 3");
    assertThatThrownBy(() -> BackoffFunction.LINEAR.delayMillis(1, 3, -1, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("minMillis is -1: must be >= 0");
    assertThatThrownBy(() -> BackoffFunction.LINEAR.delayMillis(1, 3, 3, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxMillis is 2: must be >= minMillis, which is 3");
  }
}
