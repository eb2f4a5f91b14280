package dev.reprise.server.api;

import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.SubscriptionShards;
import java.util.Set;

/**
 * Says which node of a cluster answers a request: what only a shard's memory knows, and what it is
 * told to do, its owner; changes of what all shards share, the owner of the first shard, which has
 * the catalog; everything else, whoever is asked. That is so with subscriptions that are spread over
 * several shards as well: the node asks the owners of all of them.
 */
final class Placement {
  /** Any node. */
  static final int ANYWHERE = -1;

  /** The shard whose owner has the catalog. */
  static final int CATALOG = 0;

  private static final String SUBSCRIPTION = "/v1/subscriptions/{id}";
  private static final String LAB = "/v1/lab/";

  /** The changes of a subscription that are changes of the catalog. */
  private static final Set<String> OF_CATALOG =
      Set.of(
          "changeSubscription", "changeSubscriptionByPost", "unsubscribe", "changeSigningSecret");

  private final Catalog catalog;
  private final int shards;

  Placement(Catalog catalog, int shards) {
    this.catalog = catalog;
    this.shards = shards;
  }

  /** Returns the shard whose owner answers, or {@link #ANYWHERE}. */
  int shardOf(Route route, Call call) {
    String pattern = route.pattern();
    String change = route.use().change();
    if (pattern.startsWith(SUBSCRIPTION) && !OF_CATALOG.contains(change)) {
      return pattern.endsWith("/check") ? ANYWHERE : shardOf(call.path("id"));
    }
    if (pattern.equals("/v1/deliveries/{id}")) {
      String id = call.path("id");
      return shardOf(id.substring(id.indexOf('@') + 1));
    }
    if (pattern.startsWith(LAB)) {
      // Runs are in the memory of one node.
      return pattern.equals("/v1/lab/scenarios") ? ANYWHERE : CATALOG;
    }
    return change.isEmpty() ? ANYWHERE : CATALOG;
  }

  private int shardOf(String id) {
    Subscription subscription = catalog.findById(id);
    // Whoever is asked says that there is none.
    if (subscription == null || subscription.settings().shards() > 1) {
      return ANYWHERE;
    }
    return SubscriptionShards.of(subscription, shards).shard(0);
  }
}
