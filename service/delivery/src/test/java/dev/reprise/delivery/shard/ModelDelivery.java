package dev.reprise.delivery.shard;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeliveryState.Status;
import dev.reprise.delivery.MessageId;
import org.jspecify.annotations.Nullable;

/** What the model knows of one delivery. */
final class ModelDelivery {
  /** A message as the simulation published it. */
  static final class Message {
    final MessageId id;
    final byte[] payload;
    final String kind;

    /** Deliveries that still need the payload. */
    int references;

    Message(MessageId id, byte[] payload, String kind) {
      this.id = id;
      this.payload = payload;
      this.kind = kind;
    }

    boolean shared() {
      return payload.length > PayloadRecord.MAX_INLINE_BYTES;
    }
  }

  final long subscription;
  final Message message;
  Status status = Status.PENDING;
  long dueMillis;
  long sinceMillis;
  int attempts;
  int retries;

  /** Whether it is among the dead letters: an expired one may be, or not. */
  boolean kept;

  long diedAtMillis;
  @Nullable StopReason reason;

  /** Whether somebody asked for its next attempt. */
  boolean requested;

  /** Whether it was refused as all others were, and waits for that. */
  boolean held;

  /** Whether its stored record was damaged. */
  boolean unreadable;

  /** The turn that made it what it is. */
  int changedTurn;

  /** The keys that the store holds for it. */
  int pendingKeys;

  int deadKeys;

  ModelDelivery(long subscription, Message message, int turn, long acceptedMillis) {
    this.subscription = subscription;
    this.message = message;
    this.changedTurn = turn;
    this.dueMillis = message.id.publishedAtMillis();
    this.sinceMillis = Math.max(dueMillis, acceptedMillis);
  }

  /** Whether its next attempt is one that the retry policy has decided. */
  boolean isRetry() {
    return retries > 0 && !requested && !held;
  }

  /** Whether it may still be attempted, perhaps after a redrive. */
  boolean isOpen() {
    return status == Status.PENDING || kept;
  }

  @Override
  public String toString() {
    return "delivery of "
        + message.id
        + " to "
        + subscription
        + ", "
        + status
        + (kept ? " (kept)" : "")
        + ", due "
        + dueMillis
        + ", "
        + attempts
        + " attempts, "
        + retries
        + " retries";
  }
}
