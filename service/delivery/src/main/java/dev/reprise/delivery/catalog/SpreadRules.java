package dev.reprise.delivery.catalog;

import dev.reprise.policy.ThrottlePolicy;
import org.jspecify.annotations.Nullable;

/**
 * The rules of subscriptions that are spread over several shards. Each shard keeps to its share of
 * a limit, which is at least one: so that they keep to it together, there are no more shards than
 * the limit can be divided among.
 */
final class SpreadRules {
  private SpreadRules() {}

  /** A subscription is new, or its settings have changed. */
  static void check(Topic topic, Subscription subscription) {
    SubscriptionSettings settings = subscription.settings();
    int shards = settings.shards();
    if (shards > 1 && shards > settings.maxInFlight()) {
      throw new InvalidRequestException(
          "shards",
          Integer.toString(shards),
          "must be at most maxInFlight, which is " + settings.maxInFlight());
    }
    ThrottlePolicy throttle = throttle(topic, subscription);
    if (throttle != null) {
      throw new InvalidRequestException(
          "shards",
          Integer.toString(shards),
          "must be at most the throttle's maxReceivesPerSecond, which is "
              + throttle.maxReceivesPerSecond());
    }
  }

  /** The policy of a topic changes, and with it perhaps that of a subscription. */
  static void checkTopic(Topic topic, Subscription subscription) {
    int shards = subscription.settings().shards();
    ThrottlePolicy throttle = throttle(topic, subscription);
    if (throttle != null) {
      throw new InvalidRequestException(
          "throttlePolicy.maxReceivesPerSecond",
          Long.toString(throttle.maxReceivesPerSecond()),
          "must be at least "
              + shards
              + ", the number of shards of subscription "
              + subscription.id());
    }
  }

  /** Returns the throttle that cannot be divided among all shards; null if there is none. */
  private static @Nullable ThrottlePolicy throttle(Topic topic, Subscription subscription) {
    int shards = subscription.settings().shards();
    if (shards == 1) {
      return null;
    }
    ThrottlePolicy throttle = EffectivePolicy.of(topic, subscription.settings()).throttle();
    return throttle != null && shards > throttle.maxReceivesPerSecond() ? throttle : null;
  }

  /** The shard of a message follows from the number of shards, which must therefore stay. */
  static void checkSame(Subscription before, Subscription after) {
    if (before.settings().shards() != after.settings().shards()) {
      throw new InvalidRequestException(
          "shards",
          Integer.toString(after.settings().shards()),
          "must stay "
              + before.settings().shards()
              + ", as it was chosen when the subscription was created: make another subscription");
    }
  }
}
