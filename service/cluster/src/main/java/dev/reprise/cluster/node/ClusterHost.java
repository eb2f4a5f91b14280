package dev.reprise.cluster.node;

import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.BrokerClocks;
import dev.reprise.cluster.base.CatalogEnd;
import dev.reprise.cluster.base.ClusterCatalog;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterFigures;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.intake.IntakeLoss;
import dev.reprise.cluster.intake.IntakeProducer;
import dev.reprise.cluster.intake.NodeLoad;
import dev.reprise.cluster.intake.NodePace;
import dev.reprise.cluster.intake.OpenIntake;
import dev.reprise.cluster.log.Events;
import dev.reprise.cluster.log.Follower;
import dev.reprise.cluster.log.LogReader;
import dev.reprise.cluster.log.ShardCopies;
import dev.reprise.cluster.log.TopicWatch;
import dev.reprise.cluster.log.Topics;
import dev.reprise.cluster.log.UnusedCopies;
import dev.reprise.cluster.ownership.NodeState;
import dev.reprise.cluster.ownership.OpenReader;
import dev.reprise.cluster.ownership.OwnedShard;
import dev.reprise.cluster.ownership.Ownership;
import dev.reprise.cluster.ownership.ShardTakeover;
import dev.reprise.cluster.ownership.TopicRecords;
import dev.reprise.cluster.peer.PeerAsks;
import dev.reprise.cluster.peer.PeerClient;
import dev.reprise.cluster.peer.PeerProtocol;
import dev.reprise.delivery.IdempotencyConflictException;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.LostIntake;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.host.EngineHost;
import dev.reprise.delivery.host.ShardOpener;
import dev.reprise.delivery.host.Shards;
import dev.reprise.delivery.host.SteadyClock;
import dev.reprise.delivery.shard.Reply;
import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.shard.StandRecord;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RepeatingStore;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** A node of a cluster, as the surroundings of an engine. */
public final class ClusterHost implements EngineHost {
  /** A node whose clock differs by more from the brokers' owns nothing. */
  public static final long MAX_CLOCK_OFF_MILLIS = BrokerClock.MAX_OFF_MILLIS;

  /** The view of this process' store that has the copy of the catalog. */
  public static final int CATALOG_COPY = RocksStore.MAX_VIEW - 32;

  /** The brokers have answered a moment before. */
  private static final Duration METADATA_WAIT = Duration.ofSeconds(30);

  private final ClusterSettings settings;
  private final RocksStore store;
  private final KafkaClients clients;
  private final Topics topics;
  private final int shards;
  private final TopicWatch topicWatch;
  private final BrokerClock brokerClock;
  private final SteadyClock clock;
  private final ClusterCatalog clusterCatalog;
  private final ShardCopies copies;
  private final ConcurrentMap<Integer, Consumer<List<byte[]>>> watchers = new ConcurrentHashMap<>();
  private final AtomicReference<@Nullable PeerClient> peerClient = new AtomicReference<>();
  private final AtomicReference<@Nullable TopicRecords> records = new AtomicReference<>();
  private final AtomicLong refusedRecords = new AtomicLong();
  private final NodeLoad load = NodeLoad.ofMachine();
  private final IntakeProducer producer;
  private final Follower follower;
  private final Ownership ownership;

  /**
   * Joins a cluster, whose topics are made if there are none. Blocks until the catalog was read.
   *
   * @param store the store of this process, for copies of what the cluster has
   * @throws ClusterException if the topics are not as they must be, or a data folder is being
   *     migrated into the cluster, or another node has the name of this one
   * @throws dev.reprise.delivery.store.StoreException if the folder of the store is not this node's
   * @throws org.apache.kafka.common.KafkaException if the brokers are out of reach
   */
  public ClusterHost(ClusterSettings settings, RocksStore store) {
    this(settings, store, System::currentTimeMillis, System::nanoTime);
  }

