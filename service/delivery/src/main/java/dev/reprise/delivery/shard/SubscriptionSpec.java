package dev.reprise.delivery.shard;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.backoff.Stage;
import dev.reprise.core.backoff.StagedBackoff;
import dev.reprise.core.strategy.RetryPolicy;
import dev.reprise.delivery.Suspension;
import org.jspecify.annotations.Nullable;

/**
 * All that a shard must know of a subscription.
 *
 * @param number the subscription's number, unique for ever, from 1
 * @param policy the effective retry policy
 * @param maxPerSecond the throttle in attempts per second, 0 for none
 * @param lifetimeMillis how long a delivery may take, all waiting included, 0 for ever
 * @param discard whether what is given up is discarded instead of kept
 * @param maxInFlight the most attempts at the same time, from 1
 * @param group what it shares with others, which have their limits together: its host, such as
 *     {@code https://example.com:443}, or its carrier, such as {@code carrier smsc}
 * @param startsSuspended whether it is suspended from the moment when it is created
 * @param suspendsWhenGone whether an endpoint that says that it is gone suspends it
 * @param maxHeld how many deliveries are held unless another bound is asked for, from 0
 * @param held why nothing may be sent until the settings have been checked; null if it may
 */
public record SubscriptionSpec(
    long number,
    RetryPolicy policy,
    long maxPerSecond,
    long lifetimeMillis,
    boolean discard,
    int maxInFlight,
    String group,
    boolean startsSuspended,
    boolean suspendsWhenGone,
    long maxHeld,
    @Nullable String held) {
  /** A subscription that holds as many deliveries as is usual. */
  public SubscriptionSpec(
      long number,
      RetryPolicy policy,
      long maxPerSecond,
      long lifetimeMillis,
      boolean discard,
      int maxInFlight,
      String group,
      boolean startsSuspended,
      boolean suspendsWhenGone) {
    this(
        number,
        policy,
        maxPerSecond,
        lifetimeMillis,
        discard,
        maxInFlight,
        group,
        startsSuspended,
        suspendsWhenGone,
        Suspension.DEFAULT_MAX_HELD,
        null);
  }

  /** A subscription that only an operator suspends. */
  public SubscriptionSpec(
      long number,
      RetryPolicy policy,
      long maxPerSecond,
      long lifetimeMillis,
      boolean discard,
      int maxInFlight,
      String group) {
    this(number, policy, maxPerSecond, lifetimeMillis, discard, maxInFlight, group, false, false);
  }

  /** Checks the ranges. */
  public SubscriptionSpec {
    check(number >= 1, "number", number, "must be >= 1");
    check(maxPerSecond >= 0, "maxPerSecond", maxPerSecond, "must be >= 0");
    check(lifetimeMillis >= 0, "lifetimeMillis", lifetimeMillis, "must be >= 0");
    check(maxInFlight >= 1, "maxInFlight", maxInFlight, "must be >= 1");
    check(maxHeld >= 0, "maxHeld", maxHeld, "must be >= 0");
  }

  /** The latest wall time at which an attempt may start. */
  long deadlineMillis(long sinceMillis) {
    return lifetimeMillis == 0 || sinceMillis > Long.MAX_VALUE - lifetimeMillis
        ? Long.MAX_VALUE
        : sinceMillis + lifetimeMillis;
  }

  Stage stageOf(int retry) {
    Backoff backoff = policy.backoff();
    return backoff instanceof StagedBackoff staged ? staged.stageOf(retry) : Stage.BACKOFF;
  }

  private static void check(boolean holds, String field, long value, String rule) {
    if (!holds) {
      throw new InvalidSettingException(field, value, rule);
    }
  }
}
