package dev.reprise.cluster.ownership;

import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.intake.IntakeProducer;
import dev.reprise.cluster.log.KafkaTurnLog;
import dev.reprise.cluster.log.OldestRecord;
import dev.reprise.cluster.log.ShardBacklog;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.shard.StandRecord;
import dev.reprise.delivery.store.LogCopy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares what the brokers have accepted for shards, committed or not, with the place that each
 * shard has durably taken, on a thread of its own: so it also reports a shard while the thread of
 * the group is stuck, or while the next record cannot be read.
 *
 * <p>Looks at the shards that this node owns, and at those without an owner. Safe for use by many
 * threads.
 */
public final class StandingShards implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StandingShards.class);

  /** So many partitions are read at a look, for their oldest record. */
  private static final int MAX_READS = 8;

  /** So many looks are remembered: since when a record is there follows from them. */
  private static final int MAX_LOOKS = 30;

  /** The place of a shard of which this node has no copy. */
  private static final long UNKNOWN = Long.MIN_VALUE;

  private static final int LOOK_WAIT_MILLIS = 5000;
  private static final int ASK_WAIT_MILLIS = 1000;

  /** The looks within the time after which a shard stands, and other parts of that time. */
  private static final int LOOKS = 20;

  private static final int PARTS_UNTIL_READ = 12;
  private static final int PARTS_UNMOVED = 6;

  private final KafkaClients clients;
  private final List<Source> sources;
  private final Function<OwnedShard, @Nullable String> intake;
  private final Collection<OwnedShard> owned;
  private final String node;
  private final Supplier<ShardMap> map;
  private final IntFunction<LogCopy> copies;
  private final IntakeProducer producer;
  private final BrokerClock clock;
  private final StandingEvents events;
  private final long standsMillis;
  private final Map<TopicPartition, Progress> known = new ConcurrentHashMap<>();
  private final Map<Integer, Trouble> troubles = new ConcurrentHashMap<>();
  private final ScheduledExecutorService looks =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "reprise-standing");
            thread.setDaemon(true);
            return thread;
          });

  private volatile Ends ends = new Ends(System.nanoTime(), 0, Map.of());
  private volatile @Nullable Admin admin;
  private volatile long silentSinceNanos;
  private volatile boolean closed;

  /** Of the thread that looks alone. */
  private final Deque<Ends> past = new ArrayDeque<>();

  private final Set<Integer> told = new HashSet<>();

  /**
   * A topic with a partition for each shard, which the shard takes in order.
   *
   * @param log which one it is for the shard
   */
  record Source(String topic, IntakeLog log) {}

  /**
   * The ends of partitions.
   *
   * @param askedMillis when they were asked for, by the brokers' clock
   */
  private record Ends(long askedNanos, long askedMillis, Map<TopicPartition, Long> offsets) {}

  /**
   * The place in a partition up to which nothing waits.
   *
   * @param passed what the shard has taken, and what is behind that and nothing to take
   * @param movedNanos when that was first seen
   * @param seenMillis since when what follows is seen there, by the brokers' clock; 0 for nothing
   * @param oldest what follows, as it was last read; null if it was not
   */
  private record Progress(
      long passed,
      long movedNanos,
      long seenMillis,
      @Nullable OldestRecord oldest,
      long readNanos) {}

  /** Why a shard is not at work, and since when that is seen. */
  private record Trouble(String words, long sinceMillis) {}

  /** A part of a shard's backlog, behind a place in one of the topics. */
  private record Part(
      Source source,
      TopicPartition partition,
      long passed,
      long records,
      long sinceMillis,
      boolean atLeast,
      boolean moves) {}

  /** All parts that are known, and the one that waits for the longest time; null for none. */
  private record Parts(long records, @Nullable Part oldest) {}

  /**
   * The shards of a node.
   *
   * @param intake returns why something is not taken in for a shard at work here; null if all is
   */
  StandingShards(
      ClusterSettings settings,
      KafkaClients clients,
      List<Source> sources,
      Function<OwnedShard, @Nullable String> intake,
      Collection<OwnedShard> owned,
      Supplier<ShardMap> map,
      IntFunction<LogCopy> copies,
      IntakeProducer producer,
      BrokerClock clock,
      StandingEvents events) {
    this.events = events;
    this.clients = clients;
    this.sources = List.copyOf(sources);
    this.intake = intake;
    this.owned = owned;
    this.node = settings.node();
    this.map = map;
    this.copies = copies;
    this.producer = producer;
    this.clock = clock;
    this.standsMillis = settings.standsAfter().toMillis();
  }

  void start() {
    admin = clients.admin();
    var unused =
        looks.scheduleWithFixedDelay(this::look, 0, standsMillis / LOOKS, TimeUnit.MILLISECONDS);
  }

  // --- what others ask ---------------------------------------------------------------------

  /** Asks for the ends anew; completes within a second in any case. */
  public CompletableFuture<Void> lookAgain() {
    return ask(ASK_WAIT_MILLIS)
        .orTimeout(ASK_WAIT_MILLIS, TimeUnit.MILLISECONDS)
        .handle((answered, error) -> null);
  }

  /** Returns the phase of a shard that is given to this node. */
  NodeState.Phase phase(OwnedShard shard) {
    if (shard.isLost()) {
      return NodeState.Phase.LOST;
    }
    if (shard.running() == null) {
      return NodeState.Phase.TAKING_OVER;
    }
    return producer.fault() != null || isSilent() || appendsForLong(shard)
        ? NodeState.Phase.WAITING_FOR_BROKERS
        : NodeState.Phase.RUNNING;
  }

  private boolean isSilent() {
    long since = silentSinceNanos;
    return since != 0 && System.nanoTime() - since > nanos(standsMillis / PARTS_UNMOVED);
  }

  private boolean appendsForLong(OwnedShard shard) {
    long since = appendingMillis(shard);
    return since != 0 && clock.nodeMillis() - since > standsMillis / PARTS_UNMOVED;
  }

  private static long appendingMillis(OwnedShard shard) {
    KafkaTurnLog log = shard.log;
    return log == null ? 0 : log.appendingMillis();
  }

  /** Returns what waits for a shard that is given to this node. */
  ShardBacklog backlog(OwnedShard shard) {
    NodeState.Phase phase = phase(shard);
    String words =
        switch (phase) {
          case LOST -> "it can do nothing more at its node until the group has agreed anew";
          case TAKING_OVER -> "its node takes it over";
          case WAITING_FOR_BROKERS ->
              producer.fault() != null || isSilent()
                  ? "the brokers do not answer its node"
                  : "the brokers do not take its turn";
          case RUNNING -> intake.apply(shard);
        };
    return backlog(shard.number, words, appendingMillis(shard));
  }

  /** Returns the shards without an owner, and what waits for them. */
  List<NodeState.Unowned> unowned() {
    return numbersOfUnowned().stream()
        .map(each -> new NodeState.Unowned(each, backlog(each, "no node owns it", 0)))
        .toList();
  }

  private List<Integer> numbersOfUnowned() {
    ShardMap now = map.get();
    List<Integer> numbers = new ArrayList<>();
    for (int shard = 0; shard < now.shards(); shard++) {
      int number = shard;
      ShardMap.Node owner = now.owner(shard);
      // One that has left the group for a while still has the map of before.
      boolean nobody = owner == null || owner.name().equals(node);
      if (nobody && owned.stream().noneMatch(each -> each.number == number)) {
        numbers.add(shard);
      }
    }
    return numbers;
  }

  private ShardBacklog backlog(int shard, @Nullable String words, long turnMillis) {
    Trouble trouble =
        troubles.compute(
            shard,
            (number, before) ->
                words == null
                    ? null
                    : before != null && before.words().equals(words)
                        ? before
                        : new Trouble(words, clock.nodeMillis()));
    Parts parts = parts(shard);
    long records = parts.records();
    Part oldest = parts.oldest();
    String problem = trouble == null ? null : trouble.words();
    long since = trouble == null ? 0 : trouble.sinceMillis();
    if (oldest == null) {
      return new ShardBacklog(records, 0, false, turnMillis, false, problem, since);
    }
    boolean stands = stands(oldest);
    return new ShardBacklog(
        records,
        oldest.sinceMillis(),
        oldest.atLeast(),
        turnMillis,
        stands,
        stands && problem == null ? whyNot(oldest.partition()) : problem,
        stands ? oldest.sinceMillis() : since);
  }

  private Parts parts(int shard) {
    long records = 0;
    Part oldest = null;
    for (Source each : sources) {
      Part part = part(new TopicPartition(each.topic(), shard), each);
      if (part == null) {
        return new Parts(-1, null);
      }
      records += part.records();
      if (part.records() > 0 && (oldest == null || part.sinceMillis() < oldest.sinceMillis())) {
        oldest = part;
      }
    }
    return new Parts(records, oldest);
  }

  private boolean stands(Part part) {
    return !part.moves() && nowMillis() - part.sinceMillis() > standsMillis;
  }

  private String whyNot(TopicPartition partition) {
    Progress progress = known.get(partition);
    OldestRecord oldest = progress == null ? null : progress.oldest();
    if (progress == null || oldest == null) {
      return "it takes nothing of " + partition;
    }
    String at = partition + " at " + (progress.passed() + 1);
    return switch (oldest.kind()) {
      case OPEN -> "a transaction that is open in " + at + " holds up what follows it";
      case UNREADABLE -> at + " cannot be read: the log of its node says why";
      case READABLE, NONE -> at + " can be read, and is not taken";
    };
  }

  /** Returns what waits in a partition; null if that is not known. */
  private @Nullable Part part(TopicPartition partition, Source source) {
    Long end = ends.offsets().get(partition);
    long taken = taken(partition.partition(), source);
    if (end == null || taken == UNKNOWN) {
      return null;
    }
    Progress progress = known.get(partition);
    long passed = progress == null ? taken : Math.max(taken, progress.passed());
    if (end - 1 <= passed) {
      return new Part(source, partition, passed, 0, 0, false, true);
    }
    long records = end - 1 - passed;
    if (progress == null || progress.passed() != passed || progress.seenMillis() == 0) {
      // It has come, or has become the oldest, since the last look.
      return new Part(source, partition, passed, records, nowMillis(), true, true);
    }
    boolean moves =
        System.nanoTime() - progress.movedNanos() <= nanos(standsMillis / PARTS_UNMOVED);
    OldestRecord oldest = progress.oldest();
    return oldest == null || oldest.appendedMillis() <= 0
        ? new Part(source, partition, passed, records, progress.seenMillis(), true, moves)
        : new Part(source, partition, passed, records, oldest.appendedMillis(), false, moves);
  }

  /** Returns the place that is taken, as far as this node has a copy of the shard. */
  private long taken(int shard, Source source) {
    LogCopy copy = copies.apply(shard);
    try {
      // A shard that is at work is whole, also before its first turn, when its copy has nothing.
      return copy.position() <= 0 && !isAtWork(shard)
          ? UNKNOWN
          : Shard.takenUpTo(copy.store(), source.log());
    } catch (RuntimeException e) {
      // The store is being closed, or its disk fails, which is reported elsewhere.
      LOG.debug("the place of shard {} is not read", shard, e);
      return UNKNOWN;
    }
  }

  private boolean isAtWork(int shard) {
    return owned.stream().anyMatch(each -> each.number == shard && each.running() != null);
  }

  /** Returns the present time by the brokers' clock, as far as this node knows it. */
  private long nowMillis() {
    return clock.nodeMillis() - clock.offMillis();
  }

  private static long nanos(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  // --- the thread --------------------------------------------------------------------------

  private CompletableFuture<Ends> ask(int waitMillis) {
    Admin asked = admin;
    CompletableFuture<Ends> answer = new CompletableFuture<>();
    if (asked == null) {
      answer.completeExceptionally(new KafkaException("this node has not begun"));
      return answer;
    }
    Map<TopicPartition, OffsetSpec> wanted = new HashMap<>();
    Set<Integer> shards = new HashSet<>(numbersOfUnowned());
    owned.forEach(each -> shards.add(each.number));
    for (Source source : sources) {
      shards.forEach(
          shard -> wanted.put(new TopicPartition(source.topic(), shard), OffsetSpec.latest()));
    }
    long askedNanos = System.nanoTime();
    long askedMillis = nowMillis();
    if (wanted.isEmpty()) {
      answer.complete(new Ends(askedNanos, askedMillis, Map.of()));
      return answer;
    }
    ListOffsetsResult asking;
    try {
      asking =
          asked.listOffsets(
              wanted,
              new ListOffsetsOptions(IsolationLevel.READ_UNCOMMITTED).timeoutMs(waitMillis));
    } catch (KafkaException | IllegalStateException e) {
      answer.completeExceptionally(e);
      return answer;
    }
    // A partition without a leader is not answered, and keeps the end that was known.
    Map<TopicPartition, Long> answered = new ConcurrentHashMap<>();
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (TopicPartition each : wanted.keySet()) {
      all.add(
          asking
              .partitionResult(each)
              .toCompletionStage()
              .thenAccept(end -> answered.put(each, end.offset()))
              .toCompletableFuture());
    }
    CompletableFuture<Void> done = CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    var unused =
        done.whenComplete(
            (nothing, error) -> {
              if (error != null && answered.isEmpty()) {
                answer.completeExceptionally(error);
                return;
              }
              Map<TopicPartition, Long> offsets = new HashMap<>(ends.offsets());
              offsets.keySet().retainAll(wanted.keySet());
              offsets.putAll(answered);
              Ends now = new Ends(askedNanos, askedMillis, offsets);
              keep(now);
              answer.complete(now);
            });
    return answer;
  }

  /** An answer that is older than one that is known is not kept. */
  private synchronized void keep(Ends now) {
    silentSinceNanos = 0;
    if (now.askedNanos() - ends.askedNanos() >= 0) {
      ends = now;
    }
  }

  private void look() {
    if (closed) {
      return;
    }
    try {
      Ends now = ask(LOOK_WAIT_MILLIS).get();
      past.addLast(now);
      if (past.size() > MAX_LOOKS) {
        past.removeFirst();
      }
      follow(now);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    } catch (ExecutionException e) {
      LOG.debug("the ends of the topics of intake are not known now", e);
      if (silentSinceNanos == 0) {
        silentSinceNanos = System.nanoTime();
      }
    } catch (RuntimeException e) {
      if (!closed) {
        LOG.error("a look at what shards have not taken has failed; the next follows", e);
      }
    }
    try {
      if (!closed) {
        tell();
      }
    } catch (RuntimeException e) {
      // No look would follow one that throws. The store or a client is being closed, mostly.
      if (!closed) {
        LOG.error("shards that stand could not be reported; the next look follows", e);
      }
    }
  }

  private void follow(Ends now) {
    known.keySet().retainAll(now.offsets().keySet());
    int reads = 0;
    try (OldestRecord.Reader reader = new OldestRecord.Reader(clients)) {
      for (Source source : sources) {
        for (TopicPartition each : now.offsets().keySet()) {
          if (!each.topic().equals(source.topic())) {
            continue;
          }
          Progress progress = progress(each, source, now);
          if (progress == null) {
            known.remove(each);
            continue;
          }
          if (isToBeRead(progress) && reads < MAX_READS) {
            reads++;
            progress = read(reader, each, progress);
          }
          known.put(each, progress);
        }
      }
    }
  }

  private @Nullable Progress progress(TopicPartition partition, Source source, Ends now) {
    long taken = taken(partition.partition(), source);
    if (taken == UNKNOWN) {
      return null;
    }
    Progress before = known.get(partition);
    long passed = before == null ? taken : Math.max(taken, before.passed());
    long end = now.offsets().getOrDefault(partition, 0L);
    if (before != null && before.passed() == passed) {
      if (end - 1 > passed && before.seenMillis() != 0) {
        return before;
      }
      long since = end - 1 <= passed ? 0 : seenMillis(partition, passed + 1);
      return new Progress(passed, before.movedNanos(), since, null, 0);
    }
    long seen = end - 1 <= passed ? 0 : seenMillis(partition, passed + 1);
    return new Progress(passed, System.nanoTime(), seen, null, 0);
  }

  /** Returns since when a place is seen to be before the end. */
  private long seenMillis(TopicPartition partition, long place) {
    for (Ends each : past) {
      Long end = each.offsets().get(partition);
      if (end != null && end > place) {
        return each.askedMillis();
      }
    }
    return nowMillis();
  }

  /** Records that wait for some seconds are read, and again later: a transaction may end. */
  private boolean isToBeRead(Progress progress) {
    return progress.seenMillis() != 0
        && nowMillis() - progress.seenMillis() > standsMillis / PARTS_UNTIL_READ
        && (progress.oldest() == null
            || System.nanoTime() - progress.readNanos() > nanos(standsMillis / PARTS_UNMOVED));
  }

  private static Progress read(
      OldestRecord.Reader reader, TopicPartition partition, Progress before) {
    OldestRecord oldest = reader.behind(partition, before.passed());
    long now = System.nanoTime();
    if (oldest != null
        && oldest.kind() == OldestRecord.Kind.UNREADABLE
        && (before.oldest() == null || before.oldest().kind() != oldest.kind())) {
      LOG.warn("{} cannot be read at {}: {}", partition, oldest.passed() + 1, oldest.fault());
    }
    if (oldest == null) {
      return new Progress(
          before.passed(), before.movedNanos(), before.seenMillis(), before.oldest(), now);
    }
    if (oldest.kind() == OldestRecord.Kind.NONE) {
      return new Progress(oldest.passed(), now, 0, null, 0);
    }
    return new Progress(oldest.passed(), before.movedNanos(), before.seenMillis(), oldest, now);
  }

  // --- the log -----------------------------------------------------------------------------

  private void tell() {
    Map<Integer, ShardBacklog> now = new HashMap<>();
    owned.forEach(each -> now.put(each.number, backlog(each)));
    unowned().forEach(each -> now.put(each.shard(), each.backlog()));
    troubles.keySet().retainAll(now.keySet());
    now.forEach(
        (shard, backlog) -> {
          if (backlog.stands() && told.add(shard)) {
            LOG.warn("{}", backlog.sentence(shard));
          } else if (!backlog.stands() && backlog.notTaken() >= 0 && told.remove(shard)) {
            LOG.info("shard {} goes on: {} accepted records wait", shard, backlog.notTaken());
          }
        });
    told.retainAll(now.keySet());
    tellReaders(now);
  }

  private void tellReaders(Map<Integer, ShardBacklog> backlogs) {
    events.retain(backlogs.keySet());
    Map<Integer, OwnedShard> here = new HashMap<>();
    owned.forEach(each -> here.put(each.number, each));
    List<ShardMap.Node> nodes = map.get().nodes();
    boolean isFirst = !nodes.isEmpty() && nodes.get(0).name().equals(node);
    backlogs.forEach(
        (shard, backlog) -> {
          OwnedShard own = here.get(shard);
          if (own != null && isBeingTakenOver(own)) {
            return;
          }
          Part oldest = parts(shard).oldest();
          StandRecord where =
              backlog.stands() && oldest != null && stands(oldest)
                  ? new StandRecord(oldest.source().log(), oldest.passed(), backlog.oldestMillis())
                  : null;
          events.look(
              new StandingEvents.Found(
                  shard,
                  backlog,
                  where,
                  log -> passed(shard, log),
                  StandRecord.read(copies.apply(shard).store()),
                  own == null ? null : own.running(),
                  own != null || isFirst),
              nowMillis());
        });
  }

  /**
   * Whether its state here may be incomplete, not for long: it may note an event that was written.
   */
  private boolean isBeingTakenOver(OwnedShard shard) {
    Trouble trouble = troubles.get(shard.number);
    return shard.running() == null
        && (trouble == null || clock.nodeMillis() - trouble.sinceMillis() < standsMillis);
  }

  /** Returns the place in a log up to which nothing waits; the least number if it is not known. */
  private long passed(int shard, IntakeLog log) {
    for (Source each : sources) {
      if (each.log() == log) {
        Part part = part(new TopicPartition(each.topic(), shard), each);
        return part == null ? UNKNOWN : part.passed();
      }
    }
    return UNKNOWN;
  }

  /** Ends without waiting for a look that is under way. */
  @Override
  public void close() {
    closed = true;
    looks.shutdown();
    Admin asked = admin;
    if (asked != null) {
      asked.close(Duration.ZERO);
    }
  }
}
