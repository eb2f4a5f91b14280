package dev.reprise.cluster.ownership;

import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.BrokerRefusals;
import dev.reprise.cluster.base.ClusterCatalog;
import dev.reprise.cluster.base.ClusterFigures;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.group.MemberInfo;
import dev.reprise.cluster.group.Membership;
import dev.reprise.cluster.group.ShardAssignor;
import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.intake.IntakeLoss;
import dev.reprise.cluster.intake.IntakeProducer;
import dev.reprise.cluster.log.Follower;
import dev.reprise.cluster.log.KafkaTurnLog;
import dev.reprise.cluster.log.PartitionReader;
import dev.reprise.cluster.log.ShardCopies;
import dev.reprise.cluster.log.Topics;
import dev.reprise.cluster.log.UnusedCopies;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.host.ShardLoop;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The member of the cluster's group: takes over the shards that the group gives to this node, feeds
 * them with what was accepted for them, and gives them back. All of that on one thread, beside
 * which take-overs run on some others.
 *
 * <p>A shard that was lost although the group still gives it to this node is taken over again only
 * after the group has agreed anew: a node that was away for a while would else fence its successor.
 */
public final class Ownership implements Membership, ConsumerRebalanceListener {
  private static final Logger LOG = LoggerFactory.getLogger(Ownership.class);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final int CLOSING_THREADS = 16;
  private static final Duration UNSUBSCRIBED_LOOK = Duration.ofMillis(500);
  private static final Duration DRAINED_LOOK = Duration.ofMillis(10);

  /** All shards wait for it. */
  private static final Duration ANSWER_WAIT = Duration.ofSeconds(2);

  private static final long REJOIN_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long WHOLE_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** The time that a shard which is given to another node has to end its attempts. */
  private static final Duration HANDOVER_GRACE = Duration.ofSeconds(2);

  /** The time that shards have to store what has ended; so long again if the brokers are away. */
  private static final Duration STORE_GRACE = Duration.ofSeconds(4);

  /** The time to leave the group. */
  private static final Duration LEAVE_WAIT = Duration.ofSeconds(3);

  private final ClusterSettings settings;
  private final Topics topics;

  /** The member of the group; it fetches nothing. */
  private final KafkaConsumer<byte[], byte[]> consumer;

  private final IntakeLoss intakeLoss;

  /** Fetches what was accepted for the shards here. */
  private final PartitionReader reader;

  private final BrokerClock brokerClock;
  private final Follower follower;
  private final ClusterCatalog clusterCatalog;
  private final ShardCopies copies;
  private final UnusedCopies unusedCopies;
  private final IntakeProducer producer;
  private final Map<Integer, OwnedShard> owned = new ConcurrentHashMap<>();
  private final Takeovers takeovers = new Takeovers();
  private final ExecutorService closers = pool(CLOSING_THREADS, "reprise-closing");
  private final Thread thread = new Thread(this::run, "reprise-member");

  private final ClusterFigures figures = new ClusterFigures();
  private final StandingShards standing;
  private volatile Supplier<Map<Integer, String>> openTroubles = Map::of;
  private volatile ShardMap map = ShardMap.EMPTY;
  private volatile List<Integer> followed = List.of();
  private volatile boolean closing;
  private volatile Duration grace = HANDOVER_GRACE;
  private volatile @Nullable Throwable failure;
  private volatile boolean clockIsWrong;
  private boolean subscribed;
  private boolean brokersAway;
  private Set<Integer> wrongBrokers = Set.of();
  private final BrokerRefusals refusals;
  private long rejoinedNanos = System.nanoTime();
  private long wholeNanos = System.nanoTime();

  /** Set once, before the thread begins. */
  private @Nullable ShardTakeover takeover;

