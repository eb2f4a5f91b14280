package dev.reprise.delivery;

import dev.reprise.core.StopReason;
import org.jspecify.annotations.Nullable;

/**
 * Where a delivery stands.
 *
 * @param status the status
 * @param atMillis wall time: when the next attempt is due if PENDING, else when the delivery ended
 * @param reason why there is no further attempt; null while PENDING and when DELIVERED
 */
public record DeliveryState(Status status, long atMillis, @Nullable StopReason reason) {
  /** The states that the ledger counts; every accepted delivery is in exactly one of them. */
  public enum Status {
    /** Waiting for an attempt, or being attempted. */
    PENDING,
    /** The endpoint took the message. */
    DELIVERED,
    /** Given up, and kept as a dead letter. */
    DEAD_LETTERED,
    /** Given up or removed, and not kept. */
    DISCARDED,
    /** Its lifetime passed; kept as a dead letter unless the subscription discards. */
    EXPIRED,
    /** Given up, and accepted by another subscription in place of this one. */
    MOVED
  }
}
