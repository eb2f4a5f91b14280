package dev.reprise.core.http;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reads the {@code Retry-After} header (RFC 9110 section 10.2.3), and seconds with a fraction, such
 * as {@code 2.0}, which the standard does not have and Shopify, Sentry and Microsoft Graph send.
 */
public final class RetryAfter {
  /**
   * The longest wait that {@link #parse} returns, 292 years: what fits nanoseconds in a long.
   * Longer values become this one.
   */
  public static final Duration MAX_WAIT = Duration.ofNanos(Long.MAX_VALUE);

  private static final int NANO_DIGITS = 9;

  private RetryAfter() {}

  /**
   * Returns how long to wait, between zero and {@link #MAX_WAIT}, or null when the value is neither
   * seconds nor an HTTP date. A date that has passed is a wait of zero. No header value makes this
   * throw.
   *
   * @param header the header's value; null when the header is absent
   * @param responseDate the time in the response's {@code Date} header, or null when it had none. A
   *     date is counted from there, so that a server whose clock is wrong is still understood
   * @param now the receiver's time, used when there is no {@code responseDate}
   */
  public static @Nullable Duration parse(
      @Nullable String header, @Nullable Instant responseDate, Instant now) {
    Objects.requireNonNull(now, "now");
    if (header == null) {
      return null;
    }
    String value = stripBlanks(header);
    int point = value.indexOf('.');
    if (isDigits(value)) {
      return seconds(value);
    }
    if (point > 0 && isDigits(value.substring(0, point)) && isDigits(value.substring(point + 1))) {
      return seconds(value.substring(0, point), value.substring(point + 1));
    }
    Instant from = responseDate == null ? now : responseDate;
    Instant until = HttpDate.parse(value, from);
    if (until == null) {
      return null;
    }
    Duration wait = Duration.between(from, until);
    if (wait.isNegative()) {
      return Duration.ZERO;
    }
    return wait.compareTo(MAX_WAIT) > 0 ? MAX_WAIT : wait;
  }

  /**
   * Returns the longest of the waits that the values ask for, or null when none of them is
   * readable. There should be only one; to come back too early would be the worse mistake.
   *
   * @param headers all values of the header
   * @param date the value of the response's {@code Date} header, or null; unreadable counts as none
   * @param now the receiver's time, used when there is no date
   */
  public static @Nullable Duration longest(
      Iterable<String> headers, @Nullable String date, Instant now) {
    Objects.requireNonNull(headers, "headers");
    Objects.requireNonNull(now, "now");
    Instant responseDate = HttpDate.parse(date, now);
    Duration longest = null;
    for (String header : headers) {
      Duration wait = parse(header, responseDate, now);
      if (wait != null && (longest == null || wait.compareTo(longest) > 0)) {
        longest = wait;
      }
    }
    return longest;
  }

  private static Duration seconds(String digits) {
    try {
      long seconds = Long.parseLong(digits);
      return seconds > MAX_WAIT.toSeconds() ? MAX_WAIT : Duration.ofSeconds(seconds);
    } catch (NumberFormatException longerThanLong) {
      return MAX_WAIT;
    }
  }

  /** A wait is never shortened, so what is beyond nanoseconds counts as one. */
  private static Duration seconds(String digits, String fraction) {
    Duration whole = seconds(digits);
    long nanos = 0;
    for (int i = 0; i < NANO_DIGITS; i++) {
      nanos = 10 * nanos + (i < fraction.length() ? fraction.charAt(i) - '0' : 0);
    }
    if (fraction.chars().skip(NANO_DIGITS).anyMatch(c -> c != '0')) {
      nanos++;
    }
    return whole.compareTo(MAX_WAIT.minusNanos(nanos)) > 0 ? MAX_WAIT : whole.plusNanos(nanos);
  }

  /** Digits of ASCII only: {@link Character#isDigit} knows hundreds more. */
  private static boolean isDigits(String value) {
    return !value.isEmpty() && value.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  /** Removes the spaces and tabs that may surround a field value (RFC 9110 section 5.6.3). */
  private static String stripBlanks(String header) {
    int start = 0;
    int end = header.length();
    while (start < end && isBlank(header.charAt(start))) {
      start++;
    }
    while (end > start && isBlank(header.charAt(end - 1))) {
      end--;
    }
    return header.substring(start, end);
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }
}