  public Ownership(
      ClusterSettings settings,
      KafkaClients clients,
      Topics topics,
      BrokerClock brokerClock,
      Follower follower,
      ClusterCatalog clusterCatalog,
      ShardCopies copies,
      UnusedCopies unusedCopies,
      IntakeProducer producer) {
    this.settings = settings;
    this.refusals = new BrokerRefusals(settings);
    this.topics = topics;
    this.brokerClock = brokerClock;
    this.follower = follower;
    this.clusterCatalog = clusterCatalog;
    this.copies = copies;
    this.unusedCopies = unusedCopies;
    this.producer = producer;
    this.intakeLoss = new IntakeLoss(clients, topics, IntakeLog.IN);
    this.standing =
        new StandingShards(
            settings,
            clients,
            List.of(
                new StandingShards.Source(topics.in(), IntakeLog.IN),
                new StandingShards.Source(topics.open(), IntakeLog.OPEN)),
            this::trouble,
            owned.values(),
            () -> map,
            copies,
            producer,
            brokerClock,
            new StandingEvents(topics.events(), producer));
    this.consumer = clients.member(ShardAssignor.class, this);
    this.reader = new PartitionReader(clients.consumer("reader"), this::findPlace);
  }

  private static ExecutorService pool(int threads, String name) {
    return Executors.newFixedThreadPool(
        threads,
        work -> {
          Thread thread = new Thread(work, name);
          thread.setDaemon(true);
          return thread;
        });
  }

  public void start(ShardTakeover how) {
    takeover = how;
    thread.start();
    standing.start();
  }

  // --- what others ask ---------------------------------------------------------------------

  /** Returns a shard at work here; null if it is not. */
  public OwnedShard.@Nullable Running running(int shard) {
    OwnedShard own = owned.get(shard);
    return own == null ? null : own.running();
  }

  /** Returns all shards at work here. */
  public List<OwnedShard.Running> running() {
    List<OwnedShard.Running> all = new ArrayList<>();
    for (OwnedShard each : owned.values()) {
      OwnedShard.Running now = each.running();
      if (now != null) {
        all.add(now);
      }
    }
    return all;
  }

  /** Returns the owner of a shard, as the group last agreed; null if there is none. */
  public ShardMap.@Nullable Node owner(int shard) {
    ShardMap now = map;
    return shard < now.shards() ? now.owner(shard) : null;
  }

  public ShardMap map() {
    return map;
  }

  public ClusterFigures figures() {
    return figures;
  }

  public NodeState state() {
    List<NodeState.Owned> own = new ArrayList<>();
    for (OwnedShard each : owned.values()) {
      KafkaTurnLog log = each.log;
      boolean held = log != null && log.isHeld();
      own.add(new NodeState.Owned(each.number, standing.phase(each), held, standing.backlog(each)));
    }
    own.sort(Comparator.comparingInt(NodeState.Owned::shard));
    List<NodeState.Followed> copies = new ArrayList<>();
    for (int shard : followed) {
      if (!owned.containsKey(shard)) {
        TopicPartition log = new TopicPartition(topics.shards(), shard);
        copies.add(new NodeState.Followed(shard, follower.lag(log)));
      }
    }
    return new NodeState(own, copies, standing.unowned(), brokerClock.offMillis());
  }

  public StandingShards standing() {
    return standing;
  }

  /** Returns why this node owns nothing just now; a shard that stands is no fault of the node. */
  public @Nullable Throwable fault() {
    return clockIsWrong ? new StoreException(clockFault(), false, null) : null;
  }

  private String clockFault() {
    return "the clock of this node differs from the brokers' by "
        + brokerClock.offMillis()
        + " ms, and "
        + BrokerClock.MAX_OFF_MILLIS
        + " ms are allowed: it owns no shards until that is mended";
  }

  /** Returns why something is not taken in for a shard at work here; null if all is. */
  private @Nullable String trouble(OwnedShard shard) {
    OwnedShard.Running now = shard.running();
    StoreException fault = now == null ? null : now.intake().fault();
    if (fault != null) {
      return fault.getMessage();
    }
    TopicPartition partition = new TopicPartition(topics.in(), shard.number);
    PartitionReader.Standing stands = reader.standing().get(partition);
    return stands == null
        ? openTroubles.get().get(shard.number)
        : String.format(
            Locale.ROOT,
            "%s cannot be read at %d: %s",
            partition,
            stands.offset(),
            stands.reason());
  }

  /** From now on the troubles that this returns, by number of shard, count as well. */
  public void alsoTroubledBy(Supplier<Map<Integer, String>> more) {
    openTroubles = more;
  }

  /** Ends this node for good: it owns nothing any more, and logs why. Any thread. */
  public void fail(StoreException why) {
    LOG.error("this node ends: {}", why.getMessage());
    failure = why;
    owned.values().forEach(OwnedShard::abandon);
    closing = true;
    consumer.wakeup();
  }

