package dev.reprise.policy.document;

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
  /** Of a duration that is waited for. */
  public static final String RULE = "must be more than 0, up to 292 years";

  private static final Pattern SHORT = Pattern.compile("(?<amount>[0-9]{1,9})(?<unit>ms|s|m|h)");

  /** More than the short form has digits for. */
  private static final long AMOUNTS = 1_000_000_000;

  private static final Duration MAX_SHORT = Duration.ofSeconds(AMOUNTS - 1);

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
  public static @Nullable Duration ofSeconds(BigInteger seconds) {
    return seconds.bitLength() > 62 ? null : Duration.ofSeconds(seconds.longValueExact());
  }

  /**
   * Returns seconds without a unit when they are whole, as Amazon SNS writes them, else
   * milliseconds.
   */
  public static String write(Duration duration) {
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
        || duration.compareTo(MAX_SHORT) > 0) {
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

  public static boolean isWholeSeconds(Duration duration) {
    return duration.toNanosPart() == 0;
  }
}
