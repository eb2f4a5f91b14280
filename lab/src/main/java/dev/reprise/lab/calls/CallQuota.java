package dev.reprise.lab.calls;

import dev.reprise.lab.scenario.Quota;
import dev.reprise.lab.scenario.Speed;

/** Keeps the rest of a quota. In a brown-out it fills slower. */
final class CallQuota {
  private static final double NANOS_PER_SECOND = 1e9;

  /** Rounding must not refuse who comes just in time. */
  private static final double ROUNDING = 1e-6;

  /** A wait that no run lives to see, with room for what a brown-out and the present time add. */
  private static final double MAX_NANOS = Long.MAX_VALUE / 2.0;

  private final Quota quota;
  private final Speed speed;
  private final double capacity;
  private double level;
  private long filledAtNanos;

  CallQuota(Quota quota, Speed speed) {
    this.quota = quota;
    this.speed = speed;
    this.capacity = quota.mostSaved();
    this.level = capacity;
  }

  /** Takes what an acceptance needs; returns false when there is not so much. */
  boolean accept(long nowNanos) {
    fill(nowNanos);
    if (level < 1 - ROUNDING) {
      return false;
    }
    level -= 1;
    return true;
  }

  /** Takes what a refusal costs; the bucket may owe a second of work for refusals. */
  void refuse(long nowNanos) {
    fill(nowNanos);
    level = Math.max(level - quota.rejectionCost(), Math.min(level, -quota.perSecond()));
  }

  /** Sets an acceptance aside; returns how long it takes until there is so much. */
  long book(long nowNanos) {
    fill(nowNanos);
    double missing = Math.max(0, 1 - level);
    level -= 1;
    double workNanos = Math.ceil(missing / quota.perSecond() * NANOS_PER_SECOND);
    return speed.durationNanos(nowNanos, (long) Math.min(workNanos, MAX_NANOS));
  }

  private void fill(long nowNanos) {
    if (nowNanos == filledAtNanos) {
      return;
    }
    double workSeconds = speed.workNanos(filledAtNanos, nowNanos) / NANOS_PER_SECOND;
    level = Math.min(capacity, level + workSeconds * quota.perSecond());
    filledAtNanos = nowNanos;
  }
}