  /** Returns why this node has ended for good; null as long as it has not. */
  public @Nullable String failure() {
    Throwable now = failure;
    return now == null ? null : "the member of the cluster has failed: " + now.getMessage();
  }

  // --- the group ---------------------------------------------------------------------------

  @Override
  public MemberInfo self() {
    return new MemberInfo(settings.node(), settings.url(), copies.positions());
  }

  @Override
  public void assigned(ShardMap agreed, List<Integer> toFollow) {
    map = agreed;
    followed = toFollow;
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> fresh) {
    consumer.pause(fresh);
    // The place is in the shard's state, and sought once the shard is at work.
    fresh.forEach(each -> consumer.seek(each, 0));
    // The group has just agreed, so what was lost may be taken over again as well.
    for (TopicPartition each : consumer.assignment()) {
      OwnedShard before = owned.get(each.partition());
      if (before != null && before.isLost()) {
        figures.lost(1);
        close(List.of(before), Duration.ZERO);
        before = null;
      }
      if (before == null) {
        consumer.pause(List.of(each));
        OwnedShard shard = new OwnedShard(each.partition());
        owned.put(shard.number, shard);
        takeovers.begin(shard, Objects.requireNonNull(takeover));
      }
    }
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
    close(shards(revoked), grace);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> lost) {
    LOG.warn(
        "this node was away from the cluster for too long and has lost {} shards", lost.size());
    figures.lost(lost.size());
    List<OwnedShard> shards = shards(lost);
    shards.forEach(OwnedShard::abandon);
    close(shards, Duration.ZERO);
  }

  private List<OwnedShard> shards(Collection<TopicPartition> partitions) {
    List<OwnedShard> shards = new ArrayList<>();
    for (TopicPartition each : partitions) {
      OwnedShard shard = owned.get(each.partition());
      if (shard != null) {
        shards.add(shard);
      }
    }
    return shards;
  }

  /** Ends shards here. When this returns, none of them appends anything or starts an attempt. */
  private void close(List<OwnedShard> shards, Duration maxGrace) {
    // A take-over ends soon, and one that has just succeeded is stopped below.
    shards.forEach(OwnedShard::giveBack);
    List<ShardLoop> loops = loops(shards);
    loops.forEach(ShardLoop::drain);
    try {
      Pauses pauses = Pauses.every(DRAINED_LOOK).within(maxGrace);
      while (loops.stream().anyMatch(each -> each.inFlight() > 0) && pauses.next()) {
        // Attempts are under way.
      }
      // What has ended is stored, of all shards at the same time: the brokers may be away.
      loops.forEach(ShardLoop::stop);
      long giveUp = System.nanoTime() + STORE_GRACE.toNanos();
      CompletableFuture<?>[] ends =
          shards.stream()
              .map(each -> CompletableFuture.runAsync(() -> end(each, giveUp), closers))
              .toArray(CompletableFuture[]::new);
      if (!settles(ends, STORE_GRACE)) {
        // Appends that wait for the brokers fail by this.
        shards.forEach(OwnedShard::abandon);
        if (!settles(ends, STORE_GRACE)) {
          LOG.warn("shards were given back before they had ended");
        }
      }
    } catch (InterruptedException e) {
      shards.forEach(OwnedShard::abandon);
      Thread.currentThread().interrupt();
    }
    for (OwnedShard each : shards) {
      if (each.number == 0) {
        clusterCatalog.disown();
      }
      owned.remove(each.number, each);
    }
  }

  private static List<ShardLoop> loops(List<OwnedShard> shards) {
    List<ShardLoop> loops = new ArrayList<>();
    for (OwnedShard each : shards) {
      OwnedShard.Running now = each.running();
      if (now != null) {
        loops.add(now.loop());
      }
    }
    return loops;
  }

