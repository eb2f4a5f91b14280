package dev.reprise.delivery.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The topics and subscriptions of one project. Those of others are as if they did not exist. Shows
 * the state of each moment, and is safe for use by many threads.
 */
public final class ProjectCatalog {
  private final Catalog catalog;
  private final String project;
  private final Map<String, Catalog.Entry> topics;

  ProjectCatalog(Catalog catalog, String project, Map<String, Catalog.Entry> topics) {
    this.catalog = catalog;
    this.project = project;
    this.topics = topics;
  }

  /** Returns the name of the project. */
  public String project() {
    return project;
  }

  /** Returns the topic and its subscriptions; null if there is no such topic. */
  public Catalog.@Nullable Entry find(String topic) {
    return topics.get(topic);
  }

  /** Returns the topic and its subscriptions. */
  public Catalog.Entry topic(String name) {
    Catalog.Entry entry = topics.get(name);
    if (entry == null) {
      throw new NotFoundException("topic", name);
    }
    return entry;
  }

  /** Returns all topics by name, the reserved one only if it has subscriptions. */
  public Collection<Catalog.Entry> topics() {
    return topics.values().stream().filter(Catalog.Entry::isListed).toList();
  }

  /** Returns the number of topics without the reserved one, which no client has created. */
  public int topicCount() {
    return topics.size() - 1;
  }

  /** Returns the subscription with this number; null if there is none. */
  public @Nullable Subscription findSubscription(long number) {
    Subscription subscription = catalog.findSubscription(number);
    return subscription != null && subscription.project().equals(project) ? subscription : null;
  }

  /** Returns the subscription with this id; null if the project has none. */
  public @Nullable Subscription findSubscription(String id) {
    Subscription subscription = findSubscription(Subscription.numberIn(id));
    return subscription != null && subscription.id().equals(id) ? subscription : null;
  }

  /** Returns the subscription with this id. */
  public Subscription subscription(String id) {
    Subscription subscription = findSubscription(id);
    if (subscription == null) {
      throw new NotFoundException("subscription", id);
    }
    return subscription;
  }

  /** Returns all subscriptions, by number. */
  public List<Subscription> subscriptions() {
    List<Subscription> all = new ArrayList<>();
    topics.values().forEach(topic -> all.addAll(topic.subscriptions()));
    all.sort(Comparator.comparingLong(Subscription::number));
    return all;
  }

  /**
   * Returns the number of topics whose messages all go to the endpoint of a subscription, by this
   * and others without a filter; 0 if this one has a filter.
   */
  public int catchAllTopics(Subscription subscription) {
    return catalog.catchAllTopics(subscription);
  }

  /** Returns the number of subscriptions. */
  public int subscriptionCount() {
    return topics.values().stream().mapToInt(topic -> topic.subscriptions().size()).sum();
  }
}
