package dev.reprise.policy;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.ScopedBudgets;
import dev.reprise.core.budget.TokenPrices;

/** The settings of the budget that pays for retries. */
public sealed interface BudgetPolicy {
  /** The default number of named scopes that have a budget of their own. */
  int DEFAULT_MAX_SCOPES = ScopedBudgets.DEFAULT_MAX_SCOPES;

  /** The most scopes that a document may ask for, each of which needs memory: a million. */
  int MAX_SCOPES = 1_000_000;

  /** Returns a new, full budget with these numbers. */
  RetryBudget newBudget();

  /**
   * Returns how many named scopes have a budget of their own at a time, at least 0; 0 is one budget
   * for all scopes.
   */
  int maxScopes();

  /**
   * A bucket of tokens, which retries take from and successes give back to (AWS SDK retry
   * specification).
   *
   * @param capacityTokens the most that it holds, 0 to 1,000,000
   * @param prices what retries cost, and what successes bring
   * @param tokensPerSecond how fast time fills it, 0.001 to 1,000,000, or 0: not at all
   * @param maxScopes how many named scopes have a bucket of their own, at least 0
   */
  record TokenBucket(int capacityTokens, TokenPrices prices, double tokensPerSecond, int maxScopes)
      implements BudgetPolicy {
    /** Checks all arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public TokenBucket {
      requireMaxScopes(maxScopes);
      RetryBudget.tokenBucket(capacityTokens, prices, tokensPerSecond);
    }

    @Override
    public RetryBudget newBudget() {
      return RetryBudget.tokenBucket(capacityTokens, prices, tokensPerSecond);
    }
  }

  /**
   * A share of the successes, and some retries per second whatever succeeds.
   *
   * @param retriesPerSuccess what a success brings, 0 to 1
   * @param retriesPerSecond what a second brings, 0.001 to 1,000,000, or 0: nothing
   * @param savedRetries how many retries can be saved up, 1 to 1,000,000
   * @param maxScopes how many named scopes have a budget of their own, at least 0
   */
  record Ratio(double retriesPerSuccess, double retriesPerSecond, int savedRetries, int maxScopes)
      implements BudgetPolicy {
    /** Checks all arguments; throws {@link IllegalArgumentException} naming the wrong one. */
    public Ratio {
      requireMaxScopes(maxScopes);
      RetryBudget.ratio(retriesPerSuccess, retriesPerSecond, savedRetries);
    }

    /** Returns how many retries are saved up when a document does not say: what the core does. */
    static int savedRetries(double retriesPerSecond) {
      return (int) (RetryBudget.ratio(0, retriesPerSecond).capacityMilliTokens() / 1000);
    }

    @Override
    public RetryBudget newBudget() {
      return RetryBudget.ratio(retriesPerSuccess, retriesPerSecond, savedRetries);
    }
  }

  /** Every retry is paid for. */
  record Unlimited() implements BudgetPolicy {
    @Override
    public RetryBudget newBudget() {
      return RetryBudget.unlimited();
    }

    @Override
    public int maxScopes() {
      return 0;
    }
  }

  private static void requireMaxScopes(int maxScopes) {
    if (maxScopes < 0) {
      throw new InvalidSettingException("maxScopes", maxScopes, "must be >= 0");
    }
  }
}
