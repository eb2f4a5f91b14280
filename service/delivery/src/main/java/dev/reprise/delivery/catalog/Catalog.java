package dev.reprise.delivery.catalog;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.secret.SecretKeys;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import dev.reprise.delivery.store.StoreException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * All topics and subscriptions, in the store and in memory. A change is durable when the method
 * that makes it returns. Reading is safe for many threads; changes exclude each other.
 */
public final class Catalog {
  static final byte TOPIC = 'T';
  static final byte SUBSCRIPTION = 'S';
  static final byte CARRIER = 'K';
  static final byte[] NEXT_NUMBER = {'N'};

  /** The first part of the names to which secrets of carriers are bound. */
  static final String CARRIER_OWNER = "carrier";

  private final Store store;

  /** The topics of each project, by name. */
  private final Map<String, ConcurrentSkipListMap<String, Entry>> projects =
      new ConcurrentHashMap<>();

  private final Map<Long, Subscription> subscriptions = new ConcurrentHashMap<>();
  private final CatchAlls catchAlls = new CatchAlls();
  private final Map<String, CarrierDefinition> carriers = new ConcurrentSkipListMap<>();
  private long nextNumber = 1;

  /**
   * A topic with its subscriptions, as they were at one moment.
   *
   * @param weight how much work it is to match one value with all filters, in comparisons
   * @param protocols the protocols of the subscriptions
   */
  public record Entry(
      Topic topic, List<Subscription> subscriptions, long weight, Set<Protocol> protocols) {
    static Entry of(Topic topic, List<Subscription> subscriptions) {
      long weight = 0;
      Set<Protocol> protocols = EnumSet.noneOf(Protocol.class);
      for (Subscription subscription : subscriptions) {
        weight += subscription.settings().filter().weight();
        protocols.add(subscription.settings().protocol());
      }
      return new Entry(topic, List.copyOf(subscriptions), weight, Set.copyOf(protocols));
    }

    /** Returns true unless it is a reserved topic without subscriptions. */
    boolean isListed() {
      return !topic.isReserved() || !subscriptions.isEmpty();
    }

    /** Returns true if a subscription wants a message with these attributes. */
    public boolean wants(JsonNode attributes) {
      return subscriptions.stream().anyMatch(s -> s.settings().filter().matches(attributes));
    }
  }

  /** The topic of a subscription, and the project of both. */
  private record Owner(String project, String topic) {
    static Owner of(Subscription subscription) {
      return new Owner(subscription.project(), subscription.topic());
    }
  }

  /** The catalog that {@code store} holds. */
  public Catalog(Store store) {
    this.store = store;
    byte[] next = store.get(NEXT_NUMBER);
    if (next != null) {
      nextNumber = ByteBuffer.wrap(next).getLong();
    }
    try (Store.Cursor cursor = store.range(new byte[] {TOPIC}, new byte[] {TOPIC + 1})) {
      while (cursor.next()) {
        Topic topic = stored("topic", cursor, CatalogDocuments::readTopic);
        topicsOf(topic.project()).put(topic.name(), Entry.of(topic, List.of()));
      }
    }
    Map<Owner, List<Subscription>> byTopic = new HashMap<>();
    try (Store.Cursor cursor =
        store.range(new byte[] {SUBSCRIPTION}, new byte[] {SUBSCRIPTION + 1})) {
      while (cursor.next()) {
        Subscription subscription =
            stored("subscription", cursor, CatalogDocuments::readSubscription);
        subscriptions.put(subscription.number(), subscription);
        catchAlls.add(subscription);
        byTopic
            .computeIfAbsent(Owner.of(subscription), topic -> new ArrayList<>())
            .add(subscription);
      }
    }
    byTopic.forEach((topic, list) -> change(topic, none -> list));
    try (Store.Cursor cursor = store.range(new byte[] {CARRIER}, new byte[] {CARRIER + 1})) {
      while (cursor.next()) {
        CarrierDefinition carrier = stored("carrier", cursor, CatalogDocuments::readCarrier);
        carriers.put(carrier.name(), carrier);
      }
    }
  }

  /**
   * Reads what was accepted once, whatever today's rules are. Without one of them no engine may
   * start: what waits for a subscription that is not there would be discarded.
   */
  private static <T> T stored(String what, Store.Cursor cursor, Function<byte[], T> read) {
    try {
      return read.apply(cursor.value());
    } catch (RuntimeException e) {
      byte[] key = cursor.key();
      String name =
          key[0] != SUBSCRIPTION
              ? "'" + new String(key, 1, key.length - 1, StandardCharsets.UTF_8) + "'"
              : String.valueOf(ByteBuffer.wrap(key).getLong(1));
      throw new StoreException(
          what
              + " "
              + name
              + " is stored in a form that this version cannot read: "
              + e.getMessage()
              + ". Nothing was changed. Start the version that wrote it, or restore the folder from"
              + " a backup",
          false,
          e);
    }
  }

