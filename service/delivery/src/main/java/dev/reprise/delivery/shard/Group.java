package dev.reprise.delivery.shard;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.delivery.EndpointHealth.GroupHold;
import dev.reprise.delivery.ShardSettings;
import org.jspecify.annotations.Nullable;

/**
 * The limits that subscriptions of a shard share which have the same host or the same carrier. Each
 * is there once for all of them:
 *
 * <ul>
 *   <li>Places: at most {@link GroupSpec#maxInFlight} attempts at the same time, and at most the
 *       part of all places that {@link Places} leaves to one group.
 *   <li>A throttle, {@link GroupSpec#maxPerSecond}.
 *   <li>A block: until when nothing can be sent, and why. What an endpoint asks for by itself
 *       (Retry-After) is no block: it stays with its subscription, because one subscription's
 *       answer must not pause others on a host that they share.
 *   <li>A retry budget: where most attempts fail, retries are bounded, as {@link ShardSettings}
 *       says. First attempts, and those that a client asked for, are not. It decides when an
 *       attempt starts and never what is stored.
 * </ul>
 *
 * <p>Small while nothing waits and nothing fails, since a shard may have a million of them. All of
 * it is in memory only, except for refusals that hold all back ({@link Refusals}).
 *
 * <p>Pure: times come with each call; those in milliseconds are wall time, those in nanoseconds
 * monotonic. Not safe for use by several threads.
 */
final class Group {
  private static final int RETRY = 1000;
  private static final TokenPrices PRICES = new TokenPrices(RETRY, RETRY, RETRY, RETRY, true);
  private static final RetryInfo ANY_FAILURE = () -> RetrySafety.YES;

  final String key;

  /** Attempts under way, and places that are kept for a subscription on its way to an attempt. */
  final PaceCounts underWay = new PaceCounts();

  /** The subscriptions that belong to it. */
  int members;

  /** The number of kept places among {@link #underWay}. */
  private int keptPlaces;

  /** Retries of the budget that are kept for a subscription on its way to an attempt. */
  private int keptRetries;

  private long blockedUntilMillis;
  private @Nullable String blockReason;

  /** Null for a group without limits of its own. */
  private @Nullable Limits limits;

  /** Null for a full one. */
  private @Nullable RetryBudget budget;

  /** The last deliveries, if all of them were refused alike; null if they were not. */
  @Nullable Streak streak;

  /** The number of its hold, of all in this process, if it is held. */
  long holdNumber;

  /** Null while no subscription waits. */
  @Nullable GroupLines lines;

  private record Limits(GroupSpec spec, @Nullable Throttle throttle) {
    boolean allow(int underWay, int kept, long nowNanos) {
      return (spec.maxInFlight() == 0 || underWay < spec.maxInFlight())
          && (throttle == null || throttle.allowed(nowNanos) > kept);
    }
  }

  Group(String key) {
    this.key = key;
  }

  /** Sets the limits; a throttle that stays the same goes on. */
  void configure(GroupSpec spec, long nowNanos) {
    Limits before = limits;
    Throttle throttle = null;
    if (before != null && before.spec.hasThrottleOf(spec)) {
      throttle = before.throttle;
    } else if (spec.maxPerSecond() > 0) {
      throttle = new Throttle(spec.maxPerSecond(), spec.shards(), nowNanos);
    }
    limits = spec.isUnlimited() ? null : new Limits(spec, throttle);
  }

  /** Sets the limits of a group that an earlier process may have used just before. */
  void reopen(GroupSpec spec, long nowNanos) {
    configure(spec, nowNanos);
    if (spec.maxPerSecond() > 0) {
      limits = new Limits(spec, Throttle.reopened(spec.maxPerSecond(), spec.shards(), nowNanos));
    }
  }

  /** Whether nothing is lost if it is forgotten. */
  boolean isUnused() {
    return members == 0 && limits == null && underWay.all() == 0;
  }

  // --- places ---------------------------------------------------------------------------------

  /** Whether an attempt of a subscription of this pace may start, those that wait left aside. */
  boolean hasRoom(Pace pace, Places places, long nowMillis, long nowNanos) {
    return blockedUntilMillis() <= nowMillis
        && (heldFor() == null || underWay.all() == 0)
        && places.mayGrow(underWay, pace)
        && (limits == null || limits.allow(underWay.all(), keptPlaces, nowNanos));
  }

  /** Whether it could have more attempts of this pace if it did not have its share already. */
  boolean isAtShare(Pace pace, Places places, long nowMillis, long nowNanos) {
    return blockedUntilMillis() <= nowMillis
        && heldFor() == null
        && !places.mayGrow(underWay, pace)
        && (limits == null || limits.allow(underWay.all(), keptPlaces, nowNanos));
  }

  /** Keeps a place for the next attempt of a subscription. */
  void keepPlace(SubscriptionState state) {
    state.hasPlace = true;
    keptPlaces++;
    underWay.add(state.pace(), 1);
  }

  /** Gives back the place that is kept for a subscription; false if none is. */
  boolean releasePlace(SubscriptionState state) {
    if (!state.hasPlace) {
      return false;
    }
    state.hasPlace = false;
    keptPlaces--;
    underWay.add(state.pace(), -1);
    return true;
  }

