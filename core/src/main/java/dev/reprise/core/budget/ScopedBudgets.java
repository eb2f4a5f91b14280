package dev.reprise.core.budget;

import dev.reprise.core.InvalidSettingException;
import java.util.ArrayList;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The budgets of the scopes that a strategy serves. A scope is the smallest part of the other side
 * that fails together, such as a host; null is the default scope. Thread-safe; one instance may
 * serve several strategies, which then share their budgets.
 *
 * <pre>{@code
 * ScopedBudgets one = ScopedBudgets.shared(RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE));
 * ScopedBudgets perHost =
 *     ScopedBudgets.perScope(() -> RetryBudget.tokenBucket(500, TokenPrices.SMITHY_GUIDE), 128);
 * }</pre>
 */
public abstract sealed class ScopedBudgets {
  /** The number of named scopes that have a budget of their own unless told otherwise. */
  public static final int DEFAULT_MAX_SCOPES = 128;

  private final RetryBudget defaultBudget;

  private ScopedBudgets(RetryBudget defaultBudget) {
    this.defaultBudget = Objects.requireNonNull(defaultBudget, "budget");
  }

  /** Returns budgets that are all the same one. */
  public static ScopedBudgets shared(RetryBudget budget) {
    return new Shared(budget);
  }

  /** Returns budgets of which each of up to {@link #DEFAULT_MAX_SCOPES} scopes has its own. */
  public static ScopedBudgets perScope(Supplier<RetryBudget> newBudget) {
    return perScope(newBudget, DEFAULT_MAX_SCOPES);
  }

  /**
   * Returns budgets of which each scope has its own.
   *
   * <p>At most {@code maxScopes} named scopes have one at a time. A further scope takes the place
   * of one whose budget is full: that one loses nothing, for it gets a new budget, which is full
   * too, when it fails again. While none of them is full, further scopes share one more budget. So
   * a caller that invents new scopes gains at most the retries of {@code maxScopes} + 2 budgets.
   *
   * @param newBudget makes a full budget; called for the default scope at once, and for others
   *     later, by the thread that needs it, while other new scopes wait: it must be quick, and must
   *     not use these budgets
   * @param maxScopes at least 1
   * @throws IllegalArgumentException when {@code maxScopes} is less than 1
   */
  public static ScopedBudgets perScope(Supplier<RetryBudget> newBudget, int maxScopes) {
    Objects.requireNonNull(newBudget, "newBudget");
    if (maxScopes < 1) {
      throw new InvalidSettingException("maxScopes", maxScopes, "must be >= 1");
    }
    return PerScope.making(newBudget, maxScopes);
  }

  /**
   * Returns the budget of a scope that has failed. Ask for it when the scope fails, not before: a
   * scope that never failed needs no budget. Withdraw, refund and record the success of one
   * operation on the same budget.
   *
   * @param scope the scope, or null for the default one
   * @param nowNanos a monotonic time, for budgets that fill with time; it may wrap
   */
  public final RetryBudget of(@Nullable String scope, long nowNanos) {
    return scope == null ? defaultBudget : named(scope, nowNanos);
  }

  /**
   * Tells that the first attempt of an operation succeeded. A scope without a budget gets none by
   * this, for it would be full.
   *
   * @param scope the scope, or null for the default one
   */
  public final void recordFirstSuccess(@Nullable String scope) {
    if (scope == null) {
      defaultBudget.recordSuccess(0);
      return;
    }
    RetryBudget budget = existing(scope);
    if (budget != null) {
      budget.recordSuccess(0);
    }
  }

  abstract RetryBudget named(String scope, long nowNanos);

  /** Returns the budget that the scope has or shares, or null when a new one would be made. */
  abstract @Nullable RetryBudget existing(String scope);

  /** One budget for all scopes. */
  private static final class Shared extends ScopedBudgets {
    private final RetryBudget budget;

    Shared(RetryBudget budget) {
      super(budget);
      this.budget = budget;
    }

    @Override
    RetryBudget named(String scope, long nowNanos) {
      return budget;
    }

    @Override
    RetryBudget existing(String scope) {
      return budget;
    }

    @Override
    public String toString() {
      return "budget " + budget;
    }
  }

  /** A budget for each scope. Known scopes are found without a lock. */
  private static final class PerScope extends ScopedBudgets {
    /**
     * The number of budgets that a new scope looks at for a full one; so a miss has a bounded cost.
     */
    private static final int MAX_LOOKED_AT = DEFAULT_MAX_SCOPES;

    private final Supplier<RetryBudget> newBudget;
    private final int maxScopes;
    private final ConcurrentHashMap<String, RetryBudget> budgets = new ConcurrentHashMap<>();

    /** Guards everything below, and all changes of the map. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The scopes of the map, in no order that means anything. */
    private final ArrayList<String> scopes = new ArrayList<>();

    /** The place at which the next search for a full budget begins. */
    private int hand;

    /** The budget that scopes without a place share; null until it is needed. */
    private volatile @Nullable RetryBudget overflow;

    static ScopedBudgets making(Supplier<RetryBudget> newBudget, int maxScopes) {
      return new PerScope(newBudget, maxScopes);
    }

    private PerScope(Supplier<RetryBudget> newBudget, int maxScopes) {
      super(made(Objects.requireNonNull(newBudget, "newBudget")));
      this.newBudget = newBudget;
      this.maxScopes = maxScopes;
    }

    @Override
    RetryBudget named(String scope, long nowNanos) {
      RetryBudget known = budgets.get(scope);
      return known != null ? known : admit(scope, nowNanos);
    }

    /** Scopes may be many; that of operations without one stands for them. */
    @Override
    public String toString() {
      return "a budget for each scope, that without a name: " + of(null, 0);
    }

    @Override
    @Nullable RetryBudget existing(String scope) {
      RetryBudget known = budgets.get(scope);
      return known != null ? known : overflow;
    }

    private RetryBudget admit(String scope, long nowNanos) {
      lock.lock();
      try {
        // Another thread may have been faster.
        RetryBudget known = budgets.get(scope);
        if (known != null) {
          return known;
        }
        if (scopes.size() == maxScopes && !removeFull(nowNanos)) {
          return sharedOverflow();
        }
        RetryBudget budget = made(newBudget);
        scopes.add(scope);
        budgets.put(scope, budget);
        return budget;
      } finally {
        lock.unlock();
      }
    }

    private static RetryBudget made(Supplier<RetryBudget> newBudget) {
      return Objects.requireNonNull(newBudget.get(), "newBudget made null: must make a budget");
    }

    private RetryBudget sharedOverflow() {
      RetryBudget shared = overflow;
      if (shared == null) {
        shared = made(newBudget);
        overflow = shared;
      }
      return shared;
    }

    /**
     * Removes a scope whose budget is full. A retry that is paid for by it at this very moment goes
     * uncounted; to prevent that would cost every retry a lock.
     */
    private boolean removeFull(long nowNanos) {
      for (int looked = Math.min(maxScopes, MAX_LOOKED_AT); looked > 0; looked--) {
        hand = (hand + 1) % maxScopes;
        String scope = scopes.get(hand);
        RetryBudget budget = budgets.get(scope);
        if (budget != null && isFull(budget, nowNanos)) {
          budgets.remove(scope);
          scopes.set(hand, scopes.get(maxScopes - 1));
          scopes.remove(maxScopes - 1);
          return true;
        }
      }
      return false;
    }

    private static boolean isFull(RetryBudget budget, long nowNanos) {
      return budget.balanceMilliTokens(nowNanos) >= budget.capacityMilliTokens();
    }
  }
}
