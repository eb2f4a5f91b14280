package dev.reprise.server.http;

import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.host.SubscriptionShards;

/**
 * Finds the shard whose owner is at the {@link Place} that a route states.
 *
 * <p>A topic or subscription that is not known here may be new. The owner of the catalog knows; if
 * it does not either, there is none.
 */
public final class Placement {
  /** Any node. */
  public static final int ANYWHERE = -1;

  /** The shard whose owner has the catalog. */
  public static final int CATALOG = 0;

  private final Catalog catalog;
  private final int shards;

  public Placement(Catalog catalog, int shards) {
    this.catalog = catalog;
    this.shards = shards;
  }

  /** Returns the shard whose owner answers, or {@link #ANYWHERE}. */
  public int shardOf(Place place, Call call) {
    return switch (place) {
      case ANYWHERE -> ANYWHERE;
      case CATALOG -> CATALOG;
      case TOPIC -> call.catalog().find(call.path("topic")) == null ? CATALOG : ANYWHERE;
      case SUBSCRIPTION -> shardOf(call.path("id"));
      case KNOWN_SUBSCRIPTION -> isKnown(call.path("id")) ? ANYWHERE : CATALOG;
      case DELIVERY -> {
        String id = call.path("id");
        int at = id.indexOf('@');
        // The node that was asked says what an id must be.
        yield at < 0 ? ANYWHERE : shardOf(id.substring(at + 1));
      }
      case SUBSCRIPTION_PARAMETER -> {
        String id = call.parameters().get("subscription");
        yield id == null ? ANYWHERE : shardOf(id);
      }
      case RECORD -> {
        RecordId record = RecordId.readOrNull(call.path("id"));
        yield record == null || record.shard() >= shards ? ANYWHERE : record.shard();
      }
    };
  }

  private boolean isKnown(String id) {
    return catalog.findById(id) != null;
  }

  private int shardOf(String id) {
    Subscription subscription = catalog.findById(id);
    if (subscription == null) {
      return CATALOG;
    }
    return subscription.settings().shards() > 1
        ? ANYWHERE
        : SubscriptionShards.of(subscription, shards).shard(0);
  }
}
