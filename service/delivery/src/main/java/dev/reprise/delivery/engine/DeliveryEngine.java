package dev.reprise.delivery.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.MinuteSettings;
import dev.reprise.delivery.Payload;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.ShardTotals;
import dev.reprise.delivery.backup.BackupStream;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.delivery.catalog.CarrierDefinition;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.InvalidRequestException;
import dev.reprise.delivery.catalog.NameChange;
import dev.reprise.delivery.catalog.NotFoundException;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.catalog.Topic;
import dev.reprise.delivery.host.AttemptSender;
import dev.reprise.delivery.host.ClockState;
import dev.reprise.delivery.host.DataFolder;
import dev.reprise.delivery.host.DeliveryListener;
import dev.reprise.delivery.host.EngineClosedException;
import dev.reprise.delivery.host.EngineHost;
import dev.reprise.delivery.host.EngineSettings;
import dev.reprise.delivery.host.FolderFormat;
import dev.reprise.delivery.host.MemoryPlan;
import dev.reprise.delivery.host.ShardOpener;
import dev.reprise.delivery.host.Shards;
import dev.reprise.delivery.host.SteadyClock;
import dev.reprise.delivery.host.SubscriptionShards;
import dev.reprise.delivery.shard.PayloadRecord;
import dev.reprise.delivery.shard.Reply;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.policy.NotificationPolicy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/**
 * Delivery in this process: topics and subscriptions in, attempts out, everything kept in one data
 * folder. What {@link #publish} has acknowledged survives a crash and ends in exactly one state of
 * the {@linkplain Ledger ledger}.
 *
 * <p>Stages complete on a shard's thread: actions that depend on them must not block. Safe for use
 * by many threads.
 */
public final class DeliveryEngine implements AutoCloseable {
  /** The history's bound if none is set: this part of the disk, but no more than this. */
  private static final int HISTORY_PART_OF_DISK = 10;

  /** The same of a bound of the whole store, which nothing else shares. */
  private static final int HISTORY_PART_OF_BOUND = 4;

  private static final long MAX_DEFAULT_HISTORY_BYTES = 4L << 30;

  /** The bound of the figures of minutes: this part of disk or bound, but no more than this. */
  private static final int MINUTES_PART_OF_DISK = 50;

  private static final long MAX_MINUTE_BYTES = 1L << 30;

  /** The memory of a waiting publish beside its payload: its answers, places in lines, records. */
  private static final int MESSAGE_BYTES = 1024;

  private static final Logger LOG = LoggerFactory.getLogger(DeliveryEngine.class);

  private static final long[] NOBODY = {};

  private final EngineHost host;
  private final RocksStore store;
  private final Catalog catalog;
  private final SteadyClock clock;
  private final RandomGenerator messageRandom;
  private final EngineSettings settings;
  private final MemoryPlan memory;
  private final AttemptSender sender;
  private final EngineListener listener;
  private final DeadLetterMover deadLetterMover;
  private final Shards shards;
  private final AtomicLong queuedBytes = new AtomicLong();
  private volatile boolean started;
  private volatile boolean closed;

  /**
   * An engine over an open folder. It takes requests, and does nothing with them before {@link
   * #start}. Closing it closes the folder.
   *
   * @param sender makes the attempts
   * @param listener is notified of what becomes of deliveries
   */
  public DeliveryEngine(DataFolder folder, AttemptSender sender, DeliveryListener listener) {
    this.settings = folder.settings();
    this.host = folder.host();
    this.store = host.store();
    this.clock = host.clock();
    this.messageRandom = () -> ThreadLocalRandom.current().nextLong();
    this.catalog = folder.catalog();
    this.sender = sender;
    int count = host.shardCount();
    tellOfChangedNames();
    this.memory = MemoryPlan.ofThisProcess(count);
    this.deadLetterMover = new DeadLetterMover(this);
    this.listener = new EngineListener(listener, catalog, deadLetterMover::look);
    ShardOpener opener =
        new ShardOpener(
            count,
            catalog,
            memory.bounded(settings.shard()).withHistoryBytes(historyBytes(count)),
            minutes(count),
            clock,
            sender,
            this.listener,
            store::spaceIsShort);
    this.shards = host.shards(catalog, opener, this::forget);
  }

