package dev.reprise.cluster.log;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads partitions, each from a place that it is given. One with a batch that cannot be read, such
 * as for its checksum or for want of a codec, stands in front of it and is tried again by itself:
 * Kafka's consumer would throw at every poll, and give the records of no other partition.
 *
 * <p>For one thread, except for {@link #standing} and {@link #wakeup}.
 */
public final class PartitionReader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PartitionReader.class);
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** All others wait while what a partition has in this process is looked at. */
  private static final Duration LOOK = Duration.ofMillis(100);

  private static final Duration CLOSE_WAIT = Duration.ofSeconds(1);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final OutOfRange outOfRange;
  private final Map<TopicPartition, Standing> standing = new ConcurrentHashMap<>();

  /** When each of those that stand, and are not read just now, is tried again. */
  private final Map<TopicPartition, Long> tried = new HashMap<>();

  private final Set<TopicPartition> paused = new HashSet<>();

  /** The places behind what was read, also behind what readers are not given. */
  private final Map<TopicPartition, Long> next = new HashMap<>();

  /** Read, and not given to the caller yet. */
  private Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> read = new HashMap<>();

  /**
   * A partition that cannot be read.
   *
   * @param offset where
   * @param reason why, on one line
   * @param sinceMillis since when, in milliseconds of wall time
   */
  public record Standing(long offset, String reason, long sinceMillis) {}

  /** Is notified of a place that a partition does not have; the partition is not read any more. */
  public interface OutOfRange {
    /**
     * A partition was to be read from a place before its beginning or behind its end.
     *
     * @param offset the place
     */
    void at(TopicPartition partition, long offset);
  }

  /**
   * Reads nothing yet.
   *
   * @param consumer belongs to this reader from now on; it resets no places by itself
   */
  public PartitionReader(KafkaConsumer<byte[], byte[]> consumer, OutOfRange outOfRange) {
    this.consumer = consumer;
    this.outOfRange = outOfRange;
  }

  /** Returns the consumer, for questions; only this reader assigns and polls. */
  public KafkaConsumer<byte[], byte[]> consumer() {
    return consumer;
  }

  /** Returns what is read, with what stands. */
  Set<TopicPartition> partitions() {
    Set<TopicPartition> all = new HashSet<>(consumer.assignment());
    all.addAll(standing.keySet());
    return all;
  }

  /**
   * Returns the place behind everything that the last poll has returned, and behind marks of
   * transactions and aborted records that follow it.
   *
   * @return -1 if nothing was read since the partition was begun
   */
  public long next(TopicPartition partition) {
    return next.getOrDefault(partition, -1L);
  }

  /** Returns whether nothing is fetched just now: a poll does not wait. */
  public boolean isIdle() {
    return consumer.assignment().isEmpty();
  }

  /** Returns the partitions that cannot be read. Any thread. */
  public Map<TopicPartition, Standing> standing() {
    return Map.copyOf(standing);
  }

  /** Reads a partition from a place on, wherever it was read before. */
  public void begin(TopicPartition partition, long offset) {
    end(partition);
    add(partition, offset);
  }

  private void add(TopicPartition partition, long offset) {
    Set<TopicPartition> all = new HashSet<>(consumer.assignment());
    all.add(partition);
    consumer.assign(all);
    consumer.seek(partition, offset);
    if (paused.contains(partition)) {
      consumer.pause(List.of(partition));
    }
  }

  /** Reads a partition no more. */
  public void end(TopicPartition partition) {
    standing.remove(partition);
    tried.remove(partition);
    paused.remove(partition);
    read.remove(partition);
    next.remove(partition);
    unassign(partition);
  }

  /** Reads nothing but these any more. */
  public void retain(Collection<TopicPartition> wanted) {
    for (TopicPartition each : partitions()) {
      if (!wanted.contains(each)) {
        end(each);
      }
    }
  }

  /** The consumer forgets all that it has fetched of it. */
  private void unassign(TopicPartition partition) {
    Set<TopicPartition> others = new HashSet<>(consumer.assignment());
    if (others.remove(partition)) {
      consumer.assign(others);
    }
  }

  /** Has records of a partition given, or not for a while. */
  public void pause(TopicPartition partition, boolean wanted) {
    if (wanted == paused.contains(partition)) {
      return;
    }
    if (wanted) {
      paused.add(partition);
    } else {
      paused.remove(partition);
    }
    if (consumer.assignment().contains(partition)) {
      if (wanted) {
        consumer.pause(List.of(partition));
      } else {
        consumer.resume(List.of(partition));
      }
    }
  }

  /**
   * Returns what has come, by partition and in order. Does not wait if nothing is read.
   *
   * @throws KafkaException if it is about all partitions, such as a right that is missing
   */
  public Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> poll(Duration maxWait) {
    tryAgain();
    if (!consumer.assignment().isEmpty()) {
      try {
        take(consumer.poll(maxWait));
        noteWhatIsReadAgain();
      } catch (OffsetOutOfRangeException e) {
        for (Map.Entry<TopicPartition, Long> each : e.offsetOutOfRangePartitions().entrySet()) {
          if (read.containsKey(each.getKey())) {
            // What was read before is given first; the next poll finds the same.
            continue;
          }
          unassign(each.getKey());
          outOfRange.at(each.getKey(), each.getValue());
        }
      } catch (KafkaException | LinkageError e) {
        requireOfOne(e);
        setAside(e);
      }
    }
    Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> now = read;
    read = new HashMap<>();
    return now;
  }

  private void take(ConsumerRecords<byte[], byte[]> records) {
    for (TopicPartition each : records.partitions()) {
      read.computeIfAbsent(each, key -> new ArrayList<>()).addAll(records.records(each));
    }
    records.nextOffsets().forEach((each, place) -> next.put(each, place.offset()));
  }

  /** Throws what is about no single partition. */
  private static void requireOfOne(Throwable error) {
    if (error instanceof WakeupException
        || error instanceof InterruptException
        || error instanceof AuthenticationException
        || error instanceof AuthorizationException) {
      throw (KafkaException) error;
    }
  }

  /** Finds the partition that an error is about: Kafka names it in the text, if at all. */
  private void setAside(Throwable error) {
    List<TopicPartition> named =
        consumer.assignment().stream().filter(each -> isNamed(error, each)).toList();
    if (named.size() == 1) {
      stand(named.get(0), error);
      return;
    }
    Set<TopicPartition> all = Set.copyOf(consumer.assignment());
    Map<TopicPartition, Throwable> found = new HashMap<>();
    try {
      for (TopicPartition each : all) {
        if (!paused.contains(each)) {
          Throwable own = readAlone(each, all);
          if (own != null) {
            found.put(each, own);
          }
        }
      }
    } finally {
      consumer.resume(all.stream().filter(each -> !paused.contains(each)).toList());
    }
    found.forEach(this::stand);
    if (found.isEmpty()) {
      throw error instanceof KafkaException e ? e : new KafkaException(error);
    }
  }

  private static boolean isNamed(Throwable error, TopicPartition partition) {
    String name = partition.toString();
    for (Throwable each = error; each != null; each = each.getCause()) {
      String text = String.valueOf(each.getMessage());
      int at = text.indexOf(name);
      // Of 'in-1' and 'in-12' the second one is not the first one.
      if (at >= 0 && !isDigit(text, at + name.length())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isDigit(String text, int at) {
    return at < text.length() && Character.isDigit(text.charAt(at));
  }

  private @Nullable Throwable readAlone(TopicPartition partition, Set<TopicPartition> all) {
    consumer.pause(all);
    consumer.resume(List.of(partition));
    try {
      take(consumer.poll(LOOK));
      return null;
    } catch (OffsetOutOfRangeException e) {
      // It is met again by the next poll of all.
      return null;
    } catch (KafkaException | LinkageError e) {
      requireOfOne(e);
      return e;
    }
  }

  private void stand(TopicPartition partition, Throwable error) {
    Throwable deepest = error;
    while (deepest.getCause() != null) {
      deepest = deepest.getCause();
    }
    String reason = deepest.getMessage() == null ? deepest.toString() : deepest.getMessage();
    stand(partition, consumer.position(partition), reason);
  }

  /** Has a partition stand, and tries it again later. */
  public void stand(TopicPartition partition, long offset, String reason) {
    Standing before = standing.get(partition);
    boolean isNew = before == null || before.offset() != offset;
    if (isNew) {
      LOG.error(
          "{} cannot be read at {}: {}; it stands there and is tried again, all others go on",
          partition,
          offset,
          reason);
      standing.put(partition, new Standing(offset, reason, System.currentTimeMillis()));
    }
    unassign(partition);
    tried.put(partition, System.nanoTime() + AGAIN_NANOS);
  }

  private void tryAgain() {
    long now = System.nanoTime();
    for (Map.Entry<TopicPartition, Standing> each : standing.entrySet()) {
      Long due = tried.get(each.getKey());
      if (due != null && now - due > 0) {
        tried.remove(each.getKey());
        add(each.getKey(), each.getValue().offset());
      }
    }
  }

  private void noteWhatIsReadAgain() {
    for (Map.Entry<TopicPartition, Standing> each : Map.copyOf(standing).entrySet()) {
      TopicPartition partition = each.getKey();
      if (!tried.containsKey(partition)
          && consumer.position(partition) > each.getValue().offset()) {
        standing.remove(partition);
        LOG.info("{} is read again, from {} on", partition, each.getValue().offset());
      }
    }
  }

  /** Ends a poll that is under way. Any thread. */
  void wakeup() {
    consumer.wakeup();
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(CLOSE_WAIT));
  }
}
