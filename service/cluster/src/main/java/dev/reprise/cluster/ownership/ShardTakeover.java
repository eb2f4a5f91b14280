package dev.reprise.cluster.ownership;

import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.ClusterCatalog;
import dev.reprise.cluster.base.ClusterFigures;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.ClusterTopic;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.base.Marker;
import dev.reprise.cluster.base.TopicIds;
import dev.reprise.cluster.intake.IntakeLoss;
import dev.reprise.cluster.intake.OpenIntake;
import dev.reprise.cluster.intake.ShardIntake;
import dev.reprise.cluster.log.Events;
import dev.reprise.cluster.log.Follower;
import dev.reprise.cluster.log.HiddenTurns;
import dev.reprise.cluster.log.KafkaTurnLog;
import dev.reprise.cluster.log.KnownTopics;
import dev.reprise.cluster.log.LogReader;
import dev.reprise.cluster.log.TopicLineage;
import dev.reprise.cluster.log.TopicWatch;
import dev.reprise.cluster.log.Topics;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.host.ShardLoop;
import dev.reprise.delivery.host.ShardOpener;
import dev.reprise.delivery.host.SteadyClock;
import dev.reprise.delivery.host.TurnPace;
import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.shard.ShardReader;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RepeatingStore;
import dev.reprise.delivery.store.ReplicatedStore;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a shard over: its last owner can append nothing more, the copy here has everything, and
 * then the shard goes on. Every step can be repeated.
 */
public final class ShardTakeover {
  private static final Logger LOG = LoggerFactory.getLogger(ShardTakeover.class);

  /** Nothing is left to be done for a shard. */
  static final long ENDED = -1;

  /** Many shards fail at the same moment when brokers go. */
  private static final Backoff AGAIN =
      Backoff.exponential(Duration.ofMillis(150), Duration.ofSeconds(1)).withEqualJitter();

  /** A look costs nothing, and a thousand shards may look. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ClusterSettings settings;
  private final KafkaClients clients;
  private final Topics topics;
  private final TopicWatch topicWatch;
  private final LogReader reader;
  private final List<IntakeLoss> intakeLosses;
  private final BrokerClock brokerClock;
  private final SteadyClock clock;
  private final Follower follower;
  private final ClusterCatalog clusterCatalog;
  private final IntFunction<LogCopy> copies;
  private final Catalog catalog;
  private final ShardOpener opener;
  private final Events events;
  private final OpenIntake openIntake;
  private final ClusterFigures figures;
  private final TurnPace pace;

  public ShardTakeover(
      ClusterSettings settings,
      KafkaClients clients,
      Topics topics,
      TopicWatch topicWatch,
      BrokerClock brokerClock,
      SteadyClock clock,
      Follower follower,
      ClusterCatalog clusterCatalog,
      IntFunction<LogCopy> copies,
      Catalog catalog,
      ShardOpener opener,
      Events events,
      OpenIntake openIntake,
      ClusterFigures figures,
      TurnPace pace) {
    this.settings = settings;
    this.clients = clients;
    this.topics = topics;
    this.topicWatch = topicWatch;
    this.reader = new LogReader(clients, topicWatch);
    this.intakeLosses =
        Arrays.stream(IntakeLog.values())
            .map(each -> new IntakeLoss(clients, topics, each))
            .toList();
    this.brokerClock = brokerClock;
    this.clock = clock;
    this.follower = follower;
    this.clusterCatalog = clusterCatalog;
    this.copies = copies;
    this.catalog = catalog;
    this.opener = opener;
    this.events = events;
    this.openIntake = openIntake;
    this.figures = figures;
    this.pace = pace;
  }

  /**
   * A shard that no other owner writes any more, and whose copy has everything.
   *
   * @param beganNanos when the take-over began
   * @param fencedNanos when the last owner was fenced
   * @param catalogEnd the end of the catalog's log after that
   * @param ofIntake the places that the logs had after that from which the shard takes messages
   */
  record CaughtUp(
      long beganNanos,
      long fencedNanos,
      long catalogEnd,
      Map<IntakeLog, IntakeLoss.Bounds> ofIntake) {}

