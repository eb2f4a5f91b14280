package dev.reprise.policy;

import dev.reprise.core.RetryStrategy;
import dev.reprise.core.budget.ScopedBudgets;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryBuilder;
import dev.reprise.core.strategy.RetryStrategies;
import dev.reprise.core.strategy.StandardProfile;
import dev.reprise.core.strategy.StandardRetryStrategy;
import java.util.function.Consumer;

/** Makes what the core runs from what a document says. */
final class Strategies {
  private Strategies() {}

  static RetryStrategy of(
      StrategyPolicy policy, Consumer<StandardRetryStrategy.Builder> furtherSettings) {
    return switch (policy.strategy()) {
      case NONE -> RetryStrategies.noRetry();
      case STANDARD -> standard(policy, furtherSettings);
      case ADAPTIVE -> RetryStrategies.adaptive(standard(policy, furtherSettings));
    };
  }

  private static StandardRetryStrategy standard(
      StrategyPolicy policy, Consumer<StandardRetryStrategy.Builder> furtherSettings) {
    StandardProfile flags = StandardProfile.REPRISE_DEFAULT;
    StandardRetryStrategy.Builder builder =
        StandardRetryStrategy.builder(
                // Only a profile can say whether hints are clamped and long polls delayed; all else
                // of it is replaced below.
                new StandardProfile(
                    policy.maxAttempts(),
                    flags.baseDelay(),
                    flags.throttleBaseDelay(),
                    flags.maxDelay(),
                    policy.hintCeiling(),
                    policy.clampsHints(),
                    policy.delaysLongPolls(),
                    flags.capacityTokens(),
                    flags.prices()))
            .backoff(policy.backoff())
            .throttleBackoff(policy.throttleBackoff())
            .budgets(budgets(policy.budget()));
    furtherSettings.accept(builder);
    return builder.build();
  }

  private static ScopedBudgets budgets(BudgetPolicy budget) {
    return budget.maxScopes() == 0
        ? ScopedBudgets.shared(budget.newBudget())
        : ScopedBudgets.perScope(budget::newBudget, budget.maxScopes());
  }

  static RetryBuilder retry(CallSettings calls, RetryStrategy strategy) {
    RetryBuilder builder = Retry.builder().strategy(strategy).idempotent(calls.idempotent());
    if (calls.deadline() != null) {
      builder.deadline(calls.deadline());
    }
    if (calls.attemptTimeout() != null) {
      builder.attemptTimeout(calls.attemptTimeout());
    }
    if (calls.hedging() != null) {
      builder.hedging(calls.hedging());
    }
    return builder;
  }
}