  /**
   * Reads records again that another process, the owner of this catalog, has changed in the store.
   *
   * @param keys the keys that were written; those that are not the catalog's are passed over
   * @param configured is notified of each subscription that is new or has changed, or whose topic
   *     has changed
   * @param removed is notified of each that has gone
   */
  public synchronized void refresh(
      Collection<byte[]> keys,
      BiConsumer<Topic, Subscription> configured,
      Consumer<Subscription> removed) {
    // A topic may come in the same batch as its subscriptions, and its key is the greater one.
    for (byte[] key : keys) {
      if (key.length > 1 && key[0] == TOPIC) {
        refreshTopic(key, configured);
      }
    }
    for (byte[] key : keys) {
      if (key.length == 9 && key[0] == SUBSCRIPTION) {
        refreshSubscription(key, configured, removed);
      } else if (key.length > 1 && key[0] == CARRIER) {
        refreshCarrier(key);
      } else if (Arrays.equals(key, NEXT_NUMBER)) {
        nextNumber = ByteBuffer.wrap(Objects.requireNonNull(store.get(key))).getLong();
      }
    }
  }

  private void refreshTopic(byte[] key, BiConsumer<Topic, Subscription> configured) {
    byte[] stored = store.get(key);
    if (stored == null) {
      String globalName = new String(key, 1, key.length - 1, StandardCharsets.UTF_8);
      projects
          .values()
          .forEach(
              topics ->
                  topics
                      .values()
                      .removeIf(
                          entry ->
                              !entry.topic().isReserved()
                                  && entry.topic().globalName().equals(globalName)));
      return;
    }
    Topic topic = CatalogDocuments.readTopic(stored);
    Map<String, Entry> topics = topicsOf(topic.project());
    Entry before = topics.get(topic.name());
    Entry entry = Entry.of(topic, before == null ? List.of() : before.subscriptions());
    topics.put(topic.name(), entry);
    entry.subscriptions().forEach(subscription -> configured.accept(topic, subscription));
  }

  private void refreshSubscription(
      byte[] key, BiConsumer<Topic, Subscription> configured, Consumer<Subscription> removed) {
    byte[] stored = store.get(key);
    Subscription before = subscriptions.get(ByteBuffer.wrap(key).getLong(1));
    if (before != null) {
      catchAlls.remove(before);
    }
    if (stored == null) {
      if (before != null) {
        subscriptions.remove(before.number());
        change(Owner.of(before), list -> without(list, before));
        removed.accept(before);
      }
      return;
    }
    Subscription subscription = CatalogDocuments.readSubscription(stored);
    // First, so that its shard knows it before a message for it can come.
    configured.accept(of(subscription.project()).topic(subscription.topic()).topic(), subscription);
    subscriptions.put(subscription.number(), subscription);
    catchAlls.add(subscription);
    change(Owner.of(subscription), list -> with(without(list, subscription), subscription));
  }

  private void refreshCarrier(byte[] key) {
    byte[] stored = store.get(key);
    if (stored == null) {
      carriers.remove(new String(key, 1, key.length - 1, StandardCharsets.UTF_8));
    } else {
      CarrierDefinition carrier = CatalogDocuments.readCarrier(stored);
      carriers.put(carrier.name(), carrier);
    }
  }

  /** Does something while nothing of the catalog changes. */
  public synchronized <T> T whileUnchanged(Supplier<T> work) {
    return work.get();
  }

  /** Returns the part of the catalog that belongs to a project, whether it has topics or none. */
  public ProjectCatalog of(String project) {
    return new ProjectCatalog(this, project, topicsOf(project));
  }

  private ConcurrentSkipListMap<String, Entry> topicsOf(String project) {
    return projects.computeIfAbsent(
        project,
        name ->
            new ConcurrentSkipListMap<>(
                Map.of(Topic.OPERATOR, Entry.of(Topic.operator(name), List.of()))));
  }

  /**
   * The topic of a project and its subscriptions; null if there is no such topic. The name of the
   * project may be any text, and leaves nothing behind.
   */
  public @Nullable Entry find(String project, String topic) {
    Map<String, Entry> topics = projects.get(project);
    return topics == null ? null : topics.get(topic);
  }

  /** The topic of the default project and its subscriptions; null if there is no such topic. */
  public @Nullable Entry find(String topic) {
    return of(Topic.DEFAULT_PROJECT).find(topic);
  }