  /**
   * Opens a folder and starts delivering from it, for a program whose sender needs nothing but the
   * catalog.
   *
   * @throws StoreException as {@link DataFolder#open(EngineSettings, boolean)}
   */
  public static DeliveryEngine open(
      EngineSettings settings, Function<Catalog, AttemptSender> senders) {
    DataFolder folder = DataFolder.open(settings, /* clockFromSystem= */ false);
    return started(folder, senders.apply(folder.catalog()));
  }

  /** Returns an engine that delivers from a folder, and has no listener. */
  public static DeliveryEngine started(DataFolder folder, AttemptSender sender) {
    try {
      DeliveryEngine engine = new DeliveryEngine(folder, sender, DeliveryListener.NONE);
      engine.start();
      return engine;
    } catch (RuntimeException | Error e) {
      folder.close();
      throw e;
    }
  }

  /** Starts delivering what is pending. To be called once. */
  public void start() {
    started = true;
    shards.start();
    deadLetterMover.start();
  }

  private void tellOfChangedNames() {
    for (Subscription subscription : catalog.subscriptions()) {
      String held = NameChange.of(subscription.settings());
      if (held != null) {
        LOG.warn("subscription {} is held, and nothing is sent to it: {}", subscription.id(), held);
      }
    }
  }

  private MinuteSettings minutes(int shards) {
    long all = Math.min(MAX_MINUTE_BYTES, bytesInAll() / MINUTES_PART_OF_DISK);
    return new MinuteSettings(MinuteSettings.DEFAULT.keepMillis(), Math.max(1, all / shards));
  }

  private long historyBytes(int shards) {
    long set = settings.shard().historyBytes();
    int part = settings.store().maxBytes() > 0 ? HISTORY_PART_OF_BOUND : HISTORY_PART_OF_DISK;
    long all = set > 0 ? set : Math.min(MAX_DEFAULT_HISTORY_BYTES, bytesInAll() / part);
    return Math.max(1, all / shards);
  }

  /** The bytes that the store may take, or else those of its disk. */
  private long bytesInAll() {
    long bound = settings.store().maxBytes();
    return bound > 0 ? bound : store.diskSizeBytes();
  }

  // --- topics and subscriptions ------------------------------------------------------------

  /** Topics and subscriptions as they are. Changes go through this class. */
  public Catalog catalog() {
    return catalog;
  }

  /**
   * Creates a topic, or gives an existing one this policy.
   *
   * @throws dev.reprise.delivery.catalog.InvalidRequestException if the name cannot name a topic
   */
  public Topic putTopic(String project, String name, NotificationPolicy policy) {
    Topic topic = new Topic(project, Topic.checkName(name), policy, clock.epochMillis());
    return catalog.putTopic(topic, this::configure).topic();
  }

  /** The same in the default project. */
  public Topic putTopic(String name, NotificationPolicy policy) {
    return putTopic(Topic.DEFAULT_PROJECT, name, policy);
  }

  /**
   * Creates a topic that says nothing on retries; one that exists stays as it is.
   *
   * @throws dev.reprise.delivery.catalog.InvalidRequestException if the name cannot name a topic
   */
  public Topic addTopic(String project, String name) {
    NotificationPolicy nothing = new NotificationPolicy(null, null, false);
    Topic topic = new Topic(project, Topic.checkName(name), nothing, clock.epochMillis());
    return catalog.addTopic(topic).topic();
  }

  /** The same in the default project. */
  public Topic addTopic(String name) {
    return addTopic(Topic.DEFAULT_PROJECT, name);
  }

  /** Deletes a topic without subscriptions. */
  public void deleteTopic(String project, String name) {
    catalog.deleteTopic(project, name);
  }

  /** The same in the default project. */
  public void deleteTopic(String name) {
    deleteTopic(Topic.DEFAULT_PROJECT, name);
  }

  /**
   * Creates a subscription; the next publish reaches it.
   *
   * @throws InvalidRequestException if it is to be spread over more shards than there are, or than
   *     its limits can be divided among
   */
  public Subscription subscribe(String project, String topic, SubscriptionSettings settings) {
    if (settings.shards() > shards.count()) {
      throw new InvalidRequestException(
          "shards",
          Integer.toString(settings.shards()),
          "must be at most " + shards.count() + ", the number of shards that there are");
    }
    return catalog.addSubscription(project, topic, settings, clock.epochMillis(), this::configure);
  }

  /** The same in the default project. */
  public Subscription subscribe(String topic, SubscriptionSettings settings) {
    return subscribe(Topic.DEFAULT_PROJECT, topic, settings);
  }

