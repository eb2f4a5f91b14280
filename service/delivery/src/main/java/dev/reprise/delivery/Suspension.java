package dev.reprise.delivery;

import java.time.Duration;

/**
 * The state of a subscription to which nothing is attempted until it is released. What is published
 * meanwhile is held, within these bounds; what is beyond them is given up, the delivery that is due
 * first at the front, and kept as a dead letter unless the subscription discards.
 *
 * @param cause what suspended it
 * @param sinceMillis when that was, wall time
 * @param reason one line for people; may be empty
 * @param maxAgeMillis how long a delivery is held from when it is due, in milliseconds, from 1
 * @param maxHeld how many deliveries are held, from 0
 */
public record Suspension(
    Cause cause, long sinceMillis, String reason, long maxAgeMillis, long maxHeld) {
  /** The bound of age that holds unless another one is asked for. */
  public static final Duration DEFAULT_MAX_AGE = Duration.ofDays(14);

  /** The bound of number that holds unless another one is asked for. */
  public static final long DEFAULT_MAX_HELD = 1_000_000;

  /** The parties that suspend a subscription. */
  public enum Cause {
    /** An operator asked for it. */
    OPERATOR,
    /** The endpoint answered that it is gone. */
    ENDPOINT,
    /** The subscription was created so. */
    CREATION
  }

  /** Returns a suspension with the default bounds. */
  public static Suspension of(Cause cause, long sinceMillis, String reason) {
    return of(cause, sinceMillis, reason, DEFAULT_MAX_HELD);
  }

  /** Returns a suspension with the default bound of age. */
  public static Suspension of(Cause cause, long sinceMillis, String reason, long maxHeld) {
    return new Suspension(cause, sinceMillis, reason, DEFAULT_MAX_AGE.toMillis(), maxHeld);
  }

  /** Returns the same suspension with another reason. */
  public Suspension withReason(String newReason) {
    return new Suspension(cause, sinceMillis, newReason, maxAgeMillis, maxHeld);
  }

  /**
   * Returns how both together are suspended, which hold deliveries of the same subscription: since
   * the earlier of them, as that one says; they hold what both hold.
   */
  public Suspension plus(Suspension other) {
    Suspension first = other.sinceMillis < sinceMillis ? other : this;
    return new Suspension(
        first.cause,
        first.sinceMillis,
        first.reason,
        Math.max(maxAgeMillis, other.maxAgeMillis),
        maxHeld + other.maxHeld);
  }

  /** Returns when a delivery that is due at this time is given up, wall time. */
  public long dropsAtMillis(long dueMillis) {
    long heldSince = Math.max(dueMillis, sinceMillis);
    return heldSince > Long.MAX_VALUE - maxAgeMillis ? Long.MAX_VALUE : heldSince + maxAgeMillis;
  }
}
