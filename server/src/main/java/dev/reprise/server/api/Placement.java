package dev.reprise.server.api;

import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.SubscriptionShards;
import java.util.Set;

/**
 * Says which node of a cluster answers a request: what only a shard's memory knows, and what it is
 * told to do, its owner; changes of what all shards share, the owner of the first shard, which has
 * the catalog; everything else, whoever is asked. That is so with subscriptions that are spread
 * over several shards as well: the node asks the owners of all of them.
 *
 * <p>A topic or subscription that is not known here may be new. The owner of the catalog knows; if
 * it does not either, there is none.
 */
final class Placement {
  /** Any node. */
  static final int ANYWHERE = -1;

  /** The shard whose owner has the catalog. */
  static final int CATALOG = 0;

  private static final String SUBSCRIPTION = "/v1/subscriptions/{id}";
  private static final String TOPIC = "/v1/topics/{topic}";
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
      int shard = shardOf(call.path("id"));
      return pattern.endsWith("/check") && isKnown(call.path("id")) ? ANYWHERE : shard;
    }
    if (pattern.equals("/v1/deliveries/{id}")) {
      String id = call.path("id");
      int at = id.indexOf('@');
      // Whoever is asked says what an id must be.
      return at < 0 ? ANYWHERE : shardOf(id.substring(at + 1));
    }
    if (pattern.equals("/v1/deliveries")) {
      // Its owner knows which of them are being attempted.
      String id = call.parameters().get("subscription");
      return id == null ? ANYWHERE : shardOf(id);
    }
    if (pattern.startsWith(LAB)) {
      // Runs are in the memory of one node.
      return pattern.equals("/v1/lab/scenarios") ? ANYWHERE : CATALOG;
    }
    if (change.equals("skipRecord")) {
      // Only its owner knows where a shard stands.
      RecordId record = RecordId.readOrNull(call.path("id"));
      return record == null || record.shard() >= shards ? ANYWHERE : record.shard();
    }
    if (change.equals("createBackup")) {
      // Refused, whoever is asked.
      return ANYWHERE;
    }
    if (pattern.startsWith(TOPIC) && call.catalog().find(call.path("topic")) == null) {
      return CATALOG;
    }
    return change.isEmpty() ? ANYWHERE : CATALOG;
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
