package dev.reprise.core.retry;

import dev.reprise.core.InvalidSettingException;
import java.time.Duration;

/**
 * Starts an attempt beside one that has neither succeeded nor failed. The first success wins and
 * the others are cancelled. Every hedge is an attempt: it counts against the attempts that the
 * strategy allows, and the budget pays for it.
 *
 * @param delay how long an attempt may take before a hedge is started beside it, between 1 ns and
 *     292 years. A good choice is the 95th percentile of the time that attempts take
 * @param maxHedges how many hedges may run beside one attempt, at least 1
 */
public record Hedging(Duration delay, int maxHedges) {
  /**
   * Checks both arguments; throws {@link IllegalArgumentException} naming the one that is wrong.
   */
  public Hedging {
    delay = RetryBuilder.requireTime("delay", delay);
    if (maxHedges < 1) {
      throw new InvalidSettingException("maxHedges", maxHedges, "must be >= 1");
    }
  }

  /** Returns the hedging with one hedge at most. */
  public static Hedging after(Duration delay) {
    return new Hedging(delay, 1);
  }
}