  /** The topic of the default project and its subscriptions. */
  public Entry topic(String name) {
    return of(Topic.DEFAULT_PROJECT).topic(name);
  }

  /** All topics of all projects, reserved ones only if they have subscriptions. */
  public List<Entry> topics() {
    return projects.values().stream()
        .flatMap(topics -> topics.values().stream())
        .filter(Entry::isListed)
        .toList();
  }

  /** The topic of a subscription with all its subscriptions; null if both were deleted. */
  public @Nullable Entry topicOf(Subscription subscription) {
    return of(subscription.project()).find(subscription.topic());
  }

  /** The subscription with this number; null if there is none. */
  public @Nullable Subscription findSubscription(long number) {
    return subscriptions.get(number);
  }

  /** The subscription with this id. */
  public Subscription subscription(String id) {
    Subscription subscription = subscriptions.get(Subscription.numberIn(id));
    if (subscription == null || !subscription.id().equals(id)) {
      throw new NotFoundException("subscription", id);
    }
    return subscription;
  }

  /**
   * The number of topics of its project whose messages all go to the endpoint of a subscription; 0
   * if this one has a filter.
   */
  int catchAllTopics(Subscription subscription) {
    return catchAlls.topicsOf(subscription);
  }

  /** All subscriptions, by number. */
  public List<Subscription> subscriptions() {
    List<Subscription> all = new ArrayList<>(subscriptions.values());
    all.sort((a, b) -> Long.compare(a.number(), b.number()));
    return all;
  }

  /**
   * Creates a topic, or gives an existing one this policy.
   *
   * @param configured is notified of each subscription whose effective policy may have changed
   */
  public synchronized Entry putTopic(Topic topic, BiConsumer<Topic, Subscription> configured) {
    Map<String, Entry> topics = topicsOf(topic.project());
    Entry before = topics.get(topic.name());
    Topic stored = before == null ? topic : before.topic().withPolicy(topic.policy());
    if (before != null) {
      before.subscriptions().forEach(subscription -> SpreadRules.checkTopic(stored, subscription));
    }
    byte[] key = topicKey(stored.globalName());
    write(key, CatalogDocuments.write(stored, store.get(key)));
    Entry entry = Entry.of(stored, before == null ? List.of() : before.subscriptions());
    topics.put(stored.name(), entry);
    entry.subscriptions().forEach(subscription -> configured.accept(stored, subscription));
    return entry;
  }

  /** Creates a topic, unless there is one of this name: that stays as it is. */
  public synchronized Entry addTopic(Topic topic) {
    Entry before = of(topic.project()).find(topic.name());
    return before != null ? before : putTopic(topic, (parent, subscription) -> {});
  }

  /** Deletes a topic that has no subscriptions. */
  public synchronized void deleteTopic(String project, String name) {
    Entry entry = of(project).topic(name);
    if (entry.topic().isReserved()) {
      throw new ConflictException("topic '" + name + "' is reserved: it cannot be deleted");
    }
    if (!entry.subscriptions().isEmpty()) {
      int size = entry.subscriptions().size();
      throw new ConflictException(
          "topic '"
              + name
              + "' has "
              + (size == 1
                  ? "1 subscription: delete it first"
                  : size + " subscriptions: delete them first"));
    }
    Batch batch = new Batch();
    batch.delete(topicKey(entry.topic().globalName()));
    store.write(batch);
    topicsOf(project).remove(name);
  }

  /** A project that has no topics is deleted: so is the policy of its reserved one. */
  public synchronized void forget(String project) {
    Batch batch = new Batch();
    batch.delete(topicKey(Topic.operator(project).globalName()));
    store.write(batch);
    projects.remove(project);
  }

  /**
   * Creates a subscription.
   *
   * @param configured is notified before any publish can see the subscription
   */
  public synchronized Subscription addSubscription(
      String project,
      String topic,
      SubscriptionSettings settings,
      long nowMillis,
      BiConsumer<Topic, Subscription> configured) {
    Topic parent = of(project).topic(topic).topic();
    checkCarrier(settings);
    Subscription subscription = new Subscription(nextNumber, project, topic, settings, nowMillis);
    SpreadRules.check(parent, subscription);
    checkTarget(subscription);
    Batch batch = new Batch();
    batch.put(subscriptionKey(nextNumber), CatalogDocuments.write(subscription, null));
    batch.put(NEXT_NUMBER, ByteBuffer.allocate(8).putLong(nextNumber + 1).array());
    store.write(batch);
    nextNumber++;
    configured.accept(parent, subscription);
    subscriptions.put(subscription.number(), subscription);
    catchAlls.add(subscription);
    change(Owner.of(subscription), list -> with(list, subscription));
    return subscription;
  }

