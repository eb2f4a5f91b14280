package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import org.jspecify.annotations.Nullable;

/**
 * A delivery as listings have it.
 *
 * @param message the id of the message
 * @param subscription the id of the subscription
 * @param subscriptionName the name of the subscription; null if it has none
 * @param customer whose endpoint it is; null if the subscription does not say
 * @param topic of the subscription
 * @param status {@code pending}, {@code delivered}, {@code dead-lettered}, {@code discarded} or
 *     {@code expired}
 * @param publishedAt in RFC 3339
 * @param nextAttempt null if there is none
 * @param endedAt in RFC 3339; null if it is pending
 */
@Described(name = "DeliveryItem")
public record DeliveryDocument(
    @Described("Message and subscription, joined by @.") String id,
    @Described(kind = Kind.MESSAGE_ID) String message,
    String subscription,
    @Described("The subscription's name for people; absent if it has none.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String subscriptionName,
    @Described("The customer of the subscription; absent if it has none.")
        @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String customer,
    String topic,
    @Described(oneOf = Described.STATES) String status,
    @Described(
            "Whether it is being attempted just now. Shown where one subscription is asked"
                + " for.")
        boolean inFlight,
    @Described("Attempts made.") long attempts,
    @Described(kind = Kind.TIME) String publishedAt,
    @Described(orNull = true) @Nullable NextAttempt nextAttempt,
    @Described(kind = Kind.TIME, orNull = true) @Nullable String endedAt,
    @Described(
            value =
                "Why there is no further attempt; null while there may be one, and when"
                    + " delivered.",
            oneOf = Described.STOP_REASONS,
            orNull = true)
        @Nullable String stopReason,
    @Described(
            value = "What came of the last attempt, for people; null if none was made.",
            orNull = true)
        @Nullable String lastOutcome) {
  /**
   * The next attempt.
   *
   * @param due why it is due then; its fields stand beside the others
   */
  @Described(name = "NextAttempt")
  public record NextAttempt(
      @Described(value = "When it is due.", kind = Kind.TIME) String at,
      @Described("How long that is from now; 0 if it is due.") long inMillis,
      @JsonUnwrapped DueDocument due,
      @Described(
              value =
                  "What keeps it from starting, but for its time: in flight, throttle, endpoint"
                      + " asked for silence until …, attempts under way: n of m (endpoint health:"
                      + " why no more), backlog; or the carrier, host or endpoint that everything"
                      + " waits for, with the reason and the next try. Null if only its time does,"
                      + " or if that is not known just now.",
              orNull = true)
          @Nullable String waitingFor) {
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
        subscriptionName,
        customer,
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
