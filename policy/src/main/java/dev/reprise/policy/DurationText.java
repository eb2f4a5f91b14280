package dev.reprise.policy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The written forms of a duration: {@code 250ms}, {@code 10s}, {@code 4m}, {@code 1h}, ISO-8601.
 */
public final class DurationText {
  private static final Pattern SHORT = Pattern.compile("(?<amount>[0-9]{1,9})(?<unit>ms|s|m|h)");

  /** More than the short form has digits for. */
  private static final long AMOUNTS = 1_000_000_000;

  private static final Duration LONGEST_SHORT = Duration.ofSeconds(AMOUNTS - 1);

  private DurationText() {}

  /** Returns the duration, or null when the text is not one. */
  public static @Nullable Duration read(String text) {
    Matcher matcher = SHORT.matcher(text);
    if (matcher.matches()) {
      long amount = Long.parseLong(matcher.group("amount"));
      return switch (matcher.group("unit")) {
        case "ms" -> Duration.ofMillis(amount);
        case "s" -> Duration.ofSeconds(amount);
        case "m" -> Duration.ofMinutes(amount);
        default -> Duration.ofHours(amount);
      };
    }
    if (!text.startsWith("P")) {
      return null;
    }
    try {
      return Duration.parse(text);
    } catch (DateTimeException notIso) {
      return null;
    }
  }

  /** Returns the duration of so many seconds, or null when it is longer than a duration can be. */
  static @Nullable Duration ofSeconds(BigInteger seconds) {
    return seconds.bitLength() > 62 ? null : Duration.ofSeconds(seconds.longValueExact());
  }

  /** Returns seconds without a unit when they are whole, as in seed 004, else milliseconds. */
  static String write(Duration duration) {
    return isWholeSeconds(duration)
        ? String.valueOf(duration.toSeconds())
        : duration.toMillis() + "ms";
  }

  /**
   * Returns the shortest exact text that {@link #read} reads, such as {@code 250ms} or {@code 4m}.
   */
  public static String exact(Duration duration) {
    if (duration.toNanosPart() % 1_000_000 != 0
        || duration.isNegative()
        || duration.compareTo(LONGEST_SHORT) > 0) {
      return duration.toString();
    }
    if (!isWholeSeconds(duration)) {
      return duration.toMillis() < AMOUNTS ? duration.toMillis() + "ms" : duration.toString();
    }
    long seconds = duration.toSeconds();
    if (seconds % 3600 == 0 && seconds > 0) {
      return seconds / 3600 + "h";
    }
    return seconds % 60 == 0 && seconds > 0 ? seconds / 60 + "m" : seconds + "s";
  }

  static boolean isWholeSeconds(Duration duration) {
    return duration.toNanosPart() == 0;
  }

  /** Returns the duration for sentences: {@code 250 ms}, {@code 20 s}, {@code 2 h 5 min}. */
  public static String inWords(Duration duration) {
    if (!isWholeSeconds(duration)) {
      BigDecimal seconds =
          BigDecimal.valueOf(duration.getSeconds()).add(BigDecimal.valueOf(duration.getNano(), 9));
      return seconds.movePointRight(3).stripTrailingZeros().toPlainString() + " ms";
    }
    StringBuilder words = new StringBuilder();
    append(words, duration.toDays(), "d");
    append(words, duration.toHoursPart(), "h");
    append(words, duration.toMinutesPart(), "min");
    append(words, duration.toSecondsPart(), "s");
    return words.length() == 0 ? "0 s" : words.toString();
  }

  private static void append(StringBuilder words, long amount, String unit) {
    if (amount != 0) {
      words.append(words.length() == 0 ? "" : " ").append(amount).append(' ').append(unit);
    }
  }
}