  /**
   * Gives a subscription other settings.
   *
   * @param change makes the new settings of those that hold now; no other change comes between
   * @param configured is notified of the change
   */
  public synchronized Subscription changeSubscription(
      String id,
      UnaryOperator<SubscriptionSettings> change,
      BiConsumer<Topic, Subscription> configured) {
    Subscription before = subscription(id);
    Subscription changed = before.withSettings(change.apply(before.settings()));
    checkCarrier(changed.settings());
    SpreadRules.check(of(changed.project()).topic(changed.topic()).topic(), changed);
    SpreadRules.checkSame(before, changed);
    checkTarget(changed);
    byte[] key = subscriptionKey(changed.number());
    write(key, CatalogDocuments.write(changed, store.get(key)));
    subscriptions.put(changed.number(), changed);
    catchAlls.remove(before);
    catchAlls.add(changed);
    change(Owner.of(changed), list -> with(without(list, changed), changed));
    configured.accept(of(changed.project()).topic(changed.topic()).topic(), changed);
    return changed;
  }

  /** Here, where no carrier is deleted meanwhile. */
  private void checkCarrier(SubscriptionSettings settings) {
    String carrier = settings.carrier();
    if (carrier != null && !carriers.containsKey(carrier)) {
      throw new InvalidRequestException(
          "carrier",
          carrier,
          carriers.isEmpty()
              ? "must be a carrier that exists: there is none"
              : "must be a carrier that exists: " + String.join(", ", carriers.keySet()));
    }
  }

  /** Here, where no subscription is deleted meanwhile; dead letters must not go round for ever. */
  private void checkTarget(Subscription subscription) {
    String first = subscription.settings().deadLetterTarget();
    String target = first;
    while (target != null) {
      Subscription next = findById(target);
      String rule =
          next == null || !next.project().equals(subscription.project())
              ? "must be the id of a subscription of the same project"
              : !next.mayTakeLettersOf(subscription)
                  ? Subscription.APART
                  : next.number() == subscription.number()
                      ? "must not lead back to the subscription itself"
                      : null;
      if (rule != null) {
        throw new InvalidRequestException("deadLetterTarget", String.valueOf(first), rule);
      }
      target = next == null ? null : next.settings().deadLetterTarget();
    }
    if (first != null && subscription.settings().deadLetters() == DeadLetters.DISCARD) {
      throw new InvalidRequestException(
          "deadLetterTarget", first, "must be absent where deadLetters is discard");
    }
  }

  /** The subscription with this id, of whatever project; null if there is none. */
  public @Nullable Subscription findById(String id) {
    Subscription subscription = subscriptions.get(Subscription.numberIn(id));
    return subscription != null && subscription.id().equals(id) ? subscription : null;
  }

  /** Deletes a subscription. */
  public synchronized Subscription deleteSubscription(String id) {
    Subscription subscription = subscription(id);
    subscriptions.values().stream()
        .filter(other -> id.equals(other.settings().deadLetterTarget()))
        .findFirst()
        .ifPresent(
            other -> {
              throw new ConflictException(
                  "subscription '"
                      + id
                      + "' gets the dead letters of '"
                      + other.id()
                      + "': change that one first");
            });
    Batch batch = new Batch();
    batch.delete(subscriptionKey(subscription.number()));
    store.write(batch);
    subscriptions.remove(subscription.number());
    catchAlls.remove(subscription);
    change(Owner.of(subscription), list -> without(list, subscription));
    return subscription;
  }

  /** All carriers, by name. */
  public Collection<CarrierDefinition> carriers() {
    return carriers.values();
  }

  /** The carrier with this name; null if there is none. */
  public @Nullable CarrierDefinition findCarrier(String name) {
    return carriers.get(name);
  }

  /** The names of the carriers among keys of the store. */
  public static List<String> carriersIn(Collection<byte[]> keys) {
    List<String> names = new ArrayList<>();
    for (byte[] key : keys) {
      if (key.length > 1 && key[0] == CARRIER) {
        names.add(new String(key, 1, key.length - 1, StandardCharsets.UTF_8));
      }
    }
    return names;
  }

  /** The carrier with this name. */
  public CarrierDefinition carrier(String name) {
    CarrierDefinition carrier = carriers.get(name);
    if (carrier == null) {
      throw new NotFoundException("carrier", name);
    }
    return carrier;
  }

