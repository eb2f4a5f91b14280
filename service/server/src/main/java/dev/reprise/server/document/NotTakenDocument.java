package dev.reprise.server.document;

import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import org.jspecify.annotations.Nullable;

/** Records that the brokers of a cluster have accepted and that no shard has taken yet. */
@Described(
    name = "NotTaken",
    value =
        "Records that the brokers of a cluster have accepted and that no shard has"
            + " taken yet. A few may be no messages, such as the probes of nodes: a shard"
            + " passes over those at once.")
public record NotTakenDocument(
    @Described(value = "How many; null if that is not known.", orNull = true)
        @Nullable Long records,
    @Described(
            value =
                "When the oldest of them was appended, by the brokers' clock; null if there is"
                    + " none, or that is not known.",
            kind = Kind.TIME,
            orNull = true)
        @Nullable String oldestAt,
    @Described("Whether that is only since when it was seen, so that it may be older.")
        boolean orEarlier) {
  /** A number that is not known. */
  public static final NotTakenDocument UNKNOWN = new NotTakenDocument(null, null, false);

  /** Replaces an empty time by none. */
  public NotTakenDocument {
    oldestAt = oldestAt == null || oldestAt.isEmpty() ? null : oldestAt;
  }

  /** Returns both together; what is not known of one of them counts for nothing. */
  public NotTakenDocument plus(NotTakenDocument other) {
    if (records == null || other.records == null) {
      return records == null ? other : this;
    }
    // Times in this form are in the order of their letters.
    boolean isOlder =
        oldestAt != null && (other.oldestAt == null || oldestAt.compareTo(other.oldestAt) <= 0);
    NotTakenDocument oldest = isOlder ? this : other;
    return new NotTakenDocument(records + other.records, oldest.oldestAt, oldest.orEarlier);
  }
}
