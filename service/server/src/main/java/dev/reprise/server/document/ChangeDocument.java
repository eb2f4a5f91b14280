package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import org.jspecify.annotations.Nullable;

/** The progress of a redrive, a purge or another walk over deliveries. */
@Described(name = "Redriven", value = "One of changed and matched is there.")
public record ChangeDocument(
    @Described("How many were redriven; not of a dry run.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable Long changed,
    @Described("How many would be; only of a dry run.") @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable Long matched,
    @Described(value = "Where it goes on; null at the end.", orNull = true) @Nullable String next,
    @Described("How many records were looked at for this part.") long seen) {
  /** Takes an empty cursor, as an absent text is read, for none. */
  public ChangeDocument {
    next = next == null || next.isEmpty() ? null : next;
  }

  /** Returns the end of a part that has changed so many. */
  public static ChangeDocument changed(long count, @Nullable String next, long seen) {
    return new ChangeDocument(count, null, next, seen);
  }

  /** Returns the end of a part of a dry run that has counted so many. */
  public static ChangeDocument matched(long count, @Nullable String next, long seen) {
    return new ChangeDocument(null, count, next, seen);
  }

  /** Returns how many were changed, or counted by a dry run. */
  public long count() {
    return changed != null ? changed : matched != null ? matched : 0;
  }
}
