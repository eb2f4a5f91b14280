package dev.reprise.delivery.catalog;

import dev.reprise.delivery.Protocol;
import dev.reprise.policy.HealthyRetryPolicy;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Presets;
import dev.reprise.policy.ThrottlePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The policy that holds for a subscription, and where each part of it comes from.
 *
 * <p>A subscription's own policy replaces the topic's as a whole, unless the topic disables
 * subscription overrides, as in Amazon SNS. What neither says is the preset's, and no throttle.
 *
 * @param retries the retry policy
 * @param retriesFrom the source of the retry policy
 * @param throttle the throttle; null for none
 * @param throttleFrom the source of the throttle
 */
public record EffectivePolicy(
    HealthyRetryPolicy retries,
    Source retriesFrom,
    @Nullable ThrottlePolicy throttle,
    Source throttleFrom) {
  /** The source of a part of a policy. */
  public enum Source {
    /** The subscription's own policy. */
    SUBSCRIPTION("subscription"),
    /** The topic's policy. */
    TOPIC("topic"),
    /** The built-in preset of the subscription's protocol. */
    PRESET("preset");

    private final String wireName;

    Source(String wireName) {
      this.wireName = wireName;
    }

    /** The name in documents: {@code subscription}, {@code topic} or {@code preset}. */
    public String wireName() {
      return wireName;
    }
  }

  /** The policy for a subscription with these settings in this topic. */
  public static EffectivePolicy of(Topic topic, SubscriptionSettings settings) {
    NotificationPolicy own = settings.policy();
    // The topic insists: what the subscription says does not count.
    if (own == null || topic.policy().disableSubscriptionOverrides()) {
      return of(topic.policy(), Source.TOPIC, settings.protocol());
    }
    return of(own, Source.SUBSCRIPTION, settings.protocol());
  }

  private static EffectivePolicy of(NotificationPolicy policy, Source source, Protocol protocol) {
    HealthyRetryPolicy retries = policy.healthyRetryPolicy();
    ThrottlePolicy throttle = policy.throttlePolicy();
    return new EffectivePolicy(
        retries != null ? retries : Presets.get(protocol.preset()),
        retries != null ? source : Source.PRESET,
        throttle,
        throttle != null ? source : Source.PRESET);
  }
}