  /** Counts an attempt that {@link #hasRoom} has just allowed. */
  void started(Pace pace, long nowNanos) {
    underWay.add(pace, 1);
    if (limits != null && limits.throttle != null) {
      limits.throttle.start(nowNanos);
    }
  }

  /** Nanoseconds for which the throttle allows nothing; 0 if it does. */
  long throttledNanos(long nowNanos) {
    return limits == null || limits.throttle == null
        ? 0
        : Math.max(0, limits.throttle.waitNanos(nowNanos));
  }

  // --- the block ------------------------------------------------------------------------------

  /** Lets nothing start until then; a block that ends later stays. */
  void block(long untilMillis, String reason) {
    if (untilMillis > blockedUntilMillis) {
      blockedUntilMillis = untilMillis;
      blockReason = reason;
    }
  }

  void unblock() {
    blockedUntilMillis = 0;
    blockReason = null;
  }

  /** Until when nothing may start; a time that has passed if there is no block. */
  long blockedUntilMillis() {
    Streak held = heldFor();
    return held == null ? blockedUntilMillis : Math.max(blockedUntilMillis, held.probeAtMillis());
  }

  /** The refusals for which all wait, but for one at a time; null if they do not. */
  @Nullable Streak heldFor() {
    return streak != null && streak.isHeld() ? streak : null;
  }

  /** Whether it is held, and a delivery of this subscription was tried since. */
  boolean wasTriedInHold(SubscriptionState state) {
    return heldFor() != null && state.triedInHold == holdNumber;
  }

  // --- the retry budget -----------------------------------------------------------------------

  /** Whether the budget allows a retry, those that are kept for others left aside. */
  boolean allowsRetry(ShardSettings settings, long nowNanos) {
    return balance(settings, nowNanos) >= RETRY;
  }

  /** Nanoseconds until the budget allows a retry if nothing succeeds; 0 if it does. */
  long retryWaitNanos(ShardSettings settings, long nowNanos) {
    long missing = RETRY - balance(settings, nowNanos);
    return missing <= 0
        ? 0
        : (long) Math.ceil(missing * 1e9 / RETRY / settings.groupRetriesPerSecond());
  }

  private long balance(ShardSettings settings, long nowNanos) {
    long all =
        budget == null
            ? (long) settings.groupRetries() * RETRY
            : budget.balanceMilliTokens(nowNanos);
    return all - (long) keptRetries * RETRY;
  }

  void keepRetry(SubscriptionState state) {
    state.hasRetry = true;
    keptRetries++;
  }

  /** Gives back the retry that is kept for a subscription; false if none is. */
  boolean releaseRetry(SubscriptionState state) {
    if (!state.hasRetry) {
      return false;
    }
    state.hasRetry = false;
    keptRetries--;
    return true;
  }

  /** Pays for a retry that {@link #allowsRetry} has just allowed. */
  void retryStarted(ShardSettings settings, long nowNanos) {
    if (budget == null) {
      budget =
          RetryBudget.tokenBucket(
              settings.groupRetries(), PRICES, settings.groupRetriesPerSecond());
    }
    budget.tryWithdraw(ANY_FAILURE, nowNanos);
  }

  /** An attempt has succeeded: if it was a retry, it gets back what it has paid. */
  void succeeded(boolean wasRetry, long nowNanos) {
    if (budget != null) {
      budget.recordSuccess(wasRetry ? RETRY : 0);
      forgetFullBudget(nowNanos);
    }
  }

  /** A retry was not made after all. */
  void retryGivenBack(long nowNanos) {
    if (budget != null) {
      budget.refund(RETRY);
      forgetFullBudget(nowNanos);
    }
  }

  private void forgetFullBudget(long nowNanos) {
    if (budget != null && budget.balanceMilliTokens(nowNanos) == budget.capacityMilliTokens()) {
      budget = null;
    }
  }

  // --- for people -----------------------------------------------------------------------------

  /** Returns what keeps a subscription from its next attempt; null if this group does not. */
  @Nullable GroupHold hold(
      SubscriptionState state,
      Places places,
      ShardSettings settings,
      long nowMillis,
      long nowNanos) {
    if (blockedUntilMillis > nowMillis) {
      return new GroupHold(key, String.valueOf(blockReason), blockedUntilMillis);
    }
    Streak held = heldFor();
    if (held != null) {
      return held.hold(key);
    }
    int attempts = underWay.all() - keptPlaces;
    if (limits != null && limits.spec.maxInFlight() > 0 && attempts >= limits.spec.maxInFlight()) {
      return new GroupHold(key, attempts + " attempts under way, its limit", 0);
    }
    long throttled = throttledNanos(nowNanos);
    if (limits != null && throttled > 0) {
      String rate = "throttled to " + limits.spec.maxPerSecond() + " attempts a second";
      return new GroupHold(key, rate, nowMillis + Step.ceilMillis(throttled));
    }
    if (!places.mayGrow(underWay, state.pace())) {
      return new GroupHold(key, attempts + " attempts under way, all that one host may have", 0);
    }
    if (state.waits != null && state.waits.forRetry) {
      long wait = Step.ceilMillis(retryWaitNanos(settings, nowNanos));
      return new GroupHold(
          key, "most attempts fail: retries wait for its retry budget", nowMillis + wait);
    }
    return null;
  }
}
