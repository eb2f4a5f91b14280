package dev.reprise.common.text;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;

/**
 * Writes numbers and spans of time for people, with their units, by fixed rules and not by those of
 * the platform or the locale.
 *
 * <p>A span that was set is {@link #plain}, one that was measured or computed is {@link #exact},
 * one that tells only how long to wait is {@link #rough}. The result of a calculation with {@code
 * double} has three digits: {@link #seconds(double)}, {@link #count}, {@link #percent}, {@link
 * #rate}.
 */
public final class AmountText {
  /** The text for a time that never comes. */
  public static final String NEVER = "never";

  private static final long MIB = 1L << 20;

  /** Times in seconds below this, half a microsecond, are shown as 0. */
  public static final double MIN_SECONDS = 5e-7;

  private static final MathContext THREE_DIGITS = new MathContext(3, RoundingMode.HALF_UP);
  private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);
  private static final BigDecimal MIN_IN_FULL = new BigDecimal("0.0001");
  private static final char MINUS = '\u2212';

  private AmountText() {}

  /**
   * Returns the span in the units in which people set it: {@code 250 ms}, {@code 20 s}, {@code 2 h
   * 5 min}. If it is not of whole seconds, all of it is in milliseconds: {@code 1500 ms}.
   */
  public static String plain(Duration span) {
    if (span.toNanosPart() != 0) {
      return digits(inSeconds(span).movePointRight(3)) + " ms";
    }
    StringBuilder words = new StringBuilder();
    append(words, span.toDays(), "d");
    append(words, span.toHoursPart(), "h");
    append(words, span.toMinutesPart(), "min");
    append(words, span.toSecondsPart(), "s");
    return words.length() == 0 ? "0 s" : words.toString();
  }

  /**
   * Returns the span to the nanosecond, in the units in which people read it: {@code 1 ns}, {@code
   * 12.5 ms}, {@code 1.18 s}, {@code 6 h 34 min 16.243 s}.
   *
   * @param span not negative
   */
  public static String exact(Duration span) {
    if (span.isZero()) {
      return "0 s";
    }
    if (span.toSeconds() == 0) {
      int nanos = span.toNanosPart();
      return nanos < 1_000_000 ? nanos + " ns" : digits(BigDecimal.valueOf(nanos, 6)) + " ms";
    }
    StringBuilder words = new StringBuilder();
    append(words, span.toDays(), "d");
    append(words, span.toHoursPart(), "h");
    append(words, span.toMinutesPart(), "min");
    long rest = span.toSecondsPart() * 1_000_000_000L + span.toNanosPart();
    if (rest > 0) {
      append(words, digits(BigDecimal.valueOf(rest, 9)), "s");
    }
    return words.toString();
  }

  /**
   * Returns the two largest units of the span: {@code 1.2 s}, {@code 3 min 5 s}, {@code 2 d 4 h}.
   *
   * @param span not negative; less than a millisecond is left out
   */
  public static String rough(Duration span) {
    Duration whole = Duration.ofMillis(span.toMillis());
    long millis = whole.toMillis();
    if (millis < 1000) {
      return exact(whole);
    }
    if (millis < 10_000) {
      return exact(Duration.ofMillis(Math.round(millis / 100.0) * 100));
    }
    StringBuilder words = new StringBuilder();
    if (whole.toDays() > 0) {
      append(words, whole.toDays(), "d");
      append(words, whole.toHoursPart(), "h");
    } else if (whole.toHours() > 0) {
      append(words, whole.toHours(), "h");
      append(words, whole.toMinutesPart(), "min");
    } else {
      append(words, whole.toMinutes(), "min");
      append(words, whole.toSecondsPart(), "s");
    }
    return words.toString();
  }

  private static void append(StringBuilder words, long amount, String unit) {
    if (amount != 0) {
      append(words, String.valueOf(amount), unit);
    }
  }

  private static void append(StringBuilder words, String amount, String unit) {
    words.append(words.length() == 0 ? "" : " ").append(amount).append(' ').append(unit);
  }

  /** Returns a time such as {@code 50 ms}, {@code 15.5 s} or {@code never}. */
  public static String seconds(double seconds) {
    if (Double.isInfinite(seconds)) {
      return NEVER;
    }
    return seconds >= MIN_SECONDS && seconds < 1
        ? count(seconds * 1000) + " ms"
        : count(seconds < MIN_SECONDS ? 0 : seconds) + " s";
  }

  /** Returns a duration in seconds, as {@link #seconds(double)}. */
  public static String seconds(Duration duration) {
    return seconds(inSeconds(duration).doubleValue());
  }

  /**
   * Returns a number of three digits, or of more if it is whole: {@code 1,000,000}, {@code 31.4},
   * {@code 0.05}, {@code infinitely many}.
   *
   * @param value not NaN
   */
  public static String count(double value) {
    if (Double.isInfinite(value)) {
      return "infinitely many";
    }
    if (value == 0) {
      return "0";
    }
    String magnitude = magnitude(new BigDecimal(Math.abs(value)));
    return value < 0 ? MINUS + magnitude : magnitude;
  }

  private static String magnitude(BigDecimal magnitude) {
    BigDecimal rounded = magnitude.round(THREE_DIGITS);
    if (rounded.compareTo(HUNDRED) >= 0) {
      return grouped(magnitude.setScale(0, RoundingMode.HALF_UP).toPlainString());
    }
    if (rounded.compareTo(MIN_IN_FULL) >= 0) {
      return digits(rounded);
    }
    int exponent = rounded.precision() - rounded.scale() - 1;
    return digits(rounded.movePointLeft(exponent)) + "e" + MINUS + -exponent;
  }

  private static String grouped(String digits) {
    StringBuilder grouped = new StringBuilder(digits);
    for (int i = digits.length() - 3; i > 0; i -= 3) {
      grouped.insert(i, ',');
    }
    return grouped.toString();
  }

  /**
   * Returns bytes, from a mebibyte on also in its unit: {@code 1,200 bytes}, {@code 204,111,872
   * bytes (195 MiB)}, {@code 5,368,709,120 bytes (5 GiB)}.
   *
   * @param bytes not negative
   */
  public static String bytes(long bytes) {
    String all = grouped(Long.toString(bytes)) + (bytes == 1 ? " byte" : " bytes");
    if (bytes < MIB) {
      return all;
    }
    double mebibytes = bytes / (double) MIB;
    return all
        + " ("
        + (mebibytes < 1024 ? count(mebibytes) + " MiB" : count(mebibytes / 1024) + " GiB")
        + ")";
  }

  /** Returns a share such as {@code 12.5 %}, of 0.125. */
  public static String percent(double share) {
    return count(100 * share) + " %";
  }

  /** Returns so many a second: {@code 5,000/s}. */
  public static String rate(double perSecond) {
    return count(perSecond) + "/s";
  }

  private static BigDecimal inSeconds(Duration span) {
    return BigDecimal.valueOf(span.getSeconds()).add(BigDecimal.valueOf(span.getNano(), 9));
  }

  private static String digits(BigDecimal number) {
    return number.stripTrailingZeros().toPlainString();
  }
}
