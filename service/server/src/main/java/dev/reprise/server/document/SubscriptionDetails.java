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
   * @param hold what holds back all that share its host or its carrier, or null
   * @param nextDueAt when the next attempt is due, in RFC 3339, or null
   */
  public record HealthDocument(
      int inFlight,
      int limit,
      int maxInFlight,
      String limitReason,
      long throttledMillis,
      @Nullable String pausedUntil,
      @Nullable HoldDocument hold,
      @Nullable String nextDueAt) {}

  /**
   * The reason why nothing starts just now of a subscription, or of all that share its host or its
   * carrier.
   *
   * @param group the host or the carrier; {@code this subscription} if it is held alone
   * @param reason for people
   * @param until when it ends, in RFC 3339; null if that depends on attempts under way
   */
  public record HoldDocument(String group, String reason, @Nullable String until) {}
}
