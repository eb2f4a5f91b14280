package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import org.jspecify.annotations.Nullable;

/**
 * A subscription with the health of its endpoint.
 *
 * @param subscription as listings have it; its fields stand beside the others
 * @param health null if the shard does not answer
 */
public record SubscriptionDetails(
    @JsonUnwrapped SubscriptionDocument subscription, @Nullable HealthDocument health) {
  /**
   * The health of an endpoint, which only memory knows.
   *
   * @param inFlight attempts under way
   * @param limit of attempts at the same time, now
   * @param maxInFlight the most that the limit can be
   * @param limitReason why the limit is as it is
   * @param throttledMillis how long the throttle holds the next attempt back
   * @param pausedUntil when the pause that the endpoint asked for ends, in RFC 3339, or null
   * @param nextDueAt when the next attempt is due, in RFC 3339, or null
   */
  public record HealthDocument(
      int inFlight,
      int limit,
      int maxInFlight,
      String limitReason,
      long throttledMillis,
      @Nullable String pausedUntil,
      @Nullable String nextDueAt) {}
}
