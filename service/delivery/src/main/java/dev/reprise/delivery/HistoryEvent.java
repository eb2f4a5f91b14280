package dev.reprise.delivery;

import org.jspecify.annotations.Nullable;

/**
 * One thing that happened to a delivery.
 *
 * @param kind what happened
 * @param atMillis when it ended, wall time in milliseconds
 * @param attempt the attempt's number, from 1, also of the one that a receipt is on; for another
 *     kind, the attempts made before
 * @param outcome what came of the attempt, or what the receipt says; null for another kind
 * @param after where the delivery stood afterwards
 * @param due why the next attempt is due when it is; null unless it is pending afterwards
 * @param mayRepeat why the receiver may have had the message before this attempt; null if it had
 *     not, and for another kind
 */
public record HistoryEvent(
    Kind kind,
    long atMillis,
    int attempt,
    @Nullable LoggedOutcome outcome,
    DeliveryState after,
    @Nullable DueReason due,
    @Nullable RepeatReason mayRepeat) {
  /** An event that repeats nothing. */
  public HistoryEvent(
      Kind kind,
      long atMillis,
      int attempt,
      @Nullable LoggedOutcome outcome,
      DeliveryState after,
      @Nullable DueReason due) {
    this(kind, atMillis, attempt, outcome, after, due, null);
  }

  /** The kinds of events of a delivery. */
  public enum Kind {
    /** An attempt was made. */
    ATTEMPT,
    /** The dead letter went back to the pending deliveries. */
    REDRIVEN,
    /** The lifetime passed while the delivery waited. */
    EXPIRED,
    /** The dead letter was purged. */
    PURGED,
    /** The stored record could not be read, and became a dead letter. */
    UNREADABLE,
    /** A client asked for the next attempt to be made at once. */
    REQUESTED,
    /**
     * The dead letter was deleted because it had been kept for as long as the service keeps any.
     */
    RETIRED,
    /** The carrier reported how the message, or one part of it, fared after it was taken. */
    RECEIPT,
    /** It was held for a suspended subscription, longer or with more others than is allowed. */
    DROPPED,
    /** A client asked for no further attempt. */
    CANCELLED,
    /** Another subscription has accepted it. */
    MOVED
  }

  /** The same without what the endpoint answered. */
  public HistoryEvent withoutResponse() {
    if (outcome == null || outcome.response().length == 0) {
      return this;
    }
    LoggedOutcome shorter =
        new LoggedOutcome(
            outcome.succeeded(),
            outcome.status(),
            outcome.summary(),
            outcome.address(),
            new byte[0],
            outcome.durationNanos());
    return new HistoryEvent(kind, atMillis, attempt, shorter, after, due, mayRepeat);
  }

  /**
   * The part of an attempt that the log keeps.
   *
   * @param succeeded whether the endpoint took the message
   * @param status the protocol's status, 0 if there was none
   * @param summary one line for people
   * @param address the network address that was used, or empty
   * @param response the first bytes of the response
   * @param durationNanos how long the attempt took, in nanoseconds
   */
  public record LoggedOutcome(
      boolean succeeded,
      int status,
      String summary,
      String address,
      byte[] response,
      long durationNanos) {}
}
