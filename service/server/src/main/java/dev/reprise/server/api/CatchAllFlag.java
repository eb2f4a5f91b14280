package dev.reprise.server.api;

import dev.reprise.delivery.catalog.ProjectCatalog;
import dev.reprise.delivery.catalog.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * The flag of subscriptions by which one endpoint gets all messages of many topics: often one that
 * was set up to look at everything, and forgotten.
 */
final class CatchAllFlag {
  static final String NAME = "catch-all";

  /** So many topics are many, however many the project has. */
  private static final int MANY = 3;

  private CatchAllFlag() {}

  /** Returns why a subscription is flagged; null if it is not. */
  static @Nullable String reason(ProjectCatalog catalog, Subscription subscription) {
    int topics = catalog.catchAllTopics(subscription);
    if (topics < 2) {
      return null;
    }
    int all = catalog.topicCount();
    return topics >= MANY || 2 * topics > all
        ? "The endpoint gets every message of "
            + topics
            + " of the project's "
            + all
            + " topics, as its subscriptions have no filter: is it meant to?"
        : null;
  }
}
