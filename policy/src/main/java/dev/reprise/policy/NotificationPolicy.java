package dev.reprise.policy;

import org.jspecify.annotations.Nullable;

/**
 * The delivery policy of a topic or of a subscription (seed 004).
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
    boolean disableSubscriptionOverrides) {

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
}
