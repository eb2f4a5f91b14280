package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a redrive, a purge or another walk over deliveries.
 *
 * @param changed how many were changed by this part; absent of a dry run
 * @param matched how many a dry run has counted; absent otherwise
 * @param next where the walk goes on, or null
 * @param seen how many records were looked at for this part
 */
public record ChangeDocument(
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long changed,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long matched,
    @Nullable String next,
    int seen) {
  /** Takes an empty cursor, as an absent text is read, for none. */
  public ChangeDocument {
    next = next == null || next.isEmpty() ? null : next;
  }

  /** Returns the end of a part that has changed so many. */
  public static ChangeDocument changed(long count, @Nullable String next, int seen) {
    return new ChangeDocument(count, null, next, seen);
  }

  /** Returns the end of a part of a dry run that has counted so many. */
  public static ChangeDocument matched(long count, @Nullable String next, int seen) {
    return new ChangeDocument(null, count, next, seen);
  }

  /** Returns how many were changed, or counted by a dry run. */
  public long count() {
    return changed != null ? changed : matched != null ? matched : 0;
  }
}
