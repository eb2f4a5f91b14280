package dev.reprise.cluster.ownership;

import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.intake.IntakeLoss;
import dev.reprise.cluster.intake.OpenIntake;
import dev.reprise.cluster.log.PartitionReader;
import dev.reprise.delivery.pause.Pauses;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what applications publish, of the partitions whose shards are at work here, on a thread of
 * its own: a transaction that an application leaves open, and a record that cannot be read, hold up
 * no more than what is behind them in their partition.
 */
public final class OpenReader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OpenReader.class);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final Duration ANSWER_WAIT = Duration.ofSeconds(2);

  private final Supplier<KafkaConsumer<byte[], byte[]>> consumers;
  private final String topic;
  private final int shards;
  private final IntFunction<OwnedShard.@Nullable Running> running;
  private final OpenIntake intake;
  private final IntakeLoss loss;
  private final Map<Integer, OpenPartition> partitions = new TreeMap<>();
  private final Thread thread = new Thread(this::run, "reprise-open");
  private final Pauses pauses = KafkaClients.pauses();
  private final Pauses idle = Pauses.every(POLL);
  private volatile boolean closing;
  private volatile Map<Integer, String> unreadable = Map.of();
  private @Nullable PartitionReader reader;

  /**
   * A reader that has not begun.
   *
   * @param consumers makes the client, on the thread that uses it
   * @param topic has a partition for each shard
   * @param running the shards at work here, by number
   * @param loss notes what is gone
   */
  public OpenReader(
      Supplier<KafkaConsumer<byte[], byte[]>> consumers,
      String topic,
      int shards,
      IntFunction<OwnedShard.@Nullable Running> running,
      OpenIntake intake,
      IntakeLoss loss) {
    this.consumers = consumers;
    this.topic = topic;
    this.shards = shards;
    this.running = running;
    this.intake = intake;
    this.loss = loss;
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  /** Returns why partitions cannot be read just now, by number. Any thread. */
  public Map<Integer, String> unreadable() {
    return unreadable;
  }

  private void run() {
    try {
      while (!closing) {
        try {
          step();
          pauses.reset();
        } catch (InterruptException e) {
          LOG.debug("closing", e);
        } catch (KafkaException e) {
          LOG.warn("{} cannot be read: {}; trying again", topic, e.getMessage());
          failed(e);
        } catch (RuntimeException e) {
          LOG.error("{} cannot be read; trying again", topic, e);
          failed(e);
        }
      }
    } catch (Error e) {
      LOG.error("{} is not read any more: restart this node", topic, e);
      failed(e);
      throw e;
    } finally {
      PartitionReader client = reader;
      if (client != null) {
        // It would refuse to close in order.
        Thread.interrupted();
        client.close();
      }
      intake.close();
    }
  }

  private void failed(Throwable error) {
    Map<Integer, String> why = new TreeMap<>();
    for (int number : partitions.keySet()) {
      why.put(number, String.format(Locale.ROOT, "%s-%d cannot be read: %s", topic, number, error));
    }
    unreadable = why;
    pauses.nextUnlessInterrupted();
  }

  private void step() {
    PartitionReader client = reader;
    if (client == null) {
      client = new PartitionReader(consumers.get(), this::findPlace);
      reader = client;
    }
    follow(client);
    if (client.isIdle()) {
      idle.nextUnlessInterrupted();
    }
    // First, as fetching may fail again and again.
    partitions.values().forEach(OpenPartition::pump);
    fetch(client);
    tellOfStanding(client);
  }

  /** Takes on the partitions of shards that have begun here, and drops those of others. */
  private void follow(PartitionReader client) {
    for (int number = 0; number < shards; number++) {
      OwnedShard.Running now = running.apply(number);
      OpenPartition known = partitions.get(number);
      if (now == null || now.loop().hasEnded()) {
        if (partitions.remove(number) != null) {
          client.end(partition(number));
        }
      } else if (known == null || !known.isOf(now)) {
        OpenPartition fresh = new OpenPartition(number, now, intake, loss);
        partitions.put(number, fresh);
        client.begin(partition(number), fresh.next());
      }
    }
  }

  private TopicPartition partition(int number) {
    return new TopicPartition(topic, number);
  }

  private void fetch(PartitionReader client) {
    partitions.forEach((number, each) -> client.pause(partition(number), !each.hasRoom()));
    client
        .poll(POLL)
        .forEach(
            (from, records) -> {
              OpenPartition partition = partitions.get(from.partition());
              if (partition != null) {
                partition.add(records);
              }
            });
    partitions.forEach((number, each) -> each.readUpTo(client.next(partition(number))));
  }

  private void tellOfStanding(PartitionReader client) {
    Map<Integer, String> why = new TreeMap<>();
    client
        .standing()
        .forEach(
            (each, standing) ->
                why.put(
                    each.partition(),
                    String.format(
                        Locale.ROOT,
                        "%s cannot be read at %d: %s",
                        each,
                        standing.offset(),
                        standing.reason())));
    unreadable = why;
  }

  /** The brokers do not have the place from which a partition is to be read. */
  private void findPlace(TopicPartition partition, long offset) {
    PartitionReader client = Objects.requireNonNull(reader);
    try {
      List<TopicPartition> asked = List.of(partition);
      long beginning =
          Objects.requireNonNull(
              client.consumer().beginningOffsets(asked, ANSWER_WAIT).get(partition));
      if (offset < beginning) {
        OpenPartition known = partitions.get(partition.partition());
        if (known != null) {
          known.addGap(offset, beginning - 1);
        }
        client.begin(partition, beginning);
      } else {
        client.stand(
            partition,
            offset,
            "everything before it was taken in, and the topic does not go up to there: it was made"
                + " anew or cut off");
      }
    } catch (KafkaException e) {
      client.stand(partition, offset, String.valueOf(e.getMessage()));
    }
  }

  /** Forwards nothing more; what was forwarded and not passed over is forwarded again elsewhere. */
  @Override
  public void close() {
    closing = true;
    thread.interrupt();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
