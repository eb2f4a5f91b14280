package dev.reprise.server.document;

import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a count of dead letters.
 *
 * @param reasons by the reason why they were given up
 * @param next where the count goes on, or null
 */
@Described(name = "DeadLetterSummary")
public record DeadLetterSummaryDocument(
    List<ReasonDocument> reasons,
    @Described("How many were looked at.") long seen,
    @Described(orNull = true) @Nullable String next) {
  /**
   * The dead letters of one reason.
   *
   * @param reason why they were given up
   * @param count how many
   * @param oldest when the first of them was given up, in RFC 3339
   * @param newest when the last of them was given up, in RFC 3339
   */
  @Described(name = "DeadLettersOfReason")
  public record ReasonDocument(
      @Described(oneOf = Described.STOP_REASONS) String reason,
      long count,
      @Described(kind = Kind.TIME) String oldest,
      @Described(kind = Kind.TIME) String newest) {}
}