  /**
   * Takes the shard over, as far as that is possible now. Waits for nothing that may take long: the
   * thread is given back, and {@link OwnedShard} knows how far it has come.
   *
   * @return in how many nanoseconds it is to be called again; {@link #ENDED} for never: the shard
   *     is at work, or was given back, or has failed
   */
  long run(OwnedShard shard) {
    if (!shard.begin()) {
      return ENDED;
    }
    Throwable failure = new IllegalStateException("given back");
    long again = ENDED;
    try {
      again = goOn(shard);
    } catch (KafkaException | StoreException e) {
      // An interruption is an end: whatever was under way has failed by it.
      boolean interrupted = Thread.interrupted();
      dropLogs(shard);
      if (!interrupted && !shard.closing) {
        LOG.warn("shard {} cannot be taken over yet: {}", shard.number, e.getMessage());
        again = AGAIN.delayNanos(++shard.takeoverFailures, ThreadLocalRandom.current());
      }
    } catch (InterruptedException e) {
      // It is given back, or the node closes.
      LOG.debug("the take-over of shard {} was ended", shard.number, e);
    } catch (RuntimeException | Error e) {
      failure = e;
      if (!shard.closing) {
        LOG.error("shard {} cannot be taken over", shard.number, e);
      }
    } finally {
      if (again != ENDED) {
        shard.paused();
      } else {
        if (shard.running() == null) {
          dropLogs(shard);
        }
        shard.ended(failure);
      }
    }
    return again;
  }

  private long goOn(OwnedShard shard) throws InterruptedException {
    CaughtUp reached = shard.caughtUp;
    if (reached == null) {
      reached = take(shard);
      shard.caughtUp = reached;
      shard.takeoverFailures = 0;
    }
    long waitNanos = mustWaitNanos(shard, reached);
    if (waitNanos > 0) {
      return waitNanos;
    }
    begin(shard, reached);
    return ENDED;
  }

  /** Nothing is taken over any more. */
  void close() {
    openIntake.close();
    topicWatch.close();
  }

  private static void dropLogs(OwnedShard shard) {
    shard.caughtUp = null;
    KafkaTurnLog log = shard.log;
    if (log != null) {
      log.abandon();
      shard.log = null;
    }
    KafkaTurnLog ofCatalog = shard.catalogLog;
    if (ofCatalog != null) {
      ofCatalog.abandon();
      shard.catalogLog = null;
    }
  }

  private CaughtUp take(OwnedShard shard) throws InterruptedException {
    long beganNanos = System.nanoTime();
    // Before anything is fenced: it would be the migration.
    requireComplete();
    KafkaTurnLog log = own(topics.shards(), shard.number, events);
    shard.log = log;
    requireOurs(shard);
    long fencedNanos = System.nanoTime();
    TopicPartition partition = new TopicPartition(topics.shards(), shard.number);
    LogCopy copy = copies.apply(shard.number);
    follower.leave(partition);
    try (KafkaConsumer<byte[], byte[]> consumer = clients.consumer("restore-" + shard.number)) {
      new HiddenTurns(clients, log, partition).reveal(consumer);
      catchUp(consumer, partition, copy, keys -> {});
      if (shard.number == 0) {
        takeCatalog(shard, consumer);
      }
      TopicPartition ofCatalog = new TopicPartition(topics.catalog(), 0);
      Map<IntakeLog, IntakeLoss.Bounds> ofIntake = new EnumMap<>(IntakeLog.class);
      for (IntakeLoss each : intakeLosses) {
        ofIntake.put(each.log(), each.bounds(consumer, shard.number));
      }
      return new CaughtUp(beganNanos, fencedNanos, LogReader.end(consumer, ofCatalog), ofIntake);
    }
  }

  /**
   * Returns for how long something must be waited for at the least; 0 for nothing. The catalog is:
   * deliveries of a subscription that is not known here would be taken for those of one that was
   * removed. So is the end of the last owner's lease, unless it wrote that it has ended.
   */
  private long mustWaitNanos(OwnedShard shard, CaughtUp reached) {
    requireOurs(shard);
    if (!clusterCatalog.hasReached(reached.catalogEnd())) {
      return LOOK_NANOS;
    }
    return LogReader.isReleased(copies.apply(shard.number))
        ? 0
        : reached.fencedNanos() + settings.lease().toNanos() - System.nanoTime();
  }

