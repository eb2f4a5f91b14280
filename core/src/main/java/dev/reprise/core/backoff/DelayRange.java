package dev.reprise.core.backoff;

import dev.reprise.core.InvalidSettingException;

/**
 * The shortest and the longest delay that a retry can have. Both ends are possible delays; without
 * jitter they are equal.
 *
 * @param lowestNanos at least 0
 * @param highestNanos at least {@code lowestNanos}
 */
public record DelayRange(long lowestNanos, long highestNanos) {
  /** Checks the bounds; throws {@link IllegalArgumentException} when they are out of order. */
  public DelayRange {
    if (lowestNanos < 0) {
      throw new InvalidSettingException("lowestNanos", lowestNanos, "must be >= 0");
    }
    if (highestNanos < lowestNanos) {
      throw new InvalidSettingException(
          "highestNanos", highestNanos, "must be >= lowestNanos, which is " + lowestNanos);
    }
  }

  /** Returns the range of a delay that is always the same. */
  public static DelayRange exactly(long nanos) {
    return new DelayRange(nanos, nanos);
  }

  /** Returns true when the delay varies from one draw to the next. */
  public boolean isJittered() {
    return lowestNanos != highestNanos;
  }
}
