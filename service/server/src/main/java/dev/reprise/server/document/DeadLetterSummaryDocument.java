package dev.reprise.server.document;

import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a count of dead letters.
 *
 * @param reasons by the reason why they were given up
 */
@Described(name = "DeadLetterSummary")
public record DeadLetterSummaryDocument(
    List<ReasonDocument> reasons,
    @Described("How many were looked at.") long seen,
    @Described(value = "Where the count goes on; null at the end.", orNull = true)
        @Nullable String next) {
  /**
   * The dead letters of one reason.
   *
   * @param reason why they were given up
   */
  @Described(name = "DeadLettersOfReason")
  public record ReasonDocument(
      @Described(oneOf = Described.STOP_REASONS) String reason,
      @Described("How many there are.") long count,
      @Described(value = "When the first of them was given up.", kind = Kind.TIME) String oldest,
      @Described(value = "When the last of them was given up.", kind = Kind.TIME) String newest) {}
}
