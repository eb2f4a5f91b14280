package dev.reprise.cluster;

import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Gives messages to the brokers, which accept them for their shard whether it has an owner or not.
 * Safe for use by many threads; does not block for long.
 */
final class IntakeProducer implements AutoCloseable {
  /** As much as an engine has waiting at the most, and what Kafka needs besides. */
  private static final long BUFFER_BYTES = 96L << 20;

  private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A few probes without an answer; a refusal by Kafka's client takes longer. */
  private static final long MAX_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

  private final String topic;
  private final KafkaProducer<byte[], byte[]> producer;
  private final BrokerClock clock;
  private final ClusterCatalog catalog;
  private volatile @Nullable StoreException fault;
  private volatile long answeredNanos = System.nanoTime();
  private long probedNanos = System.nanoTime() - PROBE_NANOS;

  IntakeProducer(KafkaClients clients, String topic, BrokerClock clock, ClusterCatalog catalog) {
    this.topic = topic;
    this.producer = clients.producer("intake", BUFFER_BYTES);
    this.clock = clock;
    this.catalog = catalog;
  }

  /**
   * Gets to know the topic, which a send has no time for. Blocks until that has come about; what
   * was known then is remembered while brokers are away.
   *
   * @param maxWait for how long
   * @throws KafkaException if the brokers are out of reach
   */
  void prepare(Duration maxWait) {
    long end = System.nanoTime() + maxWait.toNanos();
    while (true) {
      try {
        producer.partitionsFor(topic);
        return;
      } catch (TimeoutException e) {
        // So much is what a send waits at the most.
        if (System.nanoTime() - end > 0) {
          throw e;
        }
      }
    }
  }

  /** Gives a message to the brokers; it is answered when they have it. */
  void send(int shard, ShardInput.Publish publish) {
    IntakeRecord intake =
        new IntakeRecord(
            catalog.version(),
            publish.message(),
            publish.keyed(),
            publish.subscriptions(),
            publish.payload());
    long sentMillis = clock.nodeMillis();
    try {
      var unused =
          producer.send(
              new ProducerRecord<>(topic, shard, null, intake.encode()),
              (appended, error) -> {
                if (error == null) {
                  answered();
                  clock.appended(sentMillis, clock.nodeMillis(), appended.timestamp());
                  publish
                      .reply()
                      .complete(new ShardInput.Accepted(publish.subscriptions().length, false));
                } else {
                  publish.reply().fail(refused(error));
                }
              });
    } catch (KafkaException e) {
      publish.reply().fail(refused(e));
    }
  }

  /**
   * Gives an event to the brokers.
   *
   * @param answer is told whether they have it; called once
   */
  void tell(ProducerRecord<byte[], byte[]> event, Consumer<Boolean> answer) {
    try {
      var unused =
          producer.send(
              event,
              (appended, error) -> {
                if (error != null) {
                  fault = refused(error);
                }
                answer.accept(error == null);
              });
    } catch (KafkaException e) {
      fault = refused(e);
      answer.accept(false);
    }
  }

  private StoreException refused(Exception error) {
    StoreException refusal =
        new StoreException(
            "the brokers did not take a message: " + error.getMessage(), false, error);
    if (!(error instanceof RecordTooLargeException)) {
      // That is about one message, and others are taken.
      fault = refusal;
    }
    return refusal;
  }

  /** Compares the clocks, now and then. */
  void probe() {
    long now = System.nanoTime();
    if (now - probedNanos < PROBE_NANOS) {
      return;
    }
    probedNanos = now;
    long sentMillis = clock.nodeMillis();
    try {
      var unused =
          producer.send(
              new ProducerRecord<>(topic, 0, null, IntakeRecord.probe()),
              (appended, error) -> {
                if (error == null) {
                  answered();
                  clock.appended(sentMillis, clock.nodeMillis(), appended.timestamp());
                } else {
                  fault = refused(error);
                }
              });
    } catch (KafkaException e) {
      fault = refused(e);
    }
  }

  private void answered() {
    fault = null;
    answeredNanos = System.nanoTime();
  }

  /** Returns why the brokers took nothing the last time; null if they did. */
  @Nullable StoreException fault() {
    StoreException known = fault;
    long silentNanos = System.nanoTime() - answeredNanos;
    return known != null || silentNanos < MAX_SILENCE_NANOS
        ? known
        : new StoreException(
            "the brokers have not answered for "
                + TimeUnit.NANOSECONDS.toSeconds(silentNanos)
                + " s",
            false,
            null);
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
  }
}