  /**
   * Creates a carrier, or changes one.
   *
   * @param before the carrier as the caller knows it; null for a new one
   * @throws ConflictException if another change came between
   */
  public synchronized void putCarrier(
      CarrierDefinition carrier, @Nullable CarrierDefinition before) {
    CarrierDefinition now = carriers.get(carrier.name());
    if (before == null && now != null) {
      throw new ConflictException("carrier '" + carrier.name() + "' exists already");
    }
    if (before != null && !before.equals(now)) {
      throw new ConflictException("carrier '" + carrier.name() + "' was changed meanwhile");
    }
    write(carrierKey(carrier.name()), CatalogDocuments.write(carrier));
    carriers.put(carrier.name(), carrier);
  }

  /** Deletes a carrier that no subscription names. */
  public synchronized void deleteCarrier(String name) {
    carrier(name);
    long users =
        subscriptions.values().stream().filter(s -> name.equals(s.settings().carrier())).count();
    if (users > 0) {
      throw new ConflictException(
          "carrier '"
              + name
              + "' is named by "
              + (users == 1 ? "1 subscription" : users + " subscriptions")
              + ": delete or change them first");
    }
    Batch batch = new Batch();
    batch.delete(carrierKey(name));
    store.write(batch);
    carriers.remove(name);
  }

  /**
   * Returns the names of keys under which secrets are encrypted and which are not among these, each
   * with a carrier or a subscription that needs it.
   */
  public Map<String, String> missingKeys(SecretKeys keys) {
    Map<String, String> missing = new TreeMap<>();
    for (CarrierDefinition carrier : carriers.values()) {
      if (carrier.settings() instanceof ObjectNode settings) {
        SecretFields.of(settings, settings.propertyNames(), CARRIER_OWNER)
            .values()
            .forEach(secret -> note(missing, keys, secret, "carrier " + carrier.name()));
      }
    }
    for (Subscription subscription : subscriptions.values()) {
      if (!subscription.settings().http().equals(HttpEndpointSettings.NONE)) {
        CatalogDocuments.secretsOf(subscription.settings())
            .values()
            .forEach(secret -> note(missing, keys, secret, "subscription " + subscription.id()));
      }
    }
    return missing;
  }

  private static void note(
      Map<String, String> missing, SecretKeys keys, String secret, String owner) {
    String id = SecretKeys.idOf(secret);
    if (!keys.has(id)) {
      missing.putIfAbsent(id, owner);
    }
  }

  /**
   * Encrypts every secret again that is not under the current key.
   *
   * @param carrierSecrets gives the secret fields of a kind of carrier
   * @return how many carriers and subscriptions have changed
   */
  public synchronized int rotateSecrets(
      SecretKeys keys, Function<String, Collection<String>> carrierSecrets) {
    int changed = 0;
    for (CarrierDefinition carrier : List.copyOf(carriers.values())) {
      if (carrier.settings().deepCopy() instanceof ObjectNode settings
          && SecretFields.rotate(
              settings, carrierSecrets.apply(carrier.type()), CARRIER_OWNER, keys)) {
        putCarrier(carrier.withSettings(settings), carrier);
        changed++;
      }
    }
    for (Subscription subscription : subscriptions()) {
      SubscriptionSettings settings = CatalogDocuments.rotated(subscription.settings(), keys);
      if (!settings.equals(subscription.settings())) {
        changeSubscription(subscription.id(), before -> settings, (topic, changing) -> {});
        changed++;
      }
    }
    return changed;
  }

  /** Replaces a topic's list at once: a publish sees it as it was, or as it is. */
  private void change(Owner owner, UnaryOperator<List<Subscription>> change) {
    topicsOf(owner.project())
        .computeIfPresent(
            owner.topic(),
            (name, entry) -> Entry.of(entry.topic(), change.apply(entry.subscriptions())));
  }

  private static List<Subscription> with(List<Subscription> list, Subscription added) {
    List<Subscription> longer = new ArrayList<>(list);
    longer.add(added);
    return longer;
  }

  private static List<Subscription> without(List<Subscription> list, Subscription removed) {
    return list.stream().filter(other -> other.number() != removed.number()).toList();
  }

  private void write(byte[] key, byte[] value) {
    Batch batch = new Batch();
    batch.put(key, value);
    store.write(batch);
  }

  static byte[] topicKey(String globalName) {
    byte[] bytes = globalName.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(1 + bytes.length).put(TOPIC).put(bytes).array();
  }

  private static byte[] carrierKey(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(1 + bytes.length).put(CARRIER).put(bytes).array();
  }

  static byte[] subscriptionKey(long number) {
    return ByteBuffer.allocate(9).put(SUBSCRIPTION).putLong(number).array();
  }
}
