package dev.reprise.cluster;

import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.LogCopy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Carries what is in a log into a copy of it. */
final class LogReader {
  private static final long MAX_BATCH_BYTES = 1 << 20;

  private LogReader() {}

  /**
   * Takes records, which follow the copy's position, into the copy.
   *
   * @return the keys that were written
   */
  static List<byte[]> apply(LogCopy copy, List<ConsumerRecord<byte[], byte[]>> records) {
    List<byte[]> keys = new ArrayList<>();
    Batch batch = new Batch();
    for (ConsumerRecord<byte[], byte[]> each : records) {
      add(batch, each.key(), each.value());
      keys.add(each.key());
      if (batch.bytes() >= MAX_BATCH_BYTES) {
        copy.apply(batch, each.offset() + 1, each.timestamp());
        batch = new Batch();
      }
    }
    if (!records.isEmpty()) {
      ConsumerRecord<byte[], byte[]> last = records.get(records.size() - 1);
      copy.apply(batch, last.offset() + 1, last.timestamp());
    }
    return keys;
  }

  private static void add(Batch batch, byte[] key, byte @Nullable [] value) {
    boolean once = Shard.isShortLived(key);
    if (value == null) {
      if (once) {
        batch.deleteOnce(key);
      } else {
        batch.delete(key);
      }
    } else if (once) {
      // A record that is there already, of an append that was repeated, must not be there twice.
      batch.deleteOnce(key);
      batch.putOnce(key, value);
    } else {
      batch.put(key, value);
    }
  }

  /**
   * Reads a partition from the copy's position to its present end. A copy that is older than
   * deletions are kept in the log begins anew, because it could miss some.
   *
   * @param keptMillis how long deletions are kept
   * @param brokerMillis the present time by the brokers' clock, or 0 if it is not known
   * @return the keys that were written
   */
  static List<byte[]> catchUp(
      KafkaConsumer<byte[], byte[]> consumer,
      TopicPartition partition,
      LogCopy copy,
      long keptMillis,
      long brokerMillis) {
    consumer.assign(List.of(partition));
    Long first = consumer.beginningOffsets(List.of(partition)).get(partition);
    long begin = Objects.requireNonNull(first);
    long end = end(consumer, partition);
    // Half of it, for what passes until the end is reached.
    boolean old = copy.position() > 0 && brokerMillis - copy.asOfMillis() > keptMillis / 2;
    if (copy.position() > end || (copy.position() < end && old)) {
      copy.clear(Shard::isShortLived);
    }
    consumer.seek(partition, Math.max(copy.position(), begin));
    List<byte[]> keys = new ArrayList<>();
    while (consumer.position(partition) < end) {
      keys.addAll(apply(copy, consumer.poll(Duration.ofMillis(200)).records(partition)));
    }
    return keys;
  }

  /** Returns the position behind everything that is committed. */
  static long end(KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition) {
    Long end = consumer.endOffsets(List.of(partition)).get(partition);
    return Objects.requireNonNull(end);
  }

  /** Whether the last owner has said that it has ended, or there was none. */
  static boolean isReleased(LogCopy copy) {
    byte[] marker = copy.store().get(Marker.key());
    return marker == null || Marker.isRelease(marker);
  }
}
