package dev.reprise.delivery.engine;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.body.MessageBodies;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.InvalidRequestException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.host.SubscriptionShards;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import tools.jackson.databind.JsonNode;

/** Finds the subscriptions of a topic that want a message. */
public final class Matching {
  private Matching() {}

  /**
   * Refuses what the protocol of a subscription that wants the message cannot carry.
   *
   * @param attributes the payload's attributes, parsed: an object
   * @throws InvalidRequestException naming the rule
   */
  public static void check(Catalog.Entry entry, Payload payload, JsonNode attributes) {
    for (Protocol protocol : entry.protocols()) {
      check(entry, protocol, payload, attributes);
    }
  }

  private static void check(
      Catalog.Entry entry, Protocol protocol, Payload payload, JsonNode attributes) {
    String problem = MessageBodies.problem(payload, protocol);
    boolean wanted =
        problem != null
            && entry.subscriptions().stream()
                .map(Subscription::settings)
                .anyMatch(s -> s.protocol() == protocol && s.filter().matches(attributes));
    if (wanted) {
      throw new InvalidRequestException(
          "body",
          payload.body().length + " bytes",
          problem + "; bodies." + protocol.wireName() + " can hold another one");
    }
  }

  /**
   * Returns the subscriptions that want a message.
   *
   * @param attributes the message's attributes: an object
   */
  public static List<Subscription> wanting(Catalog.Entry entry, JsonNode attributes) {
    List<Subscription> wanting = new ArrayList<>();
    for (Subscription subscription : entry.subscriptions()) {
      if (subscription.settings().filter().matches(attributes)) {
        wanting.add(subscription);
      }
    }
    return wanting;
  }

  /**
   * Returns the numbers of subscriptions, by the shards in which they have the message.
   *
   * @param shards how many shards there are
   */
  public static SortedMap<Integer, long[]> byShard(
      List<Subscription> subscriptions, MessageId message, int shards) {
    SortedMap<Integer, LongStream.Builder> numbers = new TreeMap<>();
    for (Subscription subscription : subscriptions) {
      int shard = SubscriptionShards.of(subscription, shards).shardOf(message);
      numbers.computeIfAbsent(shard, number -> LongStream.builder()).add(subscription.number());
    }
    SortedMap<Integer, long[]> byShard = new TreeMap<>();
    numbers.forEach((shard, found) -> byShard.put(shard, found.build().toArray()));
    return byShard;
  }
}
