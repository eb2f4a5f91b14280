package dev.reprise.delivery.host;

import dev.reprise.delivery.MinuteSettings;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.catalog.CarrierDefinition;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.DeadLetters;
import dev.reprise.delivery.catalog.EffectivePolicy;
import dev.reprise.delivery.catalog.NameChange;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.delivery.shard.GroupSpec;
import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.shard.SubscriptionSpec;
import dev.reprise.delivery.store.RepeatingStore;
import dev.reprise.policy.ThrottlePolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;

/**
 * Opens shards over their stores, and notifies them of subscriptions. The limits of a carrier are
 * shared out over all shards, those of a subscription over its own.
 */
public final class ShardOpener {
  private final int shards;
  private final Catalog catalog;
  private final ShardSettings settings;
  private final MinuteSettings minutes;
  private final SteadyClock clock;
  private final AttemptSender sender;
  private final DeliveryListener listener;
  private final BooleanSupplier spaceIsShort;

  /**
   * An opener.
   *
   * @param shards how many there are, here and elsewhere
   * @param settings the bounds of each
   */
  public ShardOpener(
      int shards,
      Catalog catalog,
      ShardSettings settings,
      MinuteSettings minutes,
      SteadyClock clock,
      AttemptSender sender,
      DeliveryListener listener,
      BooleanSupplier spaceIsShort) {
    this.shards = shards;
    this.catalog = catalog;
    this.settings = settings;
    this.minutes = minutes;
    this.clock = clock;
    this.sender = sender;
    this.listener = listener;
    this.spaceIsShort = spaceIsShort;
  }

  /** Opens a shard; its loop is not started yet. */
  public ShardLoop open(int number, RepeatingStore store, Lease lease, TurnPace pace) {
    List<SubscriptionSpec> specs = new ArrayList<>();
    for (Catalog.Entry entry : catalog.topics()) {
      for (Subscription subscription : entry.subscriptions()) {
        int part = SubscriptionShards.of(subscription, shards).partIn(number);
        if (part >= 0) {
          specs.add(spec(entry.topic(), subscription, shards, part));
        }
      }
    }
    List<GroupSpec> groups = new ArrayList<>();
    for (CarrierDefinition carrier : catalog.carriers()) {
      groups.add(group(carrier, number, shards));
    }
    Shard shard =
        new Shard(
            store,
            settings,
            minutes,
            new SplittableRandom(ThreadLocalRandom.current().nextLong()),
            specs,
            groups,
            clock.epochMillis(),
            clock.nanoTime());
    return new ShardLoop(number, store, shard, clock, sender, listener, lease, pace, spaceIsShort);
  }

  /** Notifies the shards of a subscription that it is new, or has changed. */
  public static void configure(Shards shards, Topic topic, Subscription subscription) {
    SubscriptionShards its = SubscriptionShards.of(subscription, shards.count());
    for (int part = 0; part < its.count(); part++) {
      shards.submit(
          its.shard(part),
          new ShardInput.Configure(spec(topic, subscription, shards.count(), part)));
    }
  }

  /** Notifies the shards of a subscription that it has gone. */
  public static void remove(Shards shards, Subscription subscription) {
    SubscriptionShards its = SubscriptionShards.of(subscription, shards.count());
    for (int part = 0; part < its.count(); part++) {
      shards.submit(its.shard(part), new ShardInput.Remove(subscription.number()));
    }
  }

  /**
   * A shard's part of a carrier's limits. One attempt under way is the least; {@code Carriers}
   * keeps those of all shards together to the limit.
   */
  public static GroupSpec group(CarrierDefinition carrier, int shard, int shards) {
    return new GroupSpec(
        SubscriptionSettings.groupOf(carrier.name()),
        part(carrier.maxInFlight(), shard, shards),
        carrier.maxPerSecond(),
        shards);
  }

  private static int part(int limit, int shard, int shards) {
    return Math.max(1, limit / shards + (shard < limit % shards ? 1 : 0));
  }

  /**
   * Returns everything that a shard needs to know of a subscription. Of each limit it has its
   * share: together the shards keep to what the settings say.
   */
  private static SubscriptionSpec spec(
      Topic topic, Subscription subscription, int shards, int part) {
    SubscriptionShards its = SubscriptionShards.of(subscription, shards);
    SubscriptionSettings settings = subscription.settings();
    EffectivePolicy policy = EffectivePolicy.of(topic, settings);
    ThrottlePolicy throttle = policy.throttle();
    Duration lifetime = settings.lifetime();
    return new SubscriptionSpec(
        subscription.number(),
        policy.retries().toRetryPolicy(),
        throttle == null ? 0 : Math.max(1, its.share(throttle.maxReceivesPerSecond(), part)),
        lifetime == null ? 0 : lifetime.toMillis(),
        settings.deadLetters() == DeadLetters.DISCARD,
        (int) Math.max(1, its.share(settings.maxInFlight(), part)),
        settings.group(),
        settings.startSuspended(),
        // Only HTTP says "gone" with this number; for SMPP it is a status of some vendor.
        settings.suspendWhenGone() && settings.isUrl(),
        its.share(Suspension.DEFAULT_MAX_HELD, part),
        NameChange.of(settings));
  }
}
