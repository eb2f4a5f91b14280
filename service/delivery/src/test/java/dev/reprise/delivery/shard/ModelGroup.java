package dev.reprise.delivery.shard;

import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.TokenPrices;
import dev.reprise.delivery.AttemptOutcome.Block;
import dev.reprise.delivery.ShardSettings;
import java.util.ArrayDeque;

/** What the model knows of all subscriptions together that share a host or a carrier. */
final class ModelGroup {
  private static final int RETRY = 1000;
  private static final RetryInfo FAILURE = () -> RetrySafety.YES;

  final ModelRefusals refusals = new ModelRefusals();
  GroupSpec spec;
  int inFlight;
  long blockedUntilMillis;
  String blockReason = "";

  /** When attempts started in the last ten seconds, monotonic. */
  final ArrayDeque<Long> starts = new ArrayDeque<>();

  /** Since when nothing but the throttle holds due deliveries back; MAX_VALUE if that is not so. */
  long throttledSinceNanos = Long.MAX_VALUE;

  /** Its arithmetic has tests of its own; here it shows whether the shard feeds and heeds it. */
  private RetryBudget budget;

  private final ShardSettings settings;

  ModelGroup(String key, ShardSettings settings) {
    this.spec = new GroupSpec(key, 0, 0, 1);
    this.settings = settings;
    this.budget = fullBudget();
  }

  private RetryBudget fullBudget() {
    return RetryBudget.tokenBucket(
        settings.groupRetries(),
        new TokenPrices(RETRY, RETRY, RETRY, RETRY, true),
        settings.groupRetriesPerSecond());
  }

  void configure(GroupSpec next) {
    if (next.maxPerSecond() != spec.maxPerSecond()) {
      starts.clear();
      throttledSinceNanos = Long.MAX_VALUE;
    }
    spec = next;
  }

  /** The process died: what only memory knew is gone, what was really sent was sent. */
  void restart() {
    inFlight = 0;
    blockedUntilMillis = 0;
    throttledSinceNanos = Long.MAX_VALUE;
    budget = fullBudget();
    refusals.restart();
  }

  boolean isUnlimited() {
    return spec.maxInFlight() == 0 && spec.maxPerSecond() == 0;
  }

  boolean hasRoom() {
    return refusals.isHeld()
        ? inFlight == 0
        : spec.maxInFlight() == 0 || inFlight < spec.maxInFlight();
  }

  void block(Block block, long endedAtMillis) {
    long until = endedAtMillis + block.time().plusNanos(999_999).toMillis();
    if (until > blockedUntilMillis) {
      blockedUntilMillis = until;
      blockReason = block.reason();
    }
  }

  boolean payForRetry(long nowNanos) {
    return budget.tryWithdraw(FAILURE, nowNanos) != RetryBudget.DENIED;
  }

  void succeeded(boolean wasRetry) {
    budget.recordSuccess(wasRetry ? RETRY : 0);
  }

  void retryGivenBack() {
    budget.refund(RETRY);
  }

  /** Milliseconds until a retry may start, rounded up; 0 if one may. */
  long retryWaitMillis(long nowNanos) {
    long missing = RETRY - budget.balanceMilliTokens(nowNanos);
    return missing <= 0 ? 0 : (long) Math.ceil(missing / settings.groupRetriesPerSecond());
  }
}
