package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import org.jspecify.annotations.Nullable;

/**
 * A subscription with the health of its endpoint.
 *
 * @param subscription as listings have it; its fields stand beside the others
 */
@Described(name = "Subscription")
public record SubscriptionDetails(
    @JsonUnwrapped SubscriptionDocument subscription,
    @Described(
            value = "Only where one subscription is asked for; null if its shard does not answer.",
            orNull = true,
            orAbsent = true)
        @Nullable HealthDocument health) {
  /** The health of an endpoint, which only memory knows. */
  @Described(name = "EndpointHealth")
  public record HealthDocument(
      @Described("Attempts under way.") int inFlight,
      @Described("Attempts allowed at the same time just now.") int limit,
      @Described("Attempts allowed at the same time at best.") int maxInFlight,
      @Described(
              value =
                  "Why limit is what it is. starting: the endpoint is new, and each success adds a"
                      + " place; maximum: all are open; throughput: more brought no more answers a"
                      + " second; failures: a recent share of the attempts has failed; measuring:"
                      + " another number is tried for the moment.",
              oneOf = "starting, maximum, throughput, failures, measuring")
          String limitReason,
      @Described("How long the throttle holds the next attempt.") long throttledMillis,
      @Described(
              value = "Until when the endpoint asked for silence.",
              kind = Kind.TIME,
              orNull = true)
          @Nullable String pausedUntil,
      @Described(value = "What holds back all that share its host or its carrier.", orNull = true)
          @Nullable HoldDocument hold,
      @Described(value = "The earliest due time of what waits.", kind = Kind.TIME, orNull = true)
          @Nullable String nextDueAt) {}

  /**
   * The reason why nothing starts just now of a subscription, or of all that share its host or its
   * carrier.
   *
   * @param reason for people
   */
  public record HoldDocument(
      @Described("The host or the carrier; this subscription if it is held alone.") String group,
      String reason,
      @Described(
              value = "When it ends; null if that depends on attempts under way.",
              kind = Kind.TIME,
              orNull = true)
          @Nullable String until) {}
}
