package dev.reprise.server.document;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a count of dead letters.
 *
 * @param reasons by the reason why they were given up
 * @param seen how many were looked at
 * @param next where the count goes on, or null
 */
public record DeadLetterSummaryDocument(
    List<ReasonDocument> reasons, int seen, @Nullable String next) {
  /**
   * The dead letters of one reason.
   *
   * @param reason why they were given up
   * @param count how many
   * @param oldest when the first of them was given up, in RFC 3339
   * @param newest when the last of them was given up, in RFC 3339
   */
  public record ReasonDocument(String reason, long count, String oldest, String newest) {}
}