  /** Gives a subscription other settings. They hold from the next decision on. */
  public Subscription changeSubscription(String id, UnaryOperator<SubscriptionSettings> change) {
    Subscription changed = catalog.changeSubscription(id, change, this::configure);
    deadLetterMover.look(changed);
    return changed;
  }

  /** Deletes a subscription; what it still holds is counted as discarded. */
  public void unsubscribe(String id) {
    Subscription subscription = catalog.deleteSubscription(id);
    ShardOpener.remove(shards, subscription);
    forget(subscription.number());
  }

  private void forget(long subscription) {
    sender.forget(subscription);
    listener.unsubscribed(subscription);
  }

  private void configure(Topic topic, Subscription subscription) {
    ShardOpener.configure(shards, topic, subscription);
  }

  // --- carriers ----------------------------------------------------------------------------

  /**
   * A carrier is new, or has other limits. They are shared out over the shards, each of which
   * starts attempts by itself: one of every shard is the least.
   */
  public void limited(CarrierDefinition carrier) {
    for (int i = 0; i < shards.count(); i++) {
      shards.submit(
          i, new ShardInput.ConfigureGroup(ShardOpener.group(carrier, i, shards.count())));
    }
  }

  /** A carrier works again: what waits for it starts at once. */
  public void recovered(String carrier) {
    String group = SubscriptionSettings.groupOf(carrier);
    for (int i = 0; i < shards.count(); i++) {
      shards.submit(i, new ShardInput.Unblock(group));
    }
  }

  /**
   * Lets go on what waits because everything before it was refused alike through a carrier; what is
   * refused from then on counts anew. The stage completes when that is durable in all shards, with
   * whether anything waited for that.
   */
  public CompletionStage<Boolean> resume(String carrier) {
    String group = SubscriptionSettings.groupOf(carrier);
    return askAll(answer -> new ShardInput.Resume(group, answer));
  }

  /**
   * Notes that an operator has acknowledged what was deleted before the shards had taken it in. The
   * stage completes when that is durable in all shards, with whether there was something new.
   */
  public CompletionStage<Boolean> acknowledgeLost() {
    return askAll(ShardInput.AcknowledgeLost::new);
  }

