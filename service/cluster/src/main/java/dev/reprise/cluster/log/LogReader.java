package dev.reprise.cluster.log;

import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.base.Marker;
import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries what is in a log into a copy of it. */
public final class LogReader {
  private static final Logger LOG = LoggerFactory.getLogger(LogReader.class);
  private static final long MAX_BATCH_BYTES = 1 << 20;

  private static final Duration POLL = Duration.ofMillis(200);

  private final KafkaClients clients;
  private final Logs topics;

  /** Knows the topics that the logs are in. */
  interface Logs {
    /** Returns for how long deletions are kept in a topic now. */
    long deletionsKeptMillis(String topic);

    /**
     * Makes sure that the topics are the ones that they were.
     *
     * @throws StoreException if one is missing, or was made anew
     */
    void requireSame();
  }

  public LogReader(KafkaClients clients, Logs topics) {
    this.clients = clients;
    this.topics = topics;
  }

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
   * @param brokerMillis the present time by the brokers' clock, or 0 if it is not known
   * @param written receives the keys that were written, part by part
   */
  public void catchUp(
      KafkaConsumer<byte[], byte[]> consumer,
      TopicPartition partition,
      LogCopy copy,
      long brokerMillis,
      Consumer<List<byte[]>> written) {
    consumer.assign(List.of(partition));
    long end = begin(consumer, partition, copy, brokerMillis);
    while (consumer.position(partition) < end) {
      written.accept(apply(copy, consumer.poll(POLL).records(partition), brokerMillis));
    }
  }

  /**
   * Goes to the place in an assigned partition from which a copy goes on. One that is too old
   * begins anew; one that is ahead of the partition is never touched.
   *
   * @return the present end of the partition
   * @throws StoreException if the copy is ahead, or the topic is not the one that it was
   */
  long begin(
      KafkaConsumer<byte[], byte[]> consumer,
      TopicPartition partition,
      LogCopy copy,
      long brokerMillis) {
    Long first = consumer.beginningOffsets(List.of(partition)).get(partition);
    long end = end(consumer, partition);
    // What a broker holds back from readers was committed all the same, and is in the copy.
    long there = copy.position() > end ? endOfAll(partition) : end;
    if (copy.position() > there) {
      throw ahead(partition, copy.position(), there);
    }
    long keptMillis = topics.deletionsKeptMillis(partition.topic());
    if (copy.isTooOld(there, brokerMillis, keptMillis)) {
      topics.requireSame();
    }
    if (copy.prepare(there, brokerMillis, keptMillis, Shard::isShortLived)) {
      LOG.info("the copy of {} could not go on, and is made anew", partition);
    }
    if (copy.position() == end) {
      copy.isWhole(brokerMillis);
    }
    consumer.seek(partition, Math.max(copy.position(), Objects.requireNonNull(first)));
    return end;
  }

  private long endOfAll(TopicPartition partition) {
    try (KafkaConsumer<byte[], byte[]> all = clients.consumerOfAll("ahead-" + partition)) {
      return end(all, partition);
    }
  }

  private static StoreException ahead(TopicPartition partition, long position, long end) {
    return new StoreException(
        String.format(
            Locale.ROOT,
            "the copy of %s here goes up to %d, and the topic ends at %d: the topic was made anew"
                + " or has lost records. The copy is not touched. Bring the topic back from a"
                + " backup of the brokers; or give up what only this copy has: stop this node, and"
                + " start it with another folder (--data)",
            partition,
            position,
            end),
        false,
        null);
  }

  /** Returns the position behind everything that is committed. */
  public static long end(KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition) {
    Long end = consumer.endOffsets(List.of(partition)).get(partition);
    return Objects.requireNonNull(end);
  }

  /** Whether the last owner has written that it has ended, or there was none. */
  public static boolean isReleased(LogCopy copy) {
    byte[] marker = copy.store().get(Marker.key());
    return marker == null || Marker.isRelease(marker);
  }
}
