package dev.reprise.server.document;

import org.jspecify.annotations.Nullable;

/**
 * Records that the brokers of a cluster have accepted and that no shard has taken yet.
 *
 * @param records how many; null if that is not known
 * @param oldestAt when the oldest of them was appended, in RFC 3339; null if there is none, or that
 *     is not known
 * @param orEarlier whether that is only since when it was seen, so that it may be older
 */
public record NotTakenDocument(
    @Nullable Long records, @Nullable String oldestAt, boolean orEarlier) {
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