  /**
   * A node with other clocks.
   *
   * @param wall in milliseconds of wall time
   * @param ofUnused tells for how long a copy was not used, in nanoseconds
   */
  public ClusterHost(
      ClusterSettings settings, RocksStore store, LongSupplier wall, LongSupplier ofUnused) {
    this.brokerClock = new BrokerClock(wall);
    this.clock = new SteadyClock(wall, System::nanoTime, 0);
    this.settings = settings;
    this.store = store;
    this.clients = new KafkaClients(settings);
    this.topics = new Topics(settings.prefix());
    LogCopy ofCatalog = new LogCopy(store.view(CATALOG_COPY));
    try (Admin admin = clients.admin()) {
      NodeName.awaitFree(admin, settings);
      NodeFolder folder = new NodeFolder(store, clients, topics, settings);
      this.shards = folder.join(admin, ofCatalog);
      this.topicWatch = new TopicWatch(clients, topics, settings.prefix(), topics.ids(admin));
      topicWatch.look(admin);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while the cluster was being joined", e);
    }
    this.copies = new ShardCopies(store, shards);
    this.clusterCatalog = new ClusterCatalog(ofCatalog);
    try (KafkaConsumer<byte[], byte[]> consumer = clients.consumer("catalog")) {
      new LogReader(clients, topicWatch)
          .catchUp(
              consumer,
              new TopicPartition(topics.catalog(), 0),
              clusterCatalog.copy(),
              System.currentTimeMillis(),
              keys -> {});
    }
    String unfinished = clusterCatalog.unfinished(settings.prefix());
    if (unfinished != null) {
      throw new ClusterException(unfinished, null);
    }
    // What has threads of its own comes last: a host that could not be made leaves nothing behind.
    this.producer = new IntakeProducer(clients, topics.in(), brokerClock, clusterCatalog, load);
    try {
      producer.prepare(METADATA_WAIT);
    } catch (RuntimeException e) {
      producer.close();
      throw e;
    }
    this.follower = new Follower(clients, brokerClock, topicWatch);
    this.ownership =
        new Ownership(
            settings,
            clients,
            topics,
            brokerClock,
            follower,
            clusterCatalog,
            copies,
            new UnusedCopies(copies, ofUnused),
            producer);
  }

  @Override
  public RocksStore store() {
    return store;
  }

  @Override
  public int shardCount() {
    return shards;
  }

  @Override
  public Store view(int number) {
    return RepeatingStore.ofReads(clusterCatalog.view(number));
  }

  @Override
  public SteadyClock clock() {
    return clock;
  }

  @Override
  public boolean isWritable() {
    return clusterCatalog.isOwned();
  }

  @Override
  public void watch(int number, Consumer<List<byte[]>> listener) {
    watchers.put(number, listener);
  }

  /** Sets what carries requests to other nodes; without it only what is here can be read. */
  public void callBy(PeerClient client) {
    peerClient.set(client);
  }

  /**
   * Answers a request of another node.
   *
   * @throws ClusterException if it is none that this version understands
   */
  public CompletionStage<byte[]> answer(byte[] request) {
    PeerProtocol.Request asked = PeerProtocol.decode(request);
    OwnedShard.Running here = ownership.running(asked.shard());
    if (here == null) {
      return CompletableFuture.completedFuture(PeerProtocol.elsewhere());
    }
    PeerProtocol.Report report = asked.report();
    if (report != null) {
      return tellAll(report);
    }
    if (asked.kind() == PeerProtocol.ASK) {
      CompletableFuture<byte[]> answer = new CompletableFuture<>();
      here.loop().submit(PeerAsks.decode(asked.from(), answer));
      return answer;
    }
    ShardInput.Keyed proposed = asked.proposed();
    if (proposed == null) {
      return CompletableFuture.completedFuture(PeerProtocol.answerFrom(here.copy().store(), asked));
    }
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    here.loop()
        .submit(
            new ShardInput.Reserve(
                asked.from(), asked.fingerprint(), proposed, new ReservedReply(answer)));
    return answer;
  }

