package dev.reprise.delivery;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of a subscription that is in memory only.
 *
 * @param inFlight attempts under way
 * @param limit attempts allowed at the same time just now
 * @param maxInFlight attempts allowed at the same time at best
 * @param limitReason why no more and no fewer are allowed just now
 * @param throttledMillis how long the throttle holds the next attempt, 0 if it does not
 * @param pausedUntilMillis until when the endpoint asked for a pause, wall time; 0 if it did not
 * @param nextDueMillis the earliest due time among what waits, wall time, possibly too early; -1 if
 *     nothing waits
 * @param messages the messages under way
 * @param groupHold what holds back all of it, or all that share its host or its carrier; null for
 *     nothing
 */
public record EndpointHealth(
    int inFlight,
    int limit,
    int maxInFlight,
    LimitReason limitReason,
    long throttledMillis,
    long pausedUntilMillis,
    long nextDueMillis,
    Set<MessageId> messages,
    @Nullable GroupHold groupHold) {
  /**
   * Returns the health of both together, which are shards of the same subscription. Of what holds
   * attempts back it shows what lasts longest, and of the throttle when the next attempt may start.
   */
  public EndpointHealth plus(EndpointHealth other) {
    Set<MessageId> all = new HashSet<>(messages);
    all.addAll(other.messages);
    return new EndpointHealth(
        inFlight + other.inFlight,
        limit + other.limit,
        maxInFlight + other.maxInFlight,
        limitReason == LimitReason.MAXIMUM ? other.limitReason : limitReason,
        Math.min(throttledMillis, other.throttledMillis),
        Math.max(pausedUntilMillis, other.pausedUntilMillis),
        nextDueMillis < 0 || other.nextDueMillis < 0
            ? Math.max(nextDueMillis, other.nextDueMillis)
            : Math.min(nextDueMillis, other.nextDueMillis),
        all,
        groupHold == null ? other.groupHold : groupHold);
  }

  /**
   * The reason why no attempt to a host, through a carrier, or of one subscription starts just now.
   *
   * @param group the host or the carrier, such as {@code https://example.com:443}, or {@link
   *     #SUBSCRIPTION}
   * @param reason one line for people, such as {@code 10 attempts under way, its limit}
   * @param untilMillis until when, wall time; 0 if it ends with an attempt that is under way
   */
  public record GroupHold(String group, String reason, long untilMillis) {
    /** Stands for the group where the subscription alone is held. */
    public static final String SUBSCRIPTION = "this subscription";
  }
}
