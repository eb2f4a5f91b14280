package dev.reprise.cli.service;

import dev.reprise.common.text.AmountText;
import dev.reprise.common.text.HarmlessText;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/** The age of accepted records that wait, for people. */
final class NotTakenText {
  private NotTakenText() {}

  /**
   * Returns the age of the oldest record.
   *
   * @param oldestAt RFC 3339; null if it is not known
   * @param orEarlier whether it may be older
   */
  static String age(@Nullable String oldestAt, boolean orEarlier) {
    if (oldestAt == null) {
      return "?";
    }
    try {
      long seconds = Duration.between(Instant.parse(oldestAt), Instant.now()).toSeconds();
      return (orEarlier ? "at least " : "")
          + AmountText.exact(Duration.ofSeconds(Math.max(0, seconds)));
    } catch (DateTimeParseException e) {
      // A later service may say it in other words.
      return HarmlessText.visible(oldestAt);
    }
  }
}