  private CompletionStage<byte[]> tellAll(PeerProtocol.Report report) {
    List<CompletableFuture<Boolean>> answers = new ArrayList<>();
    for (OwnedShard.Running each : ownership.running()) {
      CompletableFuture<Boolean> answer = new CompletableFuture<>();
      answers.add(answer);
      each.loop().submit(report.input(new KnownReply(answer)));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .handle(
            (done, error) ->
                error == null
                    ? PeerProtocol.known(answers.stream().anyMatch(CompletableFuture::join))
                    : PeerProtocol.elsewhere());
  }

  private record KnownReply(CompletableFuture<Boolean> answer) implements Reply<Boolean> {
    @Override
    public void complete(Boolean known) {
      answer.complete(known);
    }

    @Override
    public void fail(Throwable error) {
      answer.completeExceptionally(error);
    }
  }

  private record ReservedReply(CompletableFuture<byte[]> answer)
      implements Reply<ShardInput.Reserved> {
    @Override
    public void complete(ShardInput.Reserved reserved) {
      answer.complete(PeerProtocol.reserved(reserved));
    }

    @Override
    public void fail(Throwable error) {
      if (error instanceof IdempotencyConflictException conflict) {
        answer.complete(PeerProtocol.conflict(conflict));
      } else {
        answer.complete(PeerProtocol.elsewhere());
      }
    }
  }

  /**
   * Returns how many records, of applications or stray, were no messages and were passed over since
   * this node has begun. Each is an event as well.
   */
  public long refusedRecords() {
    return refusedRecords.get();
  }

  /** Returns the place in the topic of applications up to which each shard here has passed it. */
  public Map<Integer, Long> openPlaces() {
    Map<Integer, Long> places = new TreeMap<>();
    for (int shard = 0; shard < shards; shard++) {
      OwnedShard.Running here = ownership.running(shard);
      if (here != null) {
        places.put(shard, Shard.openTakenUpTo(here.copy().store()));
      }
    }
    return places;
  }

  /** Returns what each copy of a shard here remembers of having stood. */
  public Map<Integer, StandRecord> stands() {
    Map<Integer, StandRecord> stands = new TreeMap<>();
    for (int shard = 0; shard < shards; shard++) {
      StandRecord stand = StandRecord.read(copies.apply(shard).store());
      if (stand != null) {
        stands.put(shard, stand);
      }
    }
    return stands;
  }

  /**
   * Returns single records of the topics from which shards take messages.
   *
   * @throws IllegalStateException if the node has not begun
   */
  public TopicRecords records() {
    TopicRecords known = records.get();
    if (known == null) {
      throw new IllegalStateException("the node has not begun");
    }
    return known;
  }

  /** Returns the name of this node. */
  public String node() {
    return settings.node();
  }

  /** Returns the settings of this node. */
  public ClusterSettings settings() {
    return settings;
  }

  /** Returns this node as it sees itself. */
  public NodeState state() {
    return ownership.state();
  }

  /** Returns the clocks of the brokers, as this node sees them. */
  public BrokerClocks brokerClocks() {
    return new BrokerClocks(
        brokerClock.furthestMillis(),
        brokerClock.wrongBrokers().stream().map(BrokerClock.WrongBroker::problem).toList());
  }

  /** Returns the position of each copy of a shard that is in the store of this node. */
  public Map<Integer, Long> copies() {
    return copies.positions();
  }

  public TopicWatch topicWatch() {
    return topicWatch;
  }

  /**
   * Returns what was deleted of a log before the shards at work here had taken it in, by shard,
   * where no operator has acknowledged it.
   */
  public Map<Integer, LostIntake> lostIntake(IntakeLog log) {
    Map<Integer, LostIntake> all = new TreeMap<>();
    for (int shard = 0; shard < shards; shard++) {
      OwnedShard.Running here = ownership.running(shard);
      LostIntake lost = here == null ? LostIntake.NONE : here.reader().lostIntake(log);
      if (!lost.acknowledged()) {
        all.put(shard, lost);
      }
    }
    return all;
  }

  /** Returns what an operator has to do something about although this node is well. */
  public List<String> problems() {
    List<String> problems = new ArrayList<>(topicFaults());
    for (IntakeLog log : IntakeLog.values()) {
      lostIntake(log)
          .forEach(
              (shard, lost) ->
                  problems.add(
                      lost.message(topic(log) + "-" + shard)
                          + ". Once that is known: ./reprise cluster acknowledge"));
    }
    return problems;
  }

  /** Returns the name of the topic that is one of the logs from which shards take messages. */
  public String topic(IntakeLog log) {
    return topics.of(log);
  }

  /** Returns the settings of topics that endanger data, each with the way to correct it. */
  public List<String> topicFaults() {
    return topicWatch.faults();
  }

  /**
   * Asks the brokers anew what they have accepted for shards, so that {@link #state} knows of
   * whatever was accepted before this call. Completes within a second, also if they do not answer.
   */
  public CompletionStage<Void> lookAgain() {
    return ownership.standing().lookAgain();
  }

  /** Returns whether this is the node that reports shards without an owner. */
  public boolean tellsOfUnowned() {
    List<ShardMap.Node> nodes = map().nodes();
    return !nodes.isEmpty() && nodes.get(0).name().equals(settings.node());
  }

  /** Returns the counts of this node. */
  public ClusterFigures figures() {
    return ownership.figures();
  }

  /**
   * Returns how short processor time is on this machine: 0 while nothing waits for company, 1 while
   * turns and requests are as far apart as they may be.
   */
  public double pressure() {
    return load.pressure(System.nanoTime());
  }

  /** Returns the owners of all shards, as the group last agreed. */
  public ShardMap map() {
    return ownership.map();
  }

  @Override
  public Shards shards(Catalog catalog, ShardOpener opener, LongConsumer deleted) {
    Events events = new Events(topics, catalog);
    OpenReader openReader =
        new OpenReader(
            () -> clients.consumer("open"),
            topics.open(),
            shards,
            ownership::running,
            openIntake(catalog, events),
            new IntakeLoss(clients, topics, IntakeLog.OPEN));
    return new ClusterShards(
        shards,
        store,
        producer,
        ownership,
        follower,
        openReader,
        peerClient::get,
        all -> start(all, catalog, opener, deleted, events, openReader));
  }

  private void start(
      ClusterShards all,
      Catalog catalog,
      ShardOpener opener,
      LongConsumer deleted,
      Events events,
      OpenReader openReader) {
    clusterCatalog.tell(
        new ClusterCatalog.Listener() {
          @Override
          public void changed(int number, List<byte[]> keys) {
            if (number == 0) {
              refresh(catalog, keys, all, deleted);
            }
            Consumer<List<byte[]>> watcher = watchers.get(number);
            if (watcher != null) {
              watcher.accept(keys);
            }
          }

          @Override
          public Catalog catalog() {
            return catalog;
          }
        });
    follower.start();
    ownership.followCatalog();
    ownership.start(
        new ShardTakeover(
            settings,
            clients,
            topics,
            topicWatch,
            brokerClock,
            clock,
            follower,
            clusterCatalog,
            copies,
            catalog,
            opener,
            events,
            openIntake(catalog, events),
            ownership.figures(),
            new NodePace(Runtime.getRuntime().availableProcessors(), load, System.nanoTime())));
    topicWatch.start(ownership::fail);
    ownership.alsoTroubledBy(openReader::unreadable);
    records.set(new TopicRecords(clients, topics, catalog, ownership::running));
    openReader.start();
  }

  /** One for each thread that takes messages of applications to shards. */
  private OpenIntake openIntake(Catalog catalog, Events events) {
    return new OpenIntake(
        catalog,
        clusterCatalog,
        new CatalogEnd(clients::admin, topics.catalog()),
        producer,
        events,
        shards,
        refusedRecords);
  }

  private void refresh(
      Catalog catalog, List<byte[]> keys, ClusterShards all, LongConsumer deleted) {
    catalog.refresh(
        keys,
        (topic, subscription) -> ShardOpener.configure(all, topic, subscription),
        removed -> {
          ShardOpener.remove(all, removed);
          deleted.accept(removed.number());
        });
  }
}
