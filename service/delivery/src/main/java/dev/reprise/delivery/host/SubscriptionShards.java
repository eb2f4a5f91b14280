package dev.reprise.delivery.host;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Position;
import dev.reprise.delivery.catalog.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * The shards of a subscription. There is one, by the remainder of its number, or several in a row
 * of which each has a part of the messages, by their ids. Each of them knows the subscription by
 * the same number.
 *
 * <p>Which shard a message is in follows from its id alone. So a repeated publish finds the shard
 * of the first time, a look-up of a delivery asks one shard, and the number of parts of a
 * subscription must never change.
 */
public final class SubscriptionShards {
  private final long number;
  private final int count;
  private final int shards;

  private SubscriptionShards(long number, int count, int shards) {
    this.number = number;
    this.count = count;
    this.shards = shards;
  }

  /**
   * Returns the shards of a subscription.
   *
   * @param shards how many there are in all
   */
  public static SubscriptionShards of(Subscription subscription, int shards) {
    // What is stored was accepted once, perhaps where there are more.
    int count = Math.min(subscription.settings().shards(), shards);
    return new SubscriptionShards(subscription.number(), count, shards);
  }

  /** The number of its shards, from 1. */
  public int count() {
    return count;
  }

  /**
   * Returns the shard that has a part.
   *
   * @param part from 0
   */
  public int shard(int part) {
    return (int) ((number + part) % shards);
  }

  /** Returns the part that a shard has; -1 if it has none. */
  public int partIn(int shard) {
    int part = Math.floorMod(shard - shard(0), shards);
    return part < count ? part : -1;
  }

  /** Returns the part that a message belongs to. */
  public int partOf(MessageId message) {
    // The lower bits of an id are random ones, or those of a digest.
    return (int) Long.remainderUnsigned(message.low(), count);
  }

  /** Returns the shard that a message belongs to. */
  public int shardOf(MessageId message) {
    return shard(partOf(message));
  }

  /** Returns a part's share of a limit that all parts have together. */
  public long share(long limit, int part) {
    return limit / count + (part < limit % count ? 1 : 0);
  }

  /** Returns the place before all deliveries of a part, in walks over one part after the other. */
  public Position beginning(int part) {
    return new Position(0, new MessageId(0, part));
  }

  /** Returns the part in which a place is. */
  public int partAt(@Nullable Position place) {
    return place == null ? 0 : partOf(place.message());
  }

  /** Returns the same place for the shard of its part, where null stands for the beginning. */
  public static @Nullable Position within(@Nullable Position place) {
    return place == null || place.message().high() == 0 ? null : place;
  }
}
