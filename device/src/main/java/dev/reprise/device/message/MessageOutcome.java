package dev.reprise.device.message;

import org.jspecify.annotations.Nullable;

/**
 * The outcome of a message. Every accepted message has exactly one outcome.
 *
 * @param messageId the id of the message. It is lost with a message on disk that was damaged there
 *     and was accepted by an earlier process; then it is {@code unreadable-} and the place that the
 *     message had in the queue, such as {@code unreadable-17}
 * @param kind how it ended
 * @param attempts how often it was handed to a connection, at least 0
 * @param cause what went wrong, or null where nothing did
 */
public record MessageOutcome(String messageId, Kind kind, int attempts, @Nullable Throwable cause) {
  /** The kinds of outcomes. */
  public enum Kind {
    /** The other side has it. */
    ACKNOWLEDGED,

    /** Its time to live, or the time for its attempts, was over before it was acknowledged. */
    EXPIRED,

    /** It had to give way: the queue was full, and its policy chose this message. */
    DROPPED,

    /** The client was closed, and the queue does not outlive it. */
    CANCELLED,

    /**
     * It was never accepted, the other side does not want it, or the disk has lost it; {@link
     * #cause} tells.
     */
    REJECTED,

    /**
     * The client was closed while the message was in a queue on disk. It is sent when a client
     * opens the same queue again; only then it ends, and that client tells of it.
     */
    STORED
  }

  /** Returns true when the other side has the message. */
  public boolean isAcknowledged() {
    return kind == Kind.ACKNOWLEDGED;
  }
}
