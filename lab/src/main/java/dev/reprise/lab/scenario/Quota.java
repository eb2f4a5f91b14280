package dev.reprise.lab.scenario;

import java.time.Duration;

/**
 * The requests that a service accepts, as a bucket that fills at a constant rate. A refusal is work
 * too: it takes {@code rejectionCost} of what an acceptance takes, and the bucket can owe up to a
 * second of work for it.
 *
 * @param perSecond how many it accepts a second, more than 0
 * @param burst how much of the rate can be saved up, at least 0; the bucket always holds at least
 *     one acceptance
 * @param rejectionCost 0 to 1: near 0 where a refusal comes before any work, near 1 where it comes
 *     after a whole TLS handshake
 */
public record Quota(double perSecond, Duration burst, double rejectionCost) {
  /** Checks the arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public Quota {
    Require.positive("perSecond", perSecond);
    Require.span("burst", burst);
    Require.between("rejectionCost", rejectionCost, 0.0, 1.0);
  }

  /** Returns how many acceptances can be saved up, at least 1. */
  public double mostSaved() {
    return Math.max(1, perSecond * burst.toNanos() / 1e9);
  }
}
