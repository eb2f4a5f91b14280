package dev.reprise.cluster.log;

import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.delivery.store.StoreException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeProducersResult.PartitionProducerState;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns that a log has and that no reader sees. A commit is acknowledged before its mark is in the
 * log. Brokers that are killed between the two write the mark when they are back, but not always:
 * Kafka 4.3.1 drops it if the partition has no leader at that moment, as all partitions of a broker
 * that is alone. Readers of what is committed then stop in front of the turn for good, and a new
 * owner would go on without it.
 *
 * <p>The next commit under the same id ends what the id has open, so the turn is made visible by
 * one. That is right for a turn which is whole: it was acknowledged, or could have been, and its
 * owner appends nothing more. Anything else is refused.
 */
public final class HiddenTurns {
  private static final Logger LOG = LoggerFactory.getLogger(HiddenTurns.class);
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration LOOK = Duration.ofMillis(50);
  private static final long ANSWER_SECONDS = 10;

  /** Marks of commits that were just acknowledged take some milliseconds. */
  private static final Duration MARK_WAIT = Duration.ofSeconds(2);

  private static final Duration REVEALED_WAIT = Duration.ofSeconds(10);

  private final KafkaClients clients;
  private final KafkaTurnLog log;
  private final TopicPartition partition;

  /**
   * The hidden turns of a log.
   *
   * @param log has begun to own the partition
   */
  public HiddenTurns(KafkaClients clients, KafkaTurnLog log, TopicPartition partition) {
    this.clients = clients;
    this.log = log;
    this.partition = partition;
  }

  /**
   * Returns when readers see everything that the log has.
   *
   * @param committed a consumer of what is committed
   * @throws StoreException if there is something that is not certain to be a turn; it can be tried
   *     again
   */
  public void reveal(KafkaConsumer<byte[], byte[]> committed) throws InterruptedException {
    try (KafkaConsumer<byte[], byte[]> all = clients.consumerOfAll("hidden-" + partition)) {
      all.assign(List.of(partition));
      if (awaitAllSeen(committed, all, MARK_WAIT)) {
        return;
      }
      requireWhole(all, openSince());
      // One under each of the two ids.
      log.begin();
      log.begin();
      if (!awaitAllSeen(committed, all, REVEALED_WAIT)) {
        throw refused(
            "the brokers hold back what is behind " + LogReader.end(committed, partition));
      }
      LOG.warn("{}: turns were made visible that the brokers had taken and held back", partition);
    }
  }

  private boolean awaitAllSeen(
      KafkaConsumer<byte[], byte[]> committed, KafkaConsumer<byte[], byte[]> all, Duration limit)
      throws InterruptedException {
    Pauses pauses = Pauses.every(LOOK).within(limit);
    while (true) {
      long there = LogReader.end(all, partition);
      if (LogReader.end(committed, partition) >= there) {
        return true;
      }
      if (!pauses.next()) {
        return false;
      }
    }
  }

  /** Returns where the transactions begin that are open on the leader of the partition. */
  private Set<Long> openSince() throws InterruptedException {
    Admin admin = clients.admin();
    try {
      PartitionProducerState state =
          admin
              .describeProducers(List.of(partition))
              .partitionResult(partition)
              .get(ANSWER_SECONDS, TimeUnit.SECONDS);
      Set<Long> since = new HashSet<>();
      for (ProducerState each : state.activeProducers()) {
        OptionalLong start = each.currentTransactionStartOffset();
        if (start.isPresent()) {
          since.add(start.getAsLong());
        }
      }
      return since;
    } catch (ExecutionException | TimeoutException e) {
      throw new KafkaException("the open transactions of " + partition + " cannot be read", e);
    } finally {
      // By itself it would wait for brokers that do not answer.
      admin.close(Duration.ZERO);
    }
  }

  /**
   * Checks that whatever is open is one whole turn of its id. The ids are used in turn: of more
   * than two turns, one id has two.
   */
  private void requireWhole(KafkaConsumer<byte[], byte[]> all, Set<Long> since) {
    if (since.isEmpty()) {
      throw refused("no transaction is open, and yet not everything is visible");
    }
    all.seek(partition, since.stream().mapToLong(Long::longValue).min().orElseThrow());
    long end = LogReader.end(all, partition);
    int turns = 0;
    int found = 0;
    long left = 0;
    boolean open = false;
    while (all.position(partition) < end) {
      for (ConsumerRecord<byte[], byte[]> each : all.poll(POLL).records(partition)) {
        Header first = each.headers().lastHeader(KafkaTurnLog.TURN);
        if (first != null) {
          requireEnded(open, left, each.offset());
          turns++;
          open = since.contains(each.offset());
          found += open ? 1 : 0;
          left = ByteBuffer.wrap(first.value()).getInt();
        }
        left--;
      }
    }
    requireEnded(open, left, end);
    if (found < since.size()) {
      throw refused("of what is open since " + since + " only " + found + " are turns");
    }
    if (turns > 2) {
      throw refused(turns + " turns are hidden");
    }
  }

  private void requireEnded(boolean open, long left, long offset) {
    if (open && left != 0) {
      throw refused("a turn that is open lacks " + left + " records at " + offset);
    }
  }

  private StoreException refused(String why) {
    return new StoreException(
        "%s: %s. Kafka's kafka-transactions.sh lists what is open (find-hanging), and aborts it"
            .formatted(partition, why),
        false,
        null);
  }
}
