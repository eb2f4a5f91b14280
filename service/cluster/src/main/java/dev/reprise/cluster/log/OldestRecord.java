package dev.reprise.cluster.log;

import dev.reprise.cluster.base.KafkaClients;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The oldest record of a partition behind a place, as its brokers have it.
 *
 * @param kind whether there is one, and whether a shard can read it
 * @param passed the last place before it at which there is nothing to take: marks of transactions,
 *     and records of transactions that were aborted
 * @param appendedMillis when it was appended, by the brokers' clock; 0 if that cannot be read
 * @param fault why it cannot be read; empty if it can
 */
public record OldestRecord(Kind kind, long passed, long appendedMillis, String fault) {
  private static final Logger LOG = LoggerFactory.getLogger(OldestRecord.class);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration MAX_WAIT = Duration.ofSeconds(3);

  /** The kinds of what is behind a place. */
  public enum Kind {
    /** There is nothing to take. */
    NONE,
    /** There is a record that a shard can read. */
    READABLE,
    /** There is a record whose transaction is not ended, so that nothing behind it is read. */
    OPEN,
    /** There is something that cannot be read. */
    UNREADABLE
  }

  /** Reads partitions of the topics of intake, without a place of its own in the group. */
  public static final class Reader implements AutoCloseable {
    private final KafkaClients clients;
    private @Nullable KafkaConsumer<byte[], byte[]> committed;
    private @Nullable KafkaConsumer<byte[], byte[]> all;

    public Reader(KafkaClients clients) {
      this.clients = clients;
    }

    /**
     * Looks for the oldest record. Blocks for some seconds at the most.
     *
     * @param passed the place behind which there may be one
     * @return null if the brokers have not answered
     */
    public @Nullable OldestRecord behind(TopicPartition partition, long passed) {
      long nothing = passed;
      try {
        Found first = first(committed(), partition, passed + 1);
        if (first.record() != null) {
          return new OldestRecord(Kind.READABLE, first.place() - 1, first.record().timestamp(), "");
        }
        nothing = first.place() - 1;
        Found open = first(all(), partition, first.place());
        return open.record() == null
            ? new OldestRecord(Kind.NONE, open.place() - 1, 0, "")
            : new OldestRecord(Kind.OPEN, open.place() - 1, open.record().timestamp(), "");
      } catch (TimeoutException e) {
        LOG.debug("{} is not read now", partition, e);
        return null;
      } catch (KafkaException e) {
        return new OldestRecord(Kind.UNREADABLE, nothing, 0, String.valueOf(e.getMessage()));
      }
    }

    private KafkaConsumer<byte[], byte[]> committed() {
      KafkaConsumer<byte[], byte[]> known = committed;
      if (known == null) {
        known = clients.consumer("oldest");
        committed = known;
      }
      return known;
    }

    private KafkaConsumer<byte[], byte[]> all() {
      KafkaConsumer<byte[], byte[]> known = all;
      if (known == null) {
        known = clients.consumerOfAll("oldest-of-all");
        all = known;
      }
      return known;
    }

    /**
     * The first record from a place on.
     *
     * @param record null if there is none that this consumer is given
     * @param place of the record, or up to which there is none
     */
    private record Found(@Nullable ConsumerRecord<byte[], byte[]> record, long place) {}

    private static Found first(
        KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, long from) {
      List<TopicPartition> one = List.of(partition);
      consumer.assign(one);
      long begin = Objects.requireNonNull(consumer.beginningOffsets(one, MAX_WAIT).get(partition));
      long end = Objects.requireNonNull(consumer.endOffsets(one, MAX_WAIT).get(partition));
      long place = Math.max(from, begin);
      if (place >= end) {
        return new Found(null, place);
      }
      consumer.seek(partition, place);
      long giveUp = System.nanoTime() + MAX_WAIT.toNanos();
      while (consumer.position(partition) < end) {
        for (ConsumerRecord<byte[], byte[]> each : consumer.poll(POLL)) {
          return new Found(each, each.offset());
        }
        if (System.nanoTime() - giveUp > 0) {
          throw new TimeoutException(
              "no answer in " + TimeUnit.NANOSECONDS.toSeconds(MAX_WAIT.toNanos()) + " s");
        }
      }
      return new Found(null, consumer.position(partition));
    }

    @Override
    public void close() {
      if (committed != null) {
        committed.close();
      }
      if (all != null) {
        all.close();
      }
    }
  }
}
