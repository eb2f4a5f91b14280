package dev.reprise.server.cli.terminal;

import java.math.BigDecimal;
import java.time.Duration;

/** Spans of time as people read and write them. */
public final class Spans {
  private Spans() {}

  /** Returns the exact span: {@code 250 ms}, {@code 1.18 s}, {@code 6 h 34 min 16.243 s}. */
  public static String exact(long millis) {
    return exact(Duration.ofMillis(millis));
  }

  /** Returns the exact span, down to the nanosecond: {@code 1 ns}, {@code 12.5 ms}. */
  public static String exact(Duration span) {
    if (span.isZero()) {
      return "0 s";
    }
    if (span.toSeconds() == 0) {
      int nanos = span.toNanosPart();
      return nanos < 1_000_000 ? nanos + " ns" : plain(BigDecimal.valueOf(nanos, 6)) + " ms";
    }
    StringBuilder words = new StringBuilder();
    append(words, span.toDays(), "d");
    append(words, span.toHoursPart(), "h");
    append(words, span.toMinutesPart(), "min");
    long rest = span.toSecondsPart() * 1_000_000_000L + span.toNanosPart();
    if (rest > 0) {
      words.append(words.length() == 0 ? "" : " ");
      words.append(plain(BigDecimal.valueOf(rest, 9))).append(" s");
    }
    return words.toString();
  }

  private static String plain(BigDecimal number) {
    return number.stripTrailingZeros().toPlainString();
  }

  /**
   * Returns the two largest units of the span: {@code 1.2 s}, {@code 3 min 5 s}, {@code 2 d 4 h}.
   */
  public static String rough(long millis) {
    if (millis < 10_000) {
      return exact(millis < 1000 ? millis : Math.round(millis / 100.0) * 100);
    }
    Duration span = Duration.ofMillis(millis);
    if (span.toDays() > 0) {
      return two(span.toDays(), "d", span.toHoursPart(), "h");
    }
    if (span.toHours() > 0) {
      return two(span.toHours(), "h", span.toMinutesPart(), "min");
    }
    return two(span.toMinutes(), "min", span.toSecondsPart(), "s");
  }

  private static String two(long large, String largeUnit, long small, String smallUnit) {
    StringBuilder words = new StringBuilder();
    append(words, large, largeUnit);
    append(words, small, smallUnit);
    return words.toString();
  }

  private static void append(StringBuilder words, long amount, String unit) {
    if (amount != 0) {
      words.append(words.length() == 0 ? "" : " ").append(amount).append(' ').append(unit);
    }
  }
}
