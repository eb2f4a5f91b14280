package dev.reprise.lab.figure;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * How numbers are shown to people: three digits that say something, whole numbers in full,
 * thousands set off, and the unit. By fixed rules, not by those of the platform or the locale.
 */
public final class Amounts {
  /** What is shown for a time that never comes. */
  public static final String NEVER = "never";

  private static final MathContext THREE_DIGITS = new MathContext(3, RoundingMode.HALF_UP);
  private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);
  private static final BigDecimal LEAST_IN_FULL = new BigDecimal("0.0001");
  private static final char MINUS = '\u2212';

  /** Half a microsecond: less is no time. */
  private static final double LEAST_SECONDS = 5e-7;

  private Amounts() {}

  /** Returns a number such as {@code 1,000,000}, {@code 31.4} or {@code 0.05}. */
  public static String count(double value) {
    if (Double.isInfinite(value)) {
      return "infinitely many";
    }
    if (value == 0) {
      return "0";
    }
    BigDecimal magnitude = new BigDecimal(Math.abs(value));
    BigDecimal rounded = magnitude.round(THREE_DIGITS);
    String digits;
    if (rounded.compareTo(HUNDRED) >= 0) {
      digits = grouped(magnitude.setScale(0, RoundingMode.HALF_UP).toPlainString());
    } else if (rounded.compareTo(LEAST_IN_FULL) < 0) {
      int exponent = rounded.precision() - rounded.scale() - 1;
      BigDecimal mantissa = rounded.movePointLeft(exponent).stripTrailingZeros();
      digits = mantissa.toPlainString() + "e" + MINUS + -exponent;
    } else {
      digits = rounded.stripTrailingZeros().toPlainString();
    }
    return value < 0 ? MINUS + digits : digits;
  }

  private static String grouped(String digits) {
    StringBuilder grouped = new StringBuilder(digits);
    for (int i = digits.length() - 3; i > 0; i -= 3) {
      grouped.insert(i, ',');
    }
    return grouped.toString();
  }

  /** Returns a share such as {@code 12.5 %}. */
  public static String percent(double share) {
    return count(100 * share) + " %";
  }

  /** Returns so many a second: {@code 5,000/s}. */
  public static String rate(double perSecond) {
    return count(perSecond) + "/s";
  }

  /** Returns a time such as {@code 50 ms}, {@code 15.5 s} or {@code never}. */
  public static String seconds(double seconds) {
    if (Double.isInfinite(seconds)) {
      return NEVER;
    }
    return seconds >= LEAST_SECONDS && seconds < 1
        ? count(seconds * 1000) + " ms"
        : count(seconds < LEAST_SECONDS ? 0 : seconds) + " s";
  }

  /** Returns a duration in seconds, as {@link #seconds(double)}. */
  public static String seconds(Duration duration) {
    return seconds(inSeconds(duration));
  }

  /** Returns how many seconds a duration has. */
  public static double inSeconds(Duration duration) {
    return duration.getSeconds() + duration.getNano() / 1e9;
  }
}
