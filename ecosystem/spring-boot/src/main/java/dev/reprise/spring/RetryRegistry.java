package dev.reprise.spring;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.budget.ScopedBudgets;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.strategy.AdaptiveRetryStrategy;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.policy.Policy;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The retries of this application by their names. Each is a bean too: that of {@code
 * reprise.retry.payment-api} is named {@code paymentApiRetry}. Immutable and thread-safe.
 */
public final class RetryRegistry {
  /** A retry, and the policy that it was made from. */
  record Entry(Policy policy, Retry retry) {}

  private final Map<String, Entry> entries;

  RetryRegistry(Map<String, Entry> entries) {
    this.entries = Collections.unmodifiableMap(new TreeMap<>(entries));
  }

  /**
   * Returns the retry of this name.
   *
   * @throws IllegalArgumentException when the properties describe none; it lists those that there
   *     are
   */
  public Retry get(String name) {
    return entry(name).retry();
  }

  /**
   * Returns the policy that the retry of this name was made from.
   *
   * @throws IllegalArgumentException when the properties describe none
   */
  public Policy policy(String name) {
    return entry(name).policy();
  }

  /** Returns the names of all retries, sorted. */
  public Set<String> names() {
    return entries.keySet();
  }

  /** Returns the budget of the default scope, or null when retries cost nothing. */
  @Nullable RetryBudget budget(String name) {
    ScopedBudgets budgets = budgets(get(name).strategy());
    RetryBudget budget = budgets == null ? null : budgets.of(null, System.nanoTime());
    return budget == RetryBudget.unlimited() ? null : budget;
  }

  private static @Nullable ScopedBudgets budgets(RetryStrategy strategy) {
    if (strategy instanceof StandardRetryStrategy standard) {
      return standard.budgets();
    }
    return strategy instanceof AdaptiveRetryStrategy adaptive ? adaptive.budgets() : null;
  }

  private Entry entry(String name) {
    Entry entry = entries.get(name);
    if (entry == null) {
      throw new InvalidSettingException(
          "retry",
          "\"" + name + "\"",
          "must be one of "
              + names()
              + ", or be described by "
              + PropertiesPolicy.PREFIX
              + name
              + ".*");
    }
    return entry;
  }
}
