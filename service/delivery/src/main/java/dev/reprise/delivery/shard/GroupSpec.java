package dev.reprise.delivery.shard;

import dev.reprise.core.InvalidSettingException;

/**
 * The limits of a group: of all subscriptions of a shard that share a host or a carrier, together.
 *
 * @param key what they share, as {@link SubscriptionSpec#group}
 * @param maxInFlight the most attempts at the same time, from 1; 0 for no limit
 * @param maxPerSecond the throttle in attempts per second, from 1; 0 for none
 * @param shards among how many shards, from 1, the throttle is shared out evenly
 */
public record GroupSpec(String key, int maxInFlight, long maxPerSecond, int shards) {
  /** Checks the ranges. */
  public GroupSpec {
    if (maxInFlight < 0) {
      throw new InvalidSettingException("maxInFlight", maxInFlight, "must be >= 0");
    }
    if (maxPerSecond < 0) {
      throw new InvalidSettingException("maxPerSecond", maxPerSecond, "must be >= 0");
    }
    if (shards < 1) {
      throw new InvalidSettingException("shards", shards, "must be >= 1");
    }
  }

  /** Whether the throttle is that of another spec. */
  boolean hasThrottleOf(GroupSpec other) {
    return maxPerSecond == other.maxPerSecond && shards == other.shards;
  }

  /** Whether there is no limit at all. */
  boolean isUnlimited() {
    return maxInFlight == 0 && maxPerSecond == 0;
  }
}