  private CompletionStage<Boolean> askAll(Function<Reply<Boolean>, ShardInput> question) {
    List<CompletableFuture<Boolean>> answers = new ArrayList<>();
    for (int i = 0; i < shards.count(); i++) {
      PendingReply<Boolean> answer = new PendingReply<>();
      answers.add(answer.future);
      shards.submit(i, question.apply(answer));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(done -> answers.stream().anyMatch(CompletableFuture::join));
  }

  /**
   * Returns what waits, in the shards of this process, because everything before it was refused
   * alike; what several shards hold of the same subscription, host or carrier is one.
   */
  public List<RefusalHold> held() {
    Map<String, RefusalHold> sum = new TreeMap<>();
    for (RefusalHold each : shards.held()) {
      sum.merge(each.group() + " " + each.subscription(), each, RefusalHold::plus);
    }
    return List.copyOf(sum.values());
  }

  /**
   * Takes in a carrier's report on a message that it had taken. The stage completes when that is
   * durable, with whether a delivery is known that the report is on. To be called after the outcome
   * of the attempt was given.
   *
   * @param carrier the carrier's name
   */
  public CompletionStage<Boolean> received(String carrier, Receipt receipt) {
    String group = SubscriptionSettings.groupOf(carrier);
    List<CompletableFuture<Boolean>> answers = new ArrayList<>();
    for (int i = 0; i < shards.count(); i++) {
      PendingReply<Boolean> answer = new PendingReply<>();
      answers.add(answer.future);
      shards.submit(
          i,
          new ShardInput.Received(
              group,
              receipt.id(),
              receipt.delivered(),
              receipt.status(),
              receipt.summary(),
              clock.epochMillis(),
              answer));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(done -> answers.stream().anyMatch(CompletableFuture::join));
  }

  // --- messages ----------------------------------------------------------------------------

  /**
   * Accepts a message for every subscription whose filter it passes. The stage completes when the
   * message is durable.
   *
   * @param entry the topic, as it is now
   * @param payload what is delivered
   * @param attributes the payload's attributes, parsed: an object
   * @param idempotencyKey makes a repetition of this publish harmless for a day; null for none
   * @throws OverloadedException if too much is waiting to be made durable
   * @throws EngineClosedException if the engine is stopping
   * @throws StoreException if the disk is full or the store cannot write
   */
  public CompletionStage<PublishReceipt> publish(
      Catalog.Entry entry, Payload payload, JsonNode attributes, @Nullable String idempotencyKey) {
    return publish(entry, payload, attributes, idempotencyKey, /* fromReserve= */ false);
  }

  /**
   * The same for operator events: they are few, and one says that the disk has no more room than
   * its reserve, so they may take of that.
   */
  public CompletionStage<PublishReceipt> publishFromReserve(
      Catalog.Entry entry, Payload payload, JsonNode attributes, String idempotencyKey) {
    return publish(entry, payload, attributes, idempotencyKey, /* fromReserve= */ true);
  }

  private CompletionStage<PublishReceipt> publish(
      Catalog.Entry entry,
      Payload payload,
      JsonNode attributes,
      @Nullable String idempotencyKey,
      boolean fromReserve) {
    Matching.check(entry, payload, attributes);
    byte[] stored = PayloadRecord.encode(payload);
    long queued = (long) stored.length + MESSAGE_BYTES;
    checkRoom(queued, fromReserve);
    queuedBytes.addAndGet(queued);
    CompletionStage<PublishReceipt> done;
    try {
      done = publish(entry, payload, stored, attributes, idempotencyKey);
    } catch (RuntimeException e) {
      queuedBytes.addAndGet(-queued);
      throw e;
    }
    return done.whenComplete((receipt, error) -> queuedBytes.addAndGet(-queued));
  }

  /**
   * The same, to a topic of the default project.
   *
   * @throws NotFoundException if there is no such topic
   */
  public CompletionStage<PublishReceipt> publish(
      String topic, Payload payload, JsonNode attributes, @Nullable String idempotencyKey) {
    return publish(catalog.topic(topic), payload, attributes, idempotencyKey);
  }

  private CompletionStage<PublishReceipt> publish(
      Catalog.Entry entry,
      Payload payload,
      byte[] stored,
      JsonNode attributes,
      @Nullable String idempotencyKey) {
    MessageId fresh = MessageId.create(clock.epochMillis(), messageRandom);
    // Here and not when the key is reserved: that answer comes on a shard's thread.
    List<Subscription> wanting = Matching.wanting(entry, attributes);
    SortedMap<Integer, long[]> byShard = Matching.byShard(wanting, fresh, shards.count());
    if (idempotencyKey == null) {
      return publish(byShard, fresh, stored, /* keyed= */ false);
    }
    String topic = entry.topic().globalName();
    byte[] digest = sha256(topic.getBytes(UTF_8), idempotencyKey.getBytes(UTF_8));
    // A publisher that repeats itself does so in another span of its trace.
    byte[] content = PayloadRecord.encode(payload.withTrace(null));
    long fingerprint = ByteBuffer.wrap(sha256(content)).getLong();
    PendingReply<ShardInput.Reserved> reserved = new PendingReply<>();
    shards.submit(
        Math.floorMod(Arrays.hashCode(digest), shards.count()),
        new ShardInput.Reserve(
            Arrays.copyOf(digest, MessageId.BYTES),
            fingerprint,
            new ShardInput.Keyed(fresh, List.copyOf(byShard.keySet())),
            reserved));
    return reserved.future.thenCompose(key -> publishKeyed(wanting, key, stored));
  }

  /**
   * A repetition goes to the shards that were notified the first time, each of which knows whether
   * it has accepted the message; a shard that has got subscriptions for it since is not among them.
   * The shards of subscriptions that are spread follow from the id of the first time.
   */
  private CompletionStage<PublishReceipt> publishKeyed(
      List<Subscription> wanting, ShardInput.Reserved key, byte[] stored) {
    List<Integer> told =
        key.shards() == null ? IntStream.range(0, shards.count()).boxed().toList() : key.shards();
    if (told.isEmpty()) {
      return CompletableFuture.completedFuture(
          new PublishReceipt(key.message(), 0, key.repeated()));
    }
    SortedMap<Integer, long[]> byShard = Matching.byShard(wanting, key.message(), shards.count());
    SortedMap<Integer, long[]> parts = new TreeMap<>();
    told.forEach(shard -> parts.put(shard, byShard.getOrDefault(shard, NOBODY)));
    CompletionStage<PublishReceipt> done = publish(parts, key.message(), stored, /* keyed= */ true);
    return shards.tellsRepetitions()
        ? done
        : done.thenApply(
            receipt -> new PublishReceipt(receipt.message(), receipt.deliveries(), key.repeated()));
  }

  /**
   * Accepts a message for one subscription, whatever its filter says. The stage completes when the
   * message is durable; with 0 deliveries if the subscription has gone.
   *
   * @param message its id; one that was accepted before, within a day, is not accepted again
   */
  CompletionStage<PublishReceipt> publishTo(
      Subscription subscription, MessageId message, byte[] payload) {
    checkRoom((long) payload.length + MESSAGE_BYTES, /* fromReserve= */ false);
    long[] target = {subscription.number()};
    PendingReply<ShardInput.Accepted> answer = new PendingReply<>();
    submit(
        shardsOf(subscription).shardOf(message),
        new ShardInput.Publish(message, payload, target, /* keyed= */ true, answer));
    return answer.future.thenApply(
        accepted -> new PublishReceipt(message, accepted.deliveries(), accepted.repeated()));
  }

  /** Returns an id for a message of now. */
  MessageId nextMessage() {
    return MessageId.create(clock.epochMillis(), messageRandom);
  }

  private CompletionStage<PublishReceipt> publish(
      SortedMap<Integer, long[]> byShard, MessageId message, byte[] stored, boolean keyed) {
    List<CompletableFuture<ShardInput.Accepted>> answers = new ArrayList<>(byShard.size());
    byShard.forEach(
        (shard, numbers) -> {
          PendingReply<ShardInput.Accepted> answer = new PendingReply<>();
          answers.add(answer.future);
          shards.submit(shard, new ShardInput.Publish(message, stored, numbers, keyed, answer));
        });
    CompletableFuture<Void> all =
        answers.size() == 1
            ? answers.get(0).thenApply(count -> null)
            : CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new));
    return all.thenApply(
        done -> {
          int deliveries = 0;
          boolean repeated = keyed;
          for (CompletableFuture<ShardInput.Accepted> answer : answers) {
            ShardInput.Accepted accepted = answer.join();
            deliveries += accepted.deliveries();
            repeated &= accepted.repeated();
          }
          return new PublishReceipt(message, deliveries, repeated);
        });
  }

