package dev.reprise.lab.replay;

import dev.reprise.lab.scenario.SpanText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A written time.
 *
 * @param kind the origin of the time
 * @param nanos since midnight, since 1970 (UTC), or since the start of a run
 */
record Timestamp(Kind kind, long nanos) {
  static final String RULE = "must be a time such as 14:02, 2026-11-21T14:02:00Z or 90s";

  private static final Pattern TIME_OF_DAY =
      Pattern.compile("([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:\\.([0-9]{1,9}))?)?");
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long DAY_NANOS = 86_400 * SECOND_NANOS;

  enum Kind {
    TIME_OF_DAY("a time of day"),
    INSTANT("an instant with its offset"),
    OFFSET("an offset from the start");

    private final String words;

    Kind(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }
  }

  /** Returns the time, or null when the text is none. */
  static @Nullable Timestamp read(String text) {
    Matcher matcher = TIME_OF_DAY.matcher(text);
    if (matcher.matches()) {
      return timeOfDay(matcher);
    }
    Duration offset = SpanText.read(text);
    if (offset != null) {
      boolean tooLong = offset.isNegative() || offset.compareTo(Duration.ofDays(365)) > 0;
      return tooLong ? null : new Timestamp(Kind.OFFSET, offset.toNanos());
    }
    Instant instant = instant(text);
    return instant == null ? null : new Timestamp(Kind.INSTANT, nanos(instant));
  }

  /** Returns the instant, or null when the text is none between the years 1970 and 2200. */
  static @Nullable Instant instant(String text) {
    try {
      Instant instant = OffsetDateTime.parse(text).toInstant();
      boolean usual =
          instant.getEpochSecond() >= 0 && instant.getEpochSecond() < 230L * 366 * 86_400;
      return usual ? instant : null;
    } catch (DateTimeException noInstant) {
      return null;
    }
  }

  /** Returns the nanoseconds since 1970 of an instant that {@link #instant} has read. */
  static long nanos(Instant instant) {
    return instant.getEpochSecond() * SECOND_NANOS + instant.getNano();
  }

  private static @Nullable Timestamp timeOfDay(Matcher matcher) {
    long hours = Long.parseLong(matcher.group(1));
    long minutes = Long.parseLong(matcher.group(2));
    long seconds = matcher.group(3) == null ? 0 : Long.parseLong(matcher.group(3));
    String fraction = matcher.group(4) == null ? "" : matcher.group(4);
    long nanos =
        ((hours * 60 + minutes) * 60 + seconds) * SECOND_NANOS
            + Long.parseLong(fraction + "0".repeat(9 - fraction.length()));
    return minutes > 59 || seconds > 59 || nanos > DAY_NANOS
        ? null
        : new Timestamp(Kind.TIME_OF_DAY, nanos);
  }
}
