package dev.reprise.cluster.log;

import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps copies of logs that other nodes write, on a thread of its own. Other threads set what is
 * followed; a log that is not followed any more is not touched once that was answered.
 */
public final class Follower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Follower.class);
  private static final Duration POLL = Duration.ofMillis(500);
  private static final Duration IDLE_LOOK = Duration.ofMillis(25);
  private static final long REFUSED_NANOS = 10_000_000_000L;
  private static final long WHOLE_NANOS = 60_000_000_000L;

  private final PartitionReader reader;
  private final BrokerClock clock;
  private final LogReader.Logs logs;
  private final LogReader logReader;
  private final Map<TopicPartition, Followed> wanted = new ConcurrentHashMap<>();
  private final Queue<CompletableFuture<Void>> settled = new ConcurrentLinkedQueue<>();
  private final Thread thread = new Thread(this::run, "reprise-follower");

  /** The number of records that each copy lacks. */
  private final Map<TopicPartition, Long> lags = new ConcurrentHashMap<>();

  private final Pauses pauses = KafkaClients.pauses();
  private final Pauses idle = Pauses.every(IDLE_LOOK);
  private volatile boolean closed;
  private long wholeNanos = System.nanoTime();

  /** Copies that cannot go on for now, and when each is looked at again. */
  private final Map<TopicPartition, Long> refusedUntil = new HashMap<>();

  /**
   * A log that is followed.
   *
   * @param changed receives the keys that were written, once they are in the copy
   * @param reached receives the position up to which there is nothing more
   */
  private record Followed(LogCopy copy, Consumer<List<byte[]>> changed, LongConsumer reached) {}

  /**
   * Follows nothing yet.
   *
   * @param logs what is known of the topics now
   */
  public Follower(KafkaClients clients, BrokerClock clock, LogReader.Logs logs) {
    this.reader = new PartitionReader(clients.consumer("follower"), this::lookAgain);
    this.clock = clock;
    this.logs = logs;
    this.logReader = new LogReader(clients, logs);
  }

  public void start() {
    thread.start();
  }

  /** Follows a log from its copy's position on; a copy that is too old for that is made anew. */
  public void follow(
      TopicPartition partition,
      LogCopy copy,
      Consumer<List<byte[]>> changed,
      LongConsumer reached) {
    wanted.put(partition, new Followed(copy, changed, reached));
    reader.wakeup();
  }

  /** Follows a log no more. Waits until it is not touched any more. */
  public void leave(TopicPartition partition) {
    wanted.remove(partition);
    lags.remove(partition);
    CompletableFuture<Void> done = new CompletableFuture<>();
    settled.add(done);
    reader.wakeup();
    if (closed) {
      return;
    }
    done.join();
  }

  /** Returns how many records the copy of a log lacks; -1 as long as that is not known. */
  public long lag(TopicPartition partition) {
    return lags.getOrDefault(partition, -1L);
  }

  /** Returns the logs that cannot be read just now. Any thread. */
  Map<TopicPartition, PartitionReader.Standing> standing() {
    return reader.standing();
  }

  /** Returns what is followed. */
  public Set<TopicPartition> followed() {
    return Set.copyOf(wanted.keySet());
  }

  private void run() {
    try {
      while (!closed) {
        try {
          settle();
          step();
          pauses.reset();
        } catch (WakeupException e) {
          // What is wanted has changed.
        } catch (KafkaException e) {
          LOG.warn("the logs of other nodes cannot be read now: {}", e.getMessage());
          pauses.nextUnlessInterrupted();
        } catch (RuntimeException e) {
          LOG.error("a copy could not be written; trying again", e);
          // What was not written is read again.
          reader.retain(Set.of());
          pauses.nextUnlessInterrupted();
        }
      }
    } finally {
      closed = true;
      settled.forEach(done -> done.complete(null));
      reader.close();
    }
  }

  /** Makes the assignment what is wanted, and notifies the threads that wait for that. */
  private void settle() {
    List<CompletableFuture<Void>> waiting = new ArrayList<>();
    for (CompletableFuture<Void> next = settled.poll(); next != null; next = settled.poll()) {
      waiting.add(next);
    }
    Map<TopicPartition, Followed> now = Map.copyOf(wanted);
    reader.retain(now.keySet());
    Set<TopicPartition> still = reader.partitions();
    waiting.forEach(done -> done.complete(null));
    for (TopicPartition each : now.keySet()) {
      if (!still.contains(each)) {
        tryToBegin(each, Objects.requireNonNull(now.get(each)).copy());
      }
    }
  }

  /** A copy that cannot go on is no reason for the others not to. */
  private void tryToBegin(TopicPartition partition, LogCopy copy) {
    Long until = refusedUntil.get(partition);
    if (until != null && System.nanoTime() - until < 0) {
      return;
    }
    try {
      begin(partition, copy);
      refusedUntil.remove(partition);
    } catch (StoreException e) {
      LOG.error("{} is not followed: {}", partition, e.getMessage());
      refusedUntil.put(partition, System.nanoTime() + REFUSED_NANOS);
    }
  }

  private void begin(TopicPartition partition, LogCopy copy) {
    reader.begin(partition, Math.max(0, copy.position()));
    try {
      logReader.begin(reader.consumer(), partition, copy, nowMillis());
    } catch (RuntimeException e) {
      // Nothing is read before it is known from where.
      reader.end(partition);
      throw e;
    }
  }

  /** The log does not have the place of a copy, which may be of another one. */
  private void lookAgain(TopicPartition partition, long offset) {
    LOG.warn("{}: a copy is not of this log at {}; it is looked at again", partition, offset);
    reader.end(partition);
    pauses.nextUnlessInterrupted();
  }

  /** Returns the time by the logs' clock, also if this process has just stood still. */
  private long nowMillis() {
    long brokerMillis = clock.brokerMillis();
    return brokerMillis == 0 || clock.isRight()
        ? Math.max(brokerMillis, clock.nodeMillis())
        : brokerMillis;
  }

  /** Whether nothing was received of a log for so long that deletions may have been missed. */
  private boolean isOld(TopicPartition partition) {
    Followed followed = wanted.get(partition);
    return followed != null
        && nowMillis() - followed.copy().asOfMillis()
            > logs.deletionsKeptMillis(partition.topic()) / 2;
  }

  private void step() {
    if (reader.isIdle()) {
      idle.nextUnlessInterrupted();
    }
    Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> records = reader.poll(POLL);
    if (records.keySet().stream().anyMatch(this::isOld)) {
      // All begin again, so that nothing of this poll is passed over.
      reader.retain(Set.of());
      return;
    }
    records.forEach(
        (partition, part) -> {
          Followed followed = wanted.get(partition);
          if (followed != null) {
            followed.changed().accept(LogReader.apply(followed.copy(), part, nowMillis()));
          }
        });
    KafkaConsumer<byte[], byte[]> consumer = reader.consumer();
    for (TopicPartition each : consumer.assignment()) {
      Followed followed = wanted.get(each);
      if (followed != null) {
        followed.reached().accept(consumer.position(each));
        consumer.currentLag(each).ifPresent(lag -> lags.put(each, lag));
      }
    }
    noteWhole();
  }

  /** Copies of logs to which nothing is appended are whole as well. */
  private void noteWhole() {
    long now = System.nanoTime();
    long brokerMillis = clock.brokerMillis();
    if (now - wholeNanos < WHOLE_NANOS || brokerMillis == 0) {
      return;
    }
    wholeNanos = now;
    for (TopicPartition each : reader.consumer().assignment()) {
      Followed followed = wanted.get(each);
      if (followed != null && reader.consumer().currentLag(each).orElse(1) == 0) {
        followed.copy().isWhole(brokerMillis);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    reader.wakeup();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