  private static boolean settles(CompletableFuture<?>[] all, Duration maxWait)
      throws InterruptedException {
    try {
      CompletableFuture.allOf(all).get(maxWait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      LOG.error("a shard was not given back in order", e.getCause());
    }
    return true;
  }

  private static void end(OwnedShard shard, long giveUpNanos) {
    try {
      if (shard.awaitOpening(giveUpNanos - System.nanoTime())) {
        endOpened(shard, giveUpNanos);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    shard.closeLogs();
  }

  private static void endOpened(OwnedShard shard, long giveUpNanos) throws InterruptedException {
    OwnedShard.Running now = shard.running();
    KafkaTurnLog log = shard.log;
    if (now == null || log == null) {
      return;
    }
    now.loop().drain();
    now.loop().stop();
    if (now.loop().awaitEnd(giveUpNanos - System.nanoTime()) && !log.hasEnded()) {
      release(log);
    }
  }

  private static void release(KafkaTurnLog log) {
    try {
      log.release(System.currentTimeMillis());
    } catch (StoreException e) {
      LOG.info("a shard is given back without notice: {}", e.getMessage());
    }
  }

  // --- the thread --------------------------------------------------------------------------

  private void run() {
    Pauses pauses = KafkaClients.pauses();
    Pauses unsubscribed = Pauses.every(UNSUBSCRIBED_LOOK);
    try {
      while (!closing) {
        try {
          step(unsubscribed);
          pauses.reset();
        } catch (WakeupException e) {
          // Closing.
        } catch (AuthenticationException | AuthorizationException e) {
          LOG.error("the cluster does not admit this node: {}", e.getMessage());
          refusals.add(e, System.nanoTime());
          pauses.nextUnlessInterrupted();
        } catch (KafkaException e) {
          LOG.warn("the cluster is out of reach: {}", e.getMessage());
          pauses.nextUnlessInterrupted();
        }
      }
    } catch (RuntimeException | Error e) {
      LOG.error("the member of the cluster has failed", e);
      failure = e;
      owned.values().forEach(OwnedShard::abandon);
    } finally {
      leave();
    }
  }

  private void step(Pauses unsubscribed) {
    producer.probe(this::takesWhatComes);
    tellOfBrokers();
    judgeClock();
    if (!subscribed) {
      unsubscribed.nextUnlessInterrupted();
      return;
    }
    var unused = consumer.poll(reader.isIdle() ? POLL : Duration.ZERO);
    reader
        .poll(POLL)
        .forEach(
            (partition, records) -> {
              OwnedShard.Running now = running(partition.partition());
              if (now != null) {
                now.intake().add(records);
              }
            });
    feed();
    followWhatIsToBeFollowed();
    if (!brokersAway) {
      figures.dropped(unusedCopies.look(this::isElsewhere));
    }
    rejoinIfLost();
    noteWhole();
  }

  private boolean takesWhatComes(int shard) {
    OwnedShard own = owned.get(shard);
    return own != null && own.running() != null && !standing.backlog(own).stands();
  }

  /** Kafka's clients say nothing of brokers that are away, but try again. */
  private void tellOfBrokers() {
    StoreException fault = producer.fault();
    if ((fault != null) != brokersAway) {
      brokersAway = fault != null;
      if (fault != null) {
        LOG.warn("{}; trying again", fault.getMessage());
      } else {
        LOG.info("the brokers answer again");
      }
    }
  }

  /** Logs the brokers whose clocks are wrong; no shard moves because of them. */
  private void tellOfBrokerClocks() {
    Set<Integer> now = new HashSet<>();
    for (BrokerClock.WrongBroker each : brokerClock.wrongBrokers()) {
      now.add(each.id());
      if (!wrongBrokers.contains(each.id())) {
        LOG.warn("{}: the shards stay where they are; set that clock", each.problem());
      }
    }
    for (int before : wrongBrokers) {
      if (!now.contains(before)) {
        LOG.info("the clock of broker {} does not differ any more", before);
      }
    }
    wrongBrokers = now;
  }

  private void judgeClock() {
    tellOfBrokerClocks();
    boolean wrong = !brokerClock.isRight();
    if (wrong && !clockIsWrong) {
      LOG.error("{}", clockFault());
    }
    clockIsWrong = wrong;
    if (wrong == subscribed) {
      if (wrong) {
        consumer.unsubscribe();
      } else if (brokerClock.brokerMillis() != 0) {
        consumer.subscribe(List.of(topics.in()), this);
      } else {
        return;
      }
      subscribed = !wrong;
    }
  }

  private void feed() {
    Set<TopicPartition> fed = new HashSet<>();
    for (OwnedShard each : owned.values()) {
      OwnedShard.Running now = each.running();
      TopicPartition partition = new TopicPartition(topics.in(), each.number);
      if (now == null || each.closing || !consumer.assignment().contains(partition)) {
        continue;
      }
      fed.add(partition);
      if (!each.fetching && now.intake().isEmpty()) {
        // The shard has what came up to a place, and is given what comes behind it.
        reader.begin(partition, Shard.takenUpTo(now.copy().store()) + 1);
        each.fetching = true;
      }
      now.intake().pump();
      reader.pause(partition, !now.intake().hasRoom());
    }
    reader.retain(fed);
  }

  /** The brokers do not have the place from which a shard is to be fed. */
  private void findPlace(TopicPartition partition, long offset) {
    try {
      List<TopicPartition> asked = List.of(partition);
      long beginning =
          Objects.requireNonNull(
              reader.consumer().beginningOffsets(asked, ANSWER_WAIT).get(partition));
      long end =
          Objects.requireNonNull(reader.consumer().endOffsets(asked, ANSWER_WAIT).get(partition));
      if (offset < beginning) {
        OwnedShard.Running now = running(partition.partition());
        if (now != null) {
          now.intake()
              .addGap(
                  () -> intakeLoss.note(now.loop(), partition.partition(), offset, beginning - 1));
        }
        reader.begin(partition, beginning);
      } else if (offset > end) {
        reader.stand(
            partition,
            offset,
            String.format(
                Locale.ROOT,
                "the topic ends at %d, and everything before %d was taken: it was made anew or cut"
                    + " off",
                end,
                offset));
      } else {
        reader.begin(partition, offset);
      }
    } catch (KafkaException e) {
      reader.stand(partition, offset, String.valueOf(e.getMessage()));
    }
  }

  private void followWhatIsToBeFollowed() {
    Set<TopicPartition> now = new HashSet<>(follower.followed());
    Set<TopicPartition> wanted = new HashSet<>();
    for (int shard : followed) {
      if (!owned.containsKey(shard)) {
        wanted.add(new TopicPartition(topics.shards(), shard));
      }
    }
    TopicPartition catalog = new TopicPartition(topics.catalog(), 0);
    if (!owned.containsKey(0)) {
      wanted.add(catalog);
    }
    for (TopicPartition each : wanted) {
      if (!now.contains(each)) {
        if (each.equals(catalog)) {
          followCatalog();
        } else {
          follower.follow(each, copies.apply(each.partition()), keys -> {}, position -> {});
        }
      }
    }
    for (TopicPartition each : now) {
      if (!wanted.contains(each) && !each.equals(catalog)) {
        follower.leave(each);
      }
    }
  }

  /** Whether a shard is another node's, and this one is to have no part in it. */
  private boolean isElsewhere(int shard) {
    ShardMap.Node owner = owner(shard);
    return owner != null
        && !owner.name().equals(settings.node())
        && !owned.containsKey(shard)
        && !followed.contains(shard);
  }

  /** Follows the catalog, which another node writes. */
  public void followCatalog() {
    follower.follow(
        new TopicPartition(topics.catalog(), 0),
        clusterCatalog.copy(),
        clusterCatalog::changed,
        clusterCatalog::reached);
  }

  private void rejoinIfLost() {
    if (owned.values().stream().anyMatch(OwnedShard::isLost)
        && System.nanoTime() - rejoinedNanos > REJOIN_NANOS) {
      rejoinedNanos = System.nanoTime();
      consumer.enforceRebalance("a shard was lost");
    }
  }

  private void noteWhole() {
    long now = System.nanoTime();
    if (now - wholeNanos > WHOLE_NANOS && brokerClock.brokerMillis() != 0) {
      wholeNanos = now;
      for (OwnedShard.Running each : running()) {
        each.copy().isWhole(brokerClock.brokerMillis());
      }
    }
  }

  private void leave() {
    // Gives the shards back first, and then leaves the group.
    close(List.copyOf(owned.values()), grace);
    try {
      consumer.close(CloseOptions.timeout(LEAVE_WAIT));
    } catch (RuntimeException e) {
      LOG.warn("the cluster was not left in order: {}", e.getMessage());
    }
    reader.close();
    standing.close();
    takeovers.close();
    closers.shutdown();
    Objects.requireNonNull(takeover).close();
  }

  /** Gives all shards back and leaves the group. */
  public boolean stop(Duration maxGrace) throws InterruptedException {
    grace = maxGrace;
    closing = true;
    consumer.wakeup();
    thread.join();
    return true;
  }
}
