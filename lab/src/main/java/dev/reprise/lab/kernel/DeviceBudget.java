package dev.reprise.lab.kernel;

import dev.reprise.core.budget.TokenPrices;
import dev.reprise.policy.BudgetPolicy;
import dev.reprise.policy.Policy;

/**
 * Computes the retries that a budget pays for on a device, which has no success until it is
 * connected.
 */
public final class DeviceBudget {
  private DeviceBudget() {}

  /**
   * Returns how many retries a full budget pays for at least when nothing is given back; {@link
   * Policy#UNLIMITED} when all.
   */
  public static int paidRetries(BudgetPolicy budget) {
    if (budget instanceof BudgetPolicy.Ratio ratio) {
      return ratio.savedRetries();
    }
    if (budget instanceof BudgetPolicy.TokenBucket bucket) {
      int dearest = dearestMilliTokens(bucket);
      return dearest == 0 ? Policy.UNLIMITED : (int) (bucket.capacityTokens() * 1000L / dearest);
    }
    return Policy.UNLIMITED;
  }

  /** Returns for how many retries a second time alone pays. */
  public static double retriesPerSecond(BudgetPolicy budget) {
    if (budget instanceof BudgetPolicy.Ratio ratio) {
      return ratio.retriesPerSecond();
    }
    if (budget instanceof BudgetPolicy.TokenBucket bucket && bucket.tokensPerSecond() > 0) {
      return bucket.tokensPerSecond() * 1000 / Math.max(1, dearestMilliTokens(bucket));
    }
    return 0;
  }

  private static int dearestMilliTokens(BudgetPolicy.TokenBucket bucket) {
    TokenPrices prices = bucket.prices();
    return Math.max(prices.errorMilliTokens(), prices.throttleMilliTokens());
  }
}
