package dev.reprise.lab.meanfield;

import org.jspecify.annotations.Nullable;

/**
 * The quota of the service within a step, as a bucket of work that is filled and emptied evenly.
 * Above empty all are accepted; at empty as many as what is filled in pays for; in debt none. A
 * small bucket is empty or full within moments, and what it accepts on average is that of {@link
 * ScatteredArrivals}.
 */
final class Quotas {
  /** The number of tokens from which on randomness costs less than a percent. */
  private static final double FEW_TOKENS = 50;

  private final double mostDebt;
  private final double rejectionCost;
  private final double mostSaved;
  private final @Nullable ScatteredArrivals scattered;
  private double saved;

  Quotas(double capacityPerSecond, double burstSeconds, double rejectionCost) {
    this.mostDebt = capacityPerSecond;
    this.rejectionCost = rejectionCost;
    this.mostSaved = Math.max(1, capacityPerSecond * burstSeconds);
    this.scattered =
        mostSaved < FEW_TOKENS ? new ScatteredArrivals(mostSaved, rejectionCost) : null;
    this.saved = mostSaved;
  }

  /** Returns what is saved; less than 0 in debt. */
  double saved() {
    return saved;
  }

  /**
   * Returns how many of those that come evenly within a span are accepted.
   *
   * @param fill how many acceptances are filled in a second
   */
  double accept(double arrivals, double seconds, double fill) {
    double rate = arrivals / seconds;
    double paidBack = fill - rejectionCost * rate;
    double left = seconds;
    double accepted = 0;
    // In debt, all are refused; it may grow as long as refusals cost more than what is filled in.
    if (saved < 0) {
      double lasts = paidBack > 0 ? Math.min(left, -saved / paidBack) : left;
      saved = Math.max(-mostDebt, Math.min(0, saved + paidBack * lasts));
      left -= lasts;
    }
    if (scattered != null && left > 0 && fill > 0) {
      saved = paidBack < 0 ? Math.max(-mostDebt, paidBack * left) : Math.max(0, saved);
      return Math.min(scattered.accepted(rate / fill) * fill * left, arrivals);
    }
    // With something saved, all are accepted.
    if (left > 0 && rate <= fill) {
      saved = Math.min(mostSaved, saved + (fill - rate) * left);
      return rate * left;
    }
    if (left > 0 && saved > 0) {
      double lasts = Math.min(left, saved / (rate - fill));
      accepted = rate * lasts;
      saved = Math.max(0, saved - (rate - fill) * lasts);
      left -= lasts;
    }
    // With nothing saved, what is filled in pays for all refusals, and then for acceptances.
    if (left > 0 && saved >= 0) {
      accepted += paidBack > 0 ? paidBack / (1 - rejectionCost) * left : 0;
      saved = Math.max(-mostDebt, Math.min(0, paidBack * left));
    }
    return Math.min(accepted, arrivals);
  }
}
