package dev.reprise.policy;

import dev.reprise.core.backoff.Backoff;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The delivery policy of a topic or of a subscription, as Amazon SNS documents it.
 *
 * @param healthyRetryPolicy how failed deliveries are retried, or null when the document does not
 *     say
 * @param throttlePolicy how fast deliveries may be attempted, or null for no restriction
 * @param disableSubscriptionOverrides on a topic: the policies of its subscriptions are ignored;
 *     always false on a subscription
 */
public record NotificationPolicy(
    @Nullable HealthyRetryPolicy healthyRetryPolicy,
    @Nullable ThrottlePolicy throttlePolicy,
    boolean disableSubscriptionOverrides)
    implements Policy {

  /** Returns the policy that only says how failed deliveries are retried. */
  public static NotificationPolicy of(HealthyRetryPolicy healthyRetryPolicy) {
    return new NotificationPolicy(healthyRetryPolicy, null, false);
  }

  /**
   * Returns how failed deliveries are retried: {@link HealthyRetryPolicy#DEFAULT} when not said.
   */
  public HealthyRetryPolicy healthyRetryPolicyOrDefault() {
    return healthyRetryPolicy == null ? HealthyRetryPolicy.DEFAULT : healthyRetryPolicy;
  }

  @Override
  public Backoff backoff() {
    return healthyRetryPolicyOrDefault().toBackoff();
  }

  @Override
  public Backoff throttleBackoff() {
    return backoff();
  }

  @Override
  public int maxRetries() {
    return healthyRetryPolicyOrDefault().numRetries();
  }

  @Override
  public Duration hintCeiling() {
    return HealthyRetryPolicy.HINT_CEILING;
  }

  /**
   * Returns the same retries in the general format: no budget, no deadline. The rate of {@link
   * #throttlePolicy()} is the delivery service's business and is not in it.
   */
  @Override
  public StrategyPolicy toStrategyPolicy() {
    Backoff backoff = backoff();
    return new StrategyPolicy(
        StrategyKind.STANDARD,
        maxRetries() == UNLIMITED ? UNLIMITED : 1 + maxRetries(),
        backoff,
        backoff,
        new BudgetPolicy.Unlimited(),
        hintCeiling(),
        false,
        false,
        CallSettings.NONE);
  }
}
