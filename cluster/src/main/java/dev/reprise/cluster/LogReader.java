package dev.reprise.cluster;

import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.LogCopy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries what is in a log into a copy of it. */
final class LogReader {
  private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);
  private static final long MAX_BATCH_BYTES = 1 << 20;

  private static final Duration POLL = Duration.ofMillis(200);

  private LogReader() {}

  /**
   * Takes records, which follow the copy's position, into the copy. A record has the time of the
   * broker that led just then, whose clock may be ahead of the others: a copy that was taken for
   * newer than it is could miss deletions.
   *
   * @param brokerMillis the present time by most brokers' clocks, or 0 if it is not known
   * @return the keys that were written
   */
  static List<byte[]> apply(
      LogCopy copy, List<ConsumerRecord<byte[], byte[]>> records, long brokerMillis) {
    long latest = brokerMillis == 0 ? Long.MAX_VALUE : brokerMillis;
    List<byte[]> keys = new ArrayList<>();
    Batch batch = new Batch();
    for (ConsumerRecord<byte[], byte[]> each : records) {
      LogCopy.add(batch, each.key(), each.value(), Shard.isShortLived(each.key()));
      keys.add(each.key());
      if (batch.bytes() >= MAX_BATCH_BYTES) {
        copy.apply(batch, each.offset() + 1, Math.min(each.timestamp(), latest));
        batch = new Batch();
      }
    }
    if (!records.isEmpty()) {
      ConsumerRecord<byte[], byte[]> last = records.get(records.size() - 1);
      copy.apply(batch, last.offset() + 1, Math.min(last.timestamp(), latest));
    }
    return keys;
  }

  /**
   * Reads a partition from the copy's position to its present end. A copy that is older than
   * deletions are kept in the log begins anew, because it could miss some.
   *
   * @param keptMillis how long deletions are kept
   * @param brokerMillis the present time by the brokers' clock, or 0 if it is not known
   * @param written is told the keys that were written, part by part
   */
  static void catchUp(
      KafkaConsumer<byte[], byte[]> consumer,
      TopicPartition partition,
      LogCopy copy,
      long keptMillis,
      long brokerMillis,
      Consumer<List<byte[]>> written) {
    consumer.assign(List.of(partition));
    long end = begin(consumer, partition, copy, keptMillis, brokerMillis);
    while (consumer.position(partition) < end) {
      written.accept(apply(copy, consumer.poll(POLL).records(partition), brokerMillis));
    }
  }

  /**
   * Goes to the place in an assigned partition from which a copy goes on. A copy that cannot go on
   * begins anew.
   *
   * @return the present end of the partition
   */
  static long begin(
      KafkaConsumer<byte[], byte[]> consumer,
      TopicPartition partition,
      LogCopy copy,
      long keptMillis,
      long brokerMillis) {
    Long first = consumer.beginningOffsets(List.of(partition)).get(partition);
    long end = end(consumer, partition);
    if (copy.prepare(end, brokerMillis, keptMillis, Shard::isShortLived)) {
      LOG.info("the copy of {} could not go on, and is made anew", partition);
    }
    if (copy.position() == end) {
      copy.isWhole(brokerMillis);
    }
    consumer.seek(partition, Math.max(copy.position(), Objects.requireNonNull(first)));
    return end;
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