  /** Refuses early what could not be made durable: nothing has happened then. */
  private void checkRoom(long bytes, boolean fromReserve) {
    if (closed) {
      throw new EngineClosedException();
    }
    shards.requireRoom(bytes, fromReserve);
    long queued = queuedBytes.get();
    if (queued + bytes > memory.queuedBytes()) {
      throw new OverloadedException(queued);
    }
  }

  // --- deliveries and dead letters ---------------------------------------------------------

  /** Answers questions on a subscription's deliveries without disturbing its shards. */
  public DeliveryReader reader(Subscription subscription) {
    SubscriptionShards its = shardsOf(subscription);
    return its.count() == 1
        ? shards.reader(its.shard(0))
        : new SpreadReader(its, readers(subscription));
  }

  /** Returns the readers of the shards of a subscription, one for each part. */
  public List<DeliveryReader> readers(Subscription subscription) {
    SubscriptionShards its = shardsOf(subscription);
    return IntStream.range(0, its.count())
        .mapToObj(part -> shards.reader(its.shard(part)))
        .toList();
  }

  /** Returns what can be asked for of a subscription's deliveries. */
  public Backlog backlog(Subscription subscription) {
    return new Backlog(this, subscription);
  }

  /** The wall time by which this engine works. */
  public long nowMillis() {
    return clock.epochMillis();
  }

  /** Returns the difference between the clock by which this engine works and the system's. */
  public ClockState clock() {
    return clock.state();
  }

  // --- the whole ---------------------------------------------------------------------------

  /** The readers of all shards: for the ledger and its recount. */
  public List<DeliveryReader> readers() {
    return IntStream.range(0, shards.count()).mapToObj(shards::reader).toList();
  }

  /** The readers of the shards that run in this process. */
  public List<DeliveryReader> readersHere() {
    return IntStream.range(0, shards.count())
        .filter(shards::isHere)
        .mapToObj(shards::reader)
        .toList();
  }

  /** The number of shards. */
  public int shardCount() {
    return shards.count();
  }

