package dev.reprise.delivery.catalog;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import dev.reprise.policy.NotificationPolicy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * Makes a whole catalog of what could be read of a damaged one. Nothing that may have been deleted
 * comes back unless something that is there needs it, and nothing is sent to an endpoint that may
 * have been another one.
 */
public final class CatalogSalvage {
  /** The topic of subscriptions whose own is not known. */
  public static final String TOPIC = "salvaged";

  /** Numbers that may have been given to subscriptions of which nothing is left. */
  private static final long UNKNOWN_NUMBERS = 1000;

  /** Nothing ever answers under this name (RFC 6761, 6.4). */
  private static final String NOWHERE = "https://salvaged.invalid/";

  private final Store store;
  private final long nowMillis;
  private final Map<Long, Subscription> subscriptions = new HashMap<>();
  private final Map<Long, String> held = new TreeMap<>();
  private final Set<String> notes = new TreeSet<>();
  private final Batch batch = new Batch();

  private CatalogSalvage(Store store, long nowMillis) {
    this.store = store;
    this.nowMillis = nowMillis;
  }

  /**
   * The catalog as it is now.
   *
   * @param existing the numbers of the subscriptions that there are
   * @param held those to which nothing may be sent until they have been checked, each with why
   * @param notes what an operator has to look at, a line each
   */
  public record Result(Set<Long> existing, Map<Long, String> held, Set<String> notes) {}

  /**
   * Makes the catalog whole.
   *
   * @param store has the records, those that are uncertain included
   * @param uncertain of which records a newer version or a deletion may be lost, by key
   * @param wanted the numbers of the subscriptions of which the shards have records, each with over
   *     how many shards it must be spread so that those are among them
   * @param mayBeLost whether a record that is not there may have been in a damaged part
   */
  public static Result run(
      Store store,
      Predicate<byte[]> uncertain,
      Map<Long, Integer> wanted,
      Predicate<byte[]> mayBeLost,
      long nowMillis) {
    return new CatalogSalvage(store, nowMillis).run(uncertain, wanted, mayBeLost);
  }

  private Result run(
      Predicate<byte[]> uncertain, Map<Long, Integer> wanted, Predicate<byte[]> mayBeLost) {
    readSubscriptions(uncertain);
    wanted.forEach(
        (number, shards) -> {
          if (!subscriptions.containsKey(number)
              && mayBeLost.test(Catalog.subscriptionKey(number))) {
            replace(number, shards);
          }
        });
    keepNamed(Catalog.TOPIC, uncertain, this::namesOfTopics, "topic");
    keepNamed(Catalog.CARRIER, uncertain, this::namesOfCarriers, "carrier");
    addTopics();
    setNextNumber(wanted, mayBeLost);
    store.write(batch);
    return new Result(Set.copyOf(subscriptions.keySet()), held, notes);
  }

  private void readSubscriptions(Predicate<byte[]> uncertain) {
    try (Store.Cursor cursor =
        store.range(new byte[] {Catalog.SUBSCRIPTION}, new byte[] {Catalog.SUBSCRIPTION + 1})) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        Subscription subscription = CatalogDocuments.readSubscription(cursor.value());
        subscriptions.put(subscription.number(), subscription);
        if (uncertain.test(key)) {
          held.put(
              subscription.number(),
              "salvage: its settings may be older ones, or it was deleted: look at them, then"
                  + " release it");
        }
      }
    }
  }

  /** Its messages are there, and must not be discarded for want of its settings. */
  private void replace(long number, int shards) {
    Subscription lost =
        new Subscription(
            number, TOPIC, SubscriptionSettings.of(NOWHERE).withShards(shards), nowMillis);
    subscriptions.put(number, lost);
    batch.put(Catalog.subscriptionKey(number), CatalogDocuments.write(lost, null));
    held.put(
        number,
        "salvage: its settings were in a damaged part of the store: give it its endpoint, then"
            + " release it");
    notes.add(
        "the settings of subscription number "
            + number
            + " are lost; it is now "
            + lost.id()
            + ", suspended, and has its deliveries");
  }

  private interface Names {
    Set<String> used();
  }

  private Set<String> namesOfTopics() {
    Set<String> used = new HashSet<>();
    subscriptions.values().forEach(each -> used.add(globalTopic(each)));
    return used;
  }

  private Set<String> namesOfCarriers() {
    Set<String> used = new HashSet<>();
    for (Subscription each : subscriptions.values()) {
      String carrier = each.settings().carrier();
      if (carrier != null) {
        used.add(carrier);
      }
    }
    return used;
  }

  /** A name that is used cannot have been deleted; for others this is not known. */
  private void keepNamed(byte kind, Predicate<byte[]> uncertain, Names names, String what) {
    Set<String> used = names.used();
    Set<String> there = new HashSet<>();
    try (Store.Cursor cursor = store.range(new byte[] {kind}, new byte[] {(byte) (kind + 1)})) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (key.length < 2) {
          continue;
        }
        String name = new String(key, 1, key.length - 1, StandardCharsets.UTF_8);
        there.add(name);
        if (uncertain.test(key)) {
          boolean kept = used.contains(name);
          if (!kept) {
            batch.delete(key);
          }
          notes.add(
              what
                  + " "
                  + name
                  + (kept
                      ? " may have older settings than it had: look at them"
                      : " is left out: it may have been deleted, and no subscription uses it"));
        }
      }
    }
    if (kind == Catalog.CARRIER) {
      used.removeAll(there);
      used.forEach(name -> notes.add("carrier " + name + " is lost: make it again"));
    }
  }

  /** Without its topic a subscription would be taken for a removed one, and be discarded. */
  private void addTopics() {
    Set<String> made = new HashSet<>();
    for (Subscription each : subscriptions.values()) {
      byte[] key = Catalog.topicKey(globalTopic(each));
      if (each.isOfOperator() || store.get(key) != null || !made.add(globalTopic(each))) {
        continue;
      }
      Topic topic =
          new Topic(
              each.project(), each.topic(), new NotificationPolicy(null, null, false), nowMillis);
      batch.put(key, CatalogDocuments.write(topic, null));
      if (!each.topic().equals(TOPIC)) {
        notes.add("the policy of topic " + each.topic() + " is lost: give it again");
      }
    }
  }

  private static String globalTopic(Subscription subscription) {
    return Topic.globalName(subscription.project(), subscription.topic());
  }

  /** No number is given twice. */
  private void setNextNumber(Map<Long, Integer> wanted, Predicate<byte[]> mayBeLost) {
    byte[] stored = store.get(Catalog.NEXT_NUMBER);
    long next = stored == null ? 1 : ByteBuffer.wrap(stored).getLong();
    for (long number : subscriptions.keySet()) {
      next = Math.max(next, number + 1);
    }
    for (long number : wanted.keySet()) {
      next = Math.max(next, number + 1);
    }
    if (mayBeLost.test(Catalog.NEXT_NUMBER)) {
      next += UNKNOWN_NUMBERS;
    }
    batch.put(Catalog.NEXT_NUMBER, ByteBuffer.allocate(8).putLong(next).array());
  }
}
