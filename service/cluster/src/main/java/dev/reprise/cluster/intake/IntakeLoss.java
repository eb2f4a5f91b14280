package dev.reprise.cluster.intake;

import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.log.LogReader;
import dev.reprise.cluster.log.Topics;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.LostIntake;
import dev.reprise.delivery.host.ShardLoop;
import dev.reprise.delivery.shard.LostIntakeRecord;
import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that something that was accepted is gone from a topic before its shard had taken it in:
 * of what nodes have accepted for the shard, or of what applications have published. A loss is
 * noted in the shard's state, by which an event is written as well, and the shard goes on behind
 * it.
 */
public final class IntakeLoss {
  private static final Logger LOG = LoggerFactory.getLogger(IntakeLoss.class);

  private final KafkaClients clients;
  private final IntakeLog log;
  private final String topic;

  public IntakeLoss(KafkaClients clients, Topics topics, IntakeLog log) {
    this.clients = clients;
    this.log = log;
    this.topic = topics.of(log);
  }

  /** Returns the log that is looked at. */
  public IntakeLog log() {
    return log;
  }

  /**
   * A loss.
   *
   * @param first the first place that is gone
   * @param last the last one; -1 if it is not known
   * @param goOnAt the place from which the shard goes on
   */
  public record Gap(long first, long last, long goOnAt) {}

  /**
   * The places that the brokers have for a shard.
   *
   * @param begin the first one
   * @param end the one behind the last that readers see
   */
  public record Bounds(long begin, long end) {}

  /** Asks for the places; the consumer may read any partitions. */
  public Bounds bounds(KafkaConsumer<byte[], byte[]> consumer, int shard) {
    TopicPartition partition = new TopicPartition(topic, shard);
    List<TopicPartition> asked = List.of(partition);
    return new Bounds(
        Objects.requireNonNull(consumer.beginningOffsets(asked).get(partition)),
        Objects.requireNonNull(consumer.endOffsets(asked).get(partition)));
  }

  /**
   * Compares what a shard has taken in with what is there.
   *
   * @param state the whole state of the shard
   * @param anew whether the topic was made anew since the shard was at work
   * @return null if nothing is gone
   */
  public @Nullable Gap look(Bounds there, int shard, Store state, boolean anew) {
    TopicPartition partition = new TopicPartition(topic, shard);
    long next = Shard.takenUpTo(state, log) + 1;
    if (anew) {
      return new Gap(next, -1, there.begin());
    }
    if (next < there.begin()) {
      return new Gap(next, there.begin() - 1, there.begin());
    }
    // What brokers hold back from readers is not gone.
    return next > there.end() && next > endOfAll(partition)
        ? new Gap(next, -1, endOfAll(partition))
        : null;
  }

  private long endOfAll(TopicPartition partition) {
    try (KafkaConsumer<byte[], byte[]> all = clients.consumerOfAll("intake-" + partition)) {
      return LogReader.end(all, partition);
    }
  }

  /** Notes a loss in the state of a shard that is not at work yet. */
  public void note(Gap gap, int shard, Store state, long nowMillis) {
    Batch batch = new Batch();
    LostIntake lost =
        LostIntakeRecord.add(
            batch,
            log,
            LostIntakeRecord.read(state, log),
            gap.first(),
            gap.last(),
            gap.goOnAt(),
            nowMillis);
    state.write(batch);
    LOG.error("{}", lost.message(topic + "-" + shard));
  }

  /**
   * Notes a loss that was noticed while a shard is at work.
   *
   * @param first the first place that is gone
   * @param last the last one: the shard goes on behind it
   */
  public void note(ShardLoop loop, int shard, long first, long last) {
    LOG.error("{}", LostIntake.NONE.and(first, last, 0).message(topic + "-" + shard));
    loop.submit(new ShardInput.Lost(log, first, last));
  }
}
