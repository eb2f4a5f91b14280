package dev.reprise.lab.calls;

import dev.reprise.lab.scenario.Quota;
import dev.reprise.lab.scenario.Speed;

/** Keeps the rest of a quota. In a brown-out it fills slower. */
final class CallQuota {
  private static final double NANOS_PER_SECOND = 1e9;

  /** The tolerance that keeps rounding from refusing a call that comes just in time. */
  private static final double ROUNDING = 1e-6;

  /** A wait longer than any run, with room for the addition of a brown-out and the present time. */
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

  /** Takes the tokens of an acceptance; returns false when there are too few. */
  boolean accept(long nowNanos) {
    fill(nowNanos);
    if (level < 1 - ROUNDING) {
      return false;
    }
    level -= 1;
    return true;
  }

  /** Takes the cost of a refusal; the bucket may owe a second of work for refusals. */
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
