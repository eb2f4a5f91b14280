package dev.reprise.delivery.catalog;

import dev.reprise.delivery.Protocol;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The topics of which an endpoint gets every message. Changes exclude each other by the lock of the
 * catalog; reading is safe for many threads.
 */
final class CatchAlls {
  private final Map<Endpoint, Topics> topics = new ConcurrentHashMap<>();

  /** Where deliveries of a project go. */
  private record Endpoint(
      String project, Protocol protocol, @Nullable String carrier, String endpoint) {
    static Endpoint of(Subscription subscription) {
      SubscriptionSettings settings = subscription.settings();
      return new Endpoint(
          subscription.project(), settings.protocol(), settings.carrier(), settings.endpoint());
    }
  }

  /**
   * Topics with the number of subscriptions each. Nearly all endpoints have one of one, which costs
   * no map.
   */
  private record Topics(String only, Map<String, Integer> many) {
    int count() {
      return many.isEmpty() ? 1 : many.size();
    }
  }

  void add(Subscription subscription) {
    if (!isCounted(subscription)) {
      return;
    }
    String topic = subscription.topic();
    topics.merge(
        Endpoint.of(subscription),
        new Topics(topic, Map.of()),
        (before, added) -> changed(before, topic, 1));
  }

  void remove(Subscription subscription) {
    if (!isCounted(subscription)) {
      return;
    }
    topics.computeIfPresent(
        Endpoint.of(subscription),
        (endpoint, before) ->
            before.many().isEmpty() ? null : changed(before, subscription.topic(), -1));
  }

  /** Operator events are few, and hold nothing that was published. */
  private static boolean isCounted(Subscription subscription) {
    return subscription.settings().filter().isAll() && !subscription.isOfOperator();
  }

  private static Topics changed(Topics before, String topic, int by) {
    Map<String, Integer> many =
        new HashMap<>(before.many().isEmpty() ? Map.of(before.only(), 1) : before.many());
    many.merge(topic, by, (was, more) -> was + more == 0 ? null : was + more);
    if (many.size() == 1 && many.containsValue(1)) {
      return new Topics(many.keySet().iterator().next(), Map.of());
    }
    return new Topics("", Map.copyOf(many));
  }

  /**
   * Returns the number of topics of its project whose messages all go where this subscription's go;
   * 0 if it has a filter.
   */
  int topicsOf(Subscription subscription) {
    Topics same = isCounted(subscription) ? topics.get(Endpoint.of(subscription)) : null;
    return same == null ? 0 : same.count();
  }
}