  private void begin(OwnedShard shard, CaughtUp reached) {
    long beganNanos = reached.beganNanos();
    LogCopy copy = copies.apply(shard.number);
    KafkaTurnLog log = Objects.requireNonNull(shard.log);
    requireComplete();
    noteLostIntake(shard.number, copy, reached.ofIntake(), log);
    clock.notBefore(Shard.storedClockMillis(copy.store()));
    log.begin();
    requireOurs(shard);
    RepeatingStore store =
        RepeatingStore.ofReads(new ReplicatedStore(log, copy, brokerClock::brokerMillis));
    ShardLoop loop =
        catalog.whileUnchanged(
            () -> {
              ShardLoop opened = opener.open(shard.number, store, log, pace);
              shard.opening.complete(
                  new OwnedShard.Running(
                      opened,
                      copy,
                      new ShardReader(copy.store()),
                      new ShardIntake(opened::submit, clusterCatalog, openIntake)));
              return opened;
            });
    loop.start();
    if (shard.closing) {
      // The thread that gave it back did not see it begin.
      loop.drain();
      loop.stop();
      return;
    }
    long tookNanos = System.nanoTime() - beganNanos;
    figures.tookOver(tookNanos);
    LOG.info(
        "shard {} is taken over after {} ms",
        shard.number,
        TimeUnit.NANOSECONDS.toMillis(tookNanos));
  }

  /** A node that joined before a migration or a restoration began must not go on without it. */
  private void requireComplete() {
    String unfinished = clusterCatalog.unfinished(settings.prefix());
    if (unfinished != null) {
      throw new StoreException(unfinished, false, null);
    }
  }

  /** Goes on behind what was deleted before the shard had taken it in, and notes that. */
  private void noteLostIntake(
      int shard, LogCopy copy, Map<IntakeLog, IntakeLoss.Bounds> ofIntake, KafkaTurnLog log) {
    KnownTopics known = requireTopicsOf(copy);
    for (IntakeLoss each : intakeLosses) {
      boolean anew = known.isReplaced(ClusterTopic.of(each.log()), topicWatch.ids());
      IntakeLoss.Bounds there = Objects.requireNonNull(ofIntake.get(each.log()));
      IntakeLoss.Gap gap = each.look(there, shard, copy.store(), anew);
      if (gap != null) {
        each.note(
            gap,
            shard,
            new ReplicatedStore(log, copy, brokerClock::brokerMillis),
            brokerClock.nodeMillis());
      }
    }
  }

  /** Its last owner may have had topics that were deleted and made anew since then. */
  private KnownTopics requireTopicsOf(LogCopy copy) {
    topicWatch.requireSame();
    TopicIds before = Marker.topics(copy.store().get(Marker.key()));
    KnownTopics known =
        new KnownTopics(
            before, "the shard's log", () -> TopicLineage.in(clusterCatalog.copy().store()::get));
    String difference = known.difference(topicWatch.ids(), settings.prefix());
    if (difference != null) {
      throw new StoreException(difference, false, null);
    }
    return known;
  }

  private static void requireOurs(OwnedShard shard) {
    if (shard.closing) {
      throw new KafkaException("given back");
    }
  }

  private KafkaTurnLog own(String topic, int partition, @Nullable Events told) {
    KafkaTurnLog log =
        KafkaTurnLog.own(clients, topic, partition, settings.lease(), brokerClock, told);
    log.countInto(figures);
    log.note(topicWatch.ids());
    return log;
  }

  private void catchUp(
      KafkaConsumer<byte[], byte[]> consumer,
      TopicPartition partition,
      LogCopy copy,
      Consumer<List<byte[]>> written) {
    reader.catchUp(consumer, partition, copy, brokerClock.brokerMillis(), written);
  }

  private void takeCatalog(OwnedShard shard, KafkaConsumer<byte[], byte[]> consumer)
      throws InterruptedException {
    KafkaTurnLog log = own(topics.catalog(), 0, null);
    shard.catalogLog = log;
    TopicPartition partition = new TopicPartition(topics.catalog(), 0);
    follower.leave(partition);
    new HiddenTurns(clients, log, partition).reveal(consumer);
    catchUp(consumer, partition, clusterCatalog.copy(), clusterCatalog::changed);
    clusterCatalog.own(new ReplicatedStore(log, clusterCatalog.copy(), brokerClock::brokerMillis));
  }
}
