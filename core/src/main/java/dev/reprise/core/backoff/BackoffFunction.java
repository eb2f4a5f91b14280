package dev.reprise.core.backoff;

import dev.reprise.core.InvalidSettingException;
import java.math.BigInteger;
import java.util.Locale;

/**
 * The growth of the delay from the minimum to the maximum over the backoff stage (Amazon SNS
 * documentation).
 *
 * <p>For retry x of x2 in the stage, and delays from y1 to y2, the delay is {@code y = y1 + (y2 -
 * y1) * ((x - 1) / (x2 - 1)) ^ exponent}. The documentation gives the exponents; the formula was
 * derived from its graph. The names are labels, not the textbook progressions. For any x, linear
 * &gt;= arithmetic &gt;= geometric &gt;= exponential.
 */
public enum BackoffFunction {
  /** Exponent 1: a straight line. */
  LINEAR(1),

  /** Exponent 2. */
  ARITHMETIC(2),

  /** Exponent 4. */
  GEOMETRIC(4),

  /** Exponent 10: near the minimum for most of the stage, then a steep rise. */
  EXPONENTIAL(10);

  /** Whole numbers up to here have a double of their own. */
  private static final double EXACT_IN_DOUBLE = 0x1p53;

  /**
   * The bound of the relative error: at most 21 roundings of half a unit in the last place, 21 *
   * 2^-53, are less.
   */
  private static final double RELATIVE_ERROR = 0x1p-48;

  private final int exponent;

  BackoffFunction(int exponent) {
    this.exponent = exponent;
  }

  /** Returns the exponent, which the Amazon SNS documentation calls alpha. */
  public int exponent() {
    return exponent;
  }

  /** Returns the name in documents and in the API: {@code linear}, {@code arithmetic} and so on. */
  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the delay of retry x of the backoff stage, exact to the millisecond and rounded half
   * up. It is {@code minMillis} for the first retry, and also when the stage has only one; it is
   * {@code maxMillis} for the last of several.
   *
   * @param x the retry within the stage, 1 to {@code x2}
   * @param x2 the number of retries of the stage, at least 1
   * @param minMillis the delay at the start, at least 0
   * @param maxMillis the delay at the end, at least {@code minMillis}
   * @throws IllegalArgumentException when an argument is out of its range
   */
  public long delayMillis(int x, int x2, long minMillis, long maxMillis) {
    if (x < 1 || x > x2) {
      throw new InvalidSettingException("x", x, "must be between 1 and x2, which is " + x2);
    }
    if (minMillis < 0) {
      throw new InvalidSettingException("minMillis", minMillis, "must be >= 0");
    }
    if (maxMillis < minMillis) {
      throw new InvalidSettingException(
          "maxMillis", maxMillis, "must be >= minMillis, which is " + minMillis);
    }
    if (x == 1 || minMillis == maxMillis) {
      return minMillis;
    }
    if (x == x2) {
      return maxMillis;
    }
    long riseMillis = maxMillis - minMillis;
    double numerator = power(x - 1);
    double denominator = power(x2 - 1);

    // Most stages are short enough for a long to hold every number of the exact calculation.
    if ((2.0 * riseMillis + 1) * denominator < EXACT_IN_DOUBLE) {
      long twice = 2 * riseMillis * (long) numerator + (long) denominator;
      return minMillis + twice / (2 * (long) denominator);
    }

    // The result must be the same on every machine, as double arithmetic is; and half a millisecond
    // must round up, which double arithmetic decides only where it is sure.
    double risen = riseMillis * power((double) (x - 1) / (x2 - 1));
    double wholeMillis = Math.floor(risen);
    double fraction = risen - wholeMillis;
    if (Math.abs(fraction - 0.5) > risen * RELATIVE_ERROR) {
      return minMillis + (long) wholeMillis + (fraction > 0.5 ? 1 : 0);
    }
    return minMillis + exactRiseMillis(x, x2, riseMillis);
  }

  /** Returns the base to the power of the exponent; exact when the result is at most 2^53. */
  private double power(double base) {
    double square = base * base;
    return switch (this) {
      case LINEAR -> base;
      case ARITHMETIC -> square;
      case GEOMETRIC -> square * square;
      case EXPONENTIAL -> square * square * (square * square) * square;
    };
  }

  /**
   * Computes exactly where a long is too small and a double too inexact: 2^31 to the power of 10
   * takes 310 bits.
   */
  private long exactRiseMillis(int x, int x2, long riseMillis) {
    BigInteger numerator = BigInteger.valueOf(x - 1L).pow(exponent);
    BigInteger denominator = BigInteger.valueOf(x2 - 1L).pow(exponent);
    BigInteger twiceRise = BigInteger.valueOf(riseMillis).multiply(numerator).shiftLeft(1);
    return twiceRise.add(denominator).divide(denominator.shiftLeft(1)).longValueExact();
  }
}
