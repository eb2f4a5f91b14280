package dev.reprise.core.http;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the three forms of an HTTP date (RFC 9110 section 5.6.7): {@code Sun, 06 Nov 1994 08:49:37
 * GMT}, {@code Sunday, 06-Nov-94 08:49:37 GMT} and {@code Sun Nov 6 08:49:37 1994}.
 *
 * <p>The weekday must be a weekday but need not match the date: the date alone is unambiguous.
 */
public final class HttpDate {
  private static final String DAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
  private static final String LONG_DAY =
      "(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)";
  private static final String MONTH = "(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
  private static final String TIME = "(?<hour>[0-9]{2}):(?<minute>[0-9]{2}):(?<second>[0-9]{2})";

  private static final Pattern IMF_FIXDATE =
      Pattern.compile(DAY + ", (?<day>[0-9]{2}) " + MONTH + " (?<year>[0-9]{4}) " + TIME + " GMT");
  private static final Pattern RFC_850 =
      Pattern.compile(
          LONG_DAY + ", (?<day>[0-9]{2})-" + MONTH + "-(?<year>[0-9]{2}) " + TIME + " GMT");
  private static final Pattern ASCTIME =
      Pattern.compile(
          DAY + " " + MONTH + " (?<day>[0-9]{2}| [0-9]) " + TIME + " (?<year>[0-9]{4})");

  private static final List<String> MONTHS =
      List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");

  private HttpDate() {}

  /**
   * Returns the time that the text stands for, or null when it is not an HTTP date. No text makes
   * this throw.
   *
   * @param text a header value; null is not a date
   * @param reference the time against which a year of two digits is understood: more than 50 years
   *     after it means the century before
   */
  public static @Nullable Instant parse(@Nullable String text, Instant reference) {
    Objects.requireNonNull(reference, "reference");
    if (text == null) {
      return null;
    }
    Matcher imfFixdate = IMF_FIXDATE.matcher(text);
    if (imfFixdate.matches()) {
      return instant(imfFixdate, Integer.parseInt(imfFixdate.group("year")));
    }
    Matcher asctime = ASCTIME.matcher(text);
    if (asctime.matches()) {
      return instant(asctime, Integer.parseInt(asctime.group("year")));
    }
    Matcher rfc850 = RFC_850.matcher(text);
    if (rfc850.matches()) {
      return instantOfTwoDigitYear(rfc850, reference);
    }
    return null;
  }

  /** Returns the latest time with these two digits that is at most 50 years after the reference. */
  private static @Nullable Instant instantOfTwoDigitYear(Matcher fields, Instant reference) {
    LocalDateTime latest = clamp(reference).plusYears(50);
    int century = latest.getYear() - latest.getYear() % 100;
    int digits = Integer.parseInt(fields.group("year"));
    // One step back would do, but for 29 February, which three centuries in a row may lack.
    for (int year = century + digits; year >= century + digits - 400; year -= 100) {
      Instant candidate = instant(fields, year);
      if (candidate != null && !candidate.isAfter(latest.toInstant(ZoneOffset.UTC))) {
        return candidate;
      }
    }
    return null;
  }

  private static @Nullable Instant instant(Matcher fields, int year) {
    int month = MONTHS.indexOf(fields.group("month")) + 1;
    int day = Integer.parseInt(fields.group("day").trim());
    int second = Integer.parseInt(fields.group("second"));
    if (second > 60) {
      return null;
    }
    try {
      return LocalDateTime.of(
              year,
              month,
              day,
              Integer.parseInt(fields.group("hour")),
              Integer.parseInt(fields.group("minute")))
          // Not an argument above: the grammar allows a leap second, LocalDateTime does not.
          .plusSeconds(second)
          .toInstant(ZoneOffset.UTC);
    } catch (DateTimeException noSuchDate) {
      return null;
    }
  }

  /** Keeps the arithmetic on years within what a LocalDateTime can hold. */
  private static LocalDateTime clamp(Instant reference) {
    Instant earliest = Instant.parse("0000-01-01T00:00:00Z");
    Instant last = Instant.parse("9999-12-31T23:59:59Z");
    if (reference.isBefore(earliest)) {
      return LocalDateTime.ofInstant(earliest, ZoneOffset.UTC);
    }
    return LocalDateTime.ofInstant(reference.isAfter(last) ? last : reference, ZoneOffset.UTC);
  }
}
