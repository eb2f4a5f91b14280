package dev.reprise.smithy.runtime;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Converts numbers of JSON, which are text, to numbers of Java. The few characters of {@code
 * 1e1000000000} are a number of a gigabyte, so what is too large is found out before it is written
 * out.
 */
final class JsonNumber {
  /**
   * The most characters of a number, and the most digits before the point and the most after it
   * when it is written out. Longer ones take long to compute with, and no error has one.
   */
  static final int MAX_LENGTH = 1_000;

  /** No long has more. */
  private static final int DIGITS_OF_LONG = 19;

  private JsonNumber() {}

  static @Nullable Long int64(String number) {
    BigDecimal value = bigDecimal(number);
    if (value == null || digitsBeforePoint(value) > DIGITS_OF_LONG) {
      return null;
    }
    try {
      return value.longValueExact();
    } catch (ArithmeticException hasFractionOrIsOutOfRange) {
      return null;
    }
  }

  static @Nullable Float float32(String number) {
    float value = Float.parseFloat(number);
    return Float.isInfinite(value) ? null : value;
  }

  static @Nullable Double float64(String number) {
    double value = Double.parseDouble(number);
    return Double.isInfinite(value) ? null : value;
  }

  static @Nullable BigInteger bigInteger(String number) {
    BigDecimal value = bigDecimal(number);
    if (value == null) {
      return null;
    }
    try {
      return value.toBigIntegerExact();
    } catch (ArithmeticException hasFraction) {
      return null;
    }
  }

  static @Nullable BigDecimal bigDecimal(String number) {
    try {
      BigDecimal value = new BigDecimal(number);
      boolean isShort = digitsBeforePoint(value) <= MAX_LENGTH && value.scale() <= MAX_LENGTH;
      return isShort ? value : null;
    } catch (NumberFormatException exponentTooLong) {
      return null;
    }
  }

  static @Nullable Instant epochSeconds(String number) {
    BigDecimal seconds = bigDecimal(number);
    if (seconds == null || digitsBeforePoint(seconds) > DIGITS_OF_LONG) {
      return null;
    }
    try {
      BigDecimal whole = seconds.setScale(0, RoundingMode.FLOOR);
      long nanos = seconds.subtract(whole).movePointRight(9).longValue();
      return Instant.ofEpochSecond(whole.longValueExact(), nanos);
    } catch (ArithmeticException | DateTimeException outOfRange) {
      return null;
    }
  }

  /** Returns how many there are when the number is written out; none or fewer below 1. */
  private static long digitsBeforePoint(BigDecimal number) {
    return (long) number.precision() - number.scale();
  }
}
