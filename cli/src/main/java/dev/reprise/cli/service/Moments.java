package dev.reprise.cli.service;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.policy.document.DurationText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;

/** Reads moments as people write them on a command line. */
final class Moments {
  private Moments() {}

  /**
   * Reads a moment: RFC 3339, or a span before {@code now} such as {@code 2h}.
   *
   * @throws CommandFailure when it is neither
   */
  static Instant read(String option, String text, Instant now) {
    Duration ago = DurationText.read(text);
    try {
      return ago == null ? OffsetDateTime.parse(text).toInstant() : now.minus(ago);
    } catch (DateTimeException e) {
      throw CommandFailure.wrongUsage(
          option
              + " is "
              + text
              + ": must be a time such as 2026-01-31T18:00:00Z, or how long ago, such as 2h");
    }
  }
}