  /**
   * Everything that was ever accepted by the shards of this process, subscriptions that were
   * removed included.
   */
  public Ledger ledger() {
    return totalsHere().values().stream()
        .map(ShardTotals::ledger)
        .reduce(Ledger.EMPTY, Ledger::plus);
  }

  /**
   * Returns the totals of the shards in this process, by their readers. A shard that has left and
   * come back has another reader than before.
   */
  public Map<DeliveryReader, ShardTotals> totalsHere() {
    Map<DeliveryReader, ShardTotals> byReader = new HashMap<>();
    for (int shard = 0; shard < shards.count(); shard++) {
      DeliveryReader reader = shards.readerHere(shard);
      if (reader != null) {
        byReader.put(reader, reader.totals());
      }
    }
    return byReader;
  }

  /**
   * Returns a store of its own for what is neither the catalog's nor a shard's.
   *
   * @param number as in {@link RocksStore#view}, behind those of all shards
   */
  public Store view(int number) {
    return host.view(number);
  }

  /** Returns whether the catalog and other views can be written by this process now. */
  public boolean isWritable() {
    return host.isWritable();
  }

  /** Notifies a listener of what other processes write into a view. */
  public void watch(int number, Consumer<List<byte[]>> listener) {
    host.watch(number, listener);
  }

  /** Returns whether a shard runs in this process now. */
  public boolean isHere(int shard) {
    return shards.isHere(shard);
  }

  /** Returns the shards of a subscription. */
  public SubscriptionShards shardsOf(Subscription subscription) {
    return SubscriptionShards.of(subscription, shards.count());
  }

  /** The store, for its figures. */
  public RocksStore store() {
    return store;
  }

  /**
   * Begins a backup: everything as it is at one moment of this call, with all that was accepted
   * before. There is one at a time; closing it gives its space free.
   *
   * @param ended is run when it was closed
   * @throws StoreException if one is under way, if space is short, or if the store cannot write
   */
  public BackupStream backup(Runnable ended) {
    Instant takenAt = Instant.ofEpochMilli(clock.epochMillis());
    Path copy = store.copy();
    try {
      FolderFormat.note(copy);
      return BackupStream.of(
          copy,
          FolderFormat.CURRENT,
          takenAt,
          () -> {
            try {
              store.deleteCopy();
            } finally {
              ended.run();
            }
          });
    } catch (IOException e) {
      store.deleteCopy();
      throw new StoreException("cannot read " + copy + ": " + e, false, e);
    } catch (RuntimeException | Error e) {
      store.deleteCopy();
      throw e;
    }
  }

  /** Attempts under way. */
  public int inFlight() {
    return shards.inFlight();
  }

  /** Why nothing can be accepted just now, for people; null if all is well. */
  public @Nullable String fault() {
    Throwable fault = shards.fault();
    if (fault != null) {
      return String.valueOf(fault.getMessage());
    }
    return closed ? "stopping" : null;
  }

  /**
   * Why a part of this engine has ended for good, for the operator; null as long as none has, and
   * when the engine was closed. It goes on from what is stored when the process is started again,
   * and not before.
   */
  public @Nullable String failure() {
    return closed ? null : shards.failure();
  }

  /** Whether {@link #failure} is that files of the store are damaged, which no restart repairs. */
  public boolean isDamaged() {
    return !closed && shards.isDamaged();
  }

  /**
   * Stops: accepts nothing more, waits for attempts under way as long as the grace allows, and
   * parks what is left, which is attempted again after the next start. What of the grace is left
   * then, but at least 5 s, is for all shards together to store what has ended. So this takes the
   * grace and 5 s at the most, and what the store needs to close.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      deadLetterMover.close();
      if (started) {
        shards.stop(settings.grace());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      store.close();
    }
  }

  /**
   * Returns the part of a limit that belongs to this process: as large as the part of the shards
   * that run here, rounded down, but 1 at the least.
   */
  public int partHere(int limit) {
    int here = shards.countHere();
    return here == shards.count()
        ? limit
        : Math.max(1, (int) ((long) limit * here / shards.count()));
  }

  /** Hands an input to a shard. */
  void submit(int shard, ShardInput input) {
    shards.submit(shard, input);
  }

  /** Returns the reader of a shard. */
  DeliveryReader reader(int shard) {
    return shards.reader(shard);
  }

  private static byte[] sha256(byte[]... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (byte[] part : parts) {
        digest.update(ByteBuffer.allocate(4).putInt(part.length).array());
        digest.update(part);
      }
      return digest.digest();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
