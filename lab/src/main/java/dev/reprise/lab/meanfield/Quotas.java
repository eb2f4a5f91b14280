package dev.reprise.lab.meanfield;

/**
 * The quota of the service within a step, as a bucket of work that is filled and emptied evenly.
 * Above empty all are accepted; at empty as many as what is filled in pays for; in debt none.
 */
final class Quotas {
  private final double mostDebt;
  private final double rejectionCost;
  private final double mostSaved;
  private double saved;

  Quotas(double capacityPerSecond, double burstSeconds, double rejectionCost) {
    this.mostDebt = capacityPerSecond;
    this.rejectionCost = rejectionCost;
    this.mostSaved = Math.max(1, capacityPerSecond * burstSeconds);
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
