package dev.reprise.cluster.log;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.MigrationMark;
import dev.reprise.delivery.store.Batch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Reads and writes the partitions into which a data folder is migrated. */
public final class MigrationLog {
  /** A transaction costs some milliseconds, whatever its size. */
  private static final long MAX_BATCH_BYTES = 4 << 20;

  private static final Duration POLL = Duration.ofMillis(200);

  private MigrationLog() {}

  /** Receives how much was appended. */
  public interface Appended {
    void add(long records, long bytes);
  }

  /** Appends the rest of the entries. */
  public static void append(KafkaTurnLog log, MigrationEntries entries, Appended appended) {
    Batch batch = new Batch();
    while (entries.next()) {
      batch.put(entries.key(), entries.value());
      if (batch.bytes() >= MAX_BATCH_BYTES) {
        log.append(batch);
        appended.add(batch.size(), batch.bytes());
        batch = new Batch();
      }
    }
    if (!batch.isEmpty()) {
      log.append(batch);
      appended.add(batch.size(), batch.bytes());
    }
  }

  /** Appends the mark of a migration to the log of the catalog. */
  public static void append(KafkaTurnLog catalog, MigrationMark mark) {
    Batch batch = new Batch();
    batch.put(MigrationMark.key(), mark.encode());
    catalog.append(batch);
  }

  /** Returns the latest mark of a migration; null if there is none. */
  public static @Nullable MigrationMark mark(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition catalog) {
    MigrationMark[] latest = {null};
    read(
        consumer,
        catalog,
        record -> {
          if (isMark(record)) {
            latest[0] = MigrationMark.decode(record.value());
          }
          return true;
        });
    return latest[0];
  }

  /** Returns the first record of a partition; null if there is none. */
  public static @Nullable ConsumerRecord<byte[], byte[]> first(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition) {
    List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
    read(
        consumer,
        partition,
        record -> {
          found.add(record);
          return false;
        });
    return found.isEmpty() ? null : found.get(0);
  }

  /**
   * Compares what a partition has with the entries, which are then behind that.
   *
   * @throws ClusterException if the partition has anything else than the first of the entries
   */
  public static void compare(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, MigrationEntries entries) {
    read(
        consumer,
        partition,
        record -> {
          if (isMark(record)) {
            return true;
          }
          if (!entries.next()
              || !Arrays.equals(record.key(), entries.key())
              || !Arrays.equals(record.value(), entries.value())) {
            throw new ClusterException(
                String.format(
                    Locale.ROOT,
                    "%s has at %d what the data folder has not at this place: another program has"
                        + " written there. Delete the topics of the cluster, and run this again",
                    partition,
                    record.offset()),
                null);
          }
          return true;
        });
  }

  private static boolean isMark(ConsumerRecord<byte[], byte[]> record) {
    return record.key() != null && record.value() != null && MigrationMark.isKey(record.key());
  }

  /** Reads all that a partition has now, or until the reader has enough. */
  public static void read(
      KafkaConsumer<byte[], byte[]> consumer,
      TopicPartition partition,
      Predicate<ConsumerRecord<byte[], byte[]>> reader) {
    consumer.assign(List.of(partition));
    consumer.seekToBeginning(List.of(partition));
    long end = LogReader.end(consumer, partition);
    while (consumer.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> each : consumer.poll(POLL).records(partition)) {
        if (!reader.test(each)) {
          return;
        }
      }
    }
  }
}
