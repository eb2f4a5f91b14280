package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

/**
 * A delivery as listings have it.
 *
 * @param id the message's and the subscription's, with an {@code @} between
 * @param message the id of the message
 * @param subscription the id of the subscription
 * @param topic of the subscription
 * @param status {@code pending}, {@code delivered}, {@code dead-lettered}, {@code discarded} or
 *     {@code expired}
 * @param inFlight whether an attempt is under way
 * @param attempts how many were made
 * @param publishedAt in RFC 3339
 * @param nextAttempt null if there is none
 * @param endedAt in RFC 3339; null if it is pending
 * @param stopReason why nothing is tried any more; null while something is, or if it was delivered
 * @param lastOutcome of the last attempt; null before it
 */
public record DeliveryDocument(
    String id,
    String message,
    String subscription,
    String topic,
    String status,
    boolean inFlight,
    long attempts,
    String publishedAt,
    @Nullable NextAttempt nextAttempt,
    @Nullable String endedAt,
    @Nullable String stopReason,
    @Nullable String lastOutcome) {
  /**
   * The next attempt.
   *
   * @param at when it is due, in RFC 3339
   * @param inMillis how long that is from now; 0 if it is due
   * @param due why it is due then; its fields stand beside the others
   * @param waitingFor what else it waits for; null if only for its time, or if that is not known
   */
  public record NextAttempt(
      String at, long inMillis, @JsonUnwrapped DueDocument due, @Nullable String waitingFor) {
    /** Returns the same with what it waits for. */
    public NextAttempt waitingFor(@Nullable String what) {
      return new NextAttempt(at, inMillis, due, what);
    }
  }

  /** Returns the same with another next attempt. */
  public DeliveryDocument withNextAttempt(NextAttempt next) {
    return new DeliveryDocument(
        id,
        message,
        subscription,
        topic,
        status,
        inFlight,
        attempts,
        publishedAt,
        next,
        endedAt,
        stopReason,
        lastOutcome);
  }
}
