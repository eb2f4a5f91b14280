package dev.reprise.cluster.log;

import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.ClusterFigures;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.base.Marker;
import dev.reprise.cluster.base.TopicIds;
import dev.reprise.delivery.host.Lease;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.StoreException;
import dev.reprise.delivery.store.TurnLog;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a shard, or of the catalog, in one partition of a topic: each batch is a transaction
 * under an id that belongs to the partition. A new owner begins with both ids, which ends what an
 * earlier owner has open and lets it append nothing more.
 *
 * <p>There are two ids, used in turn: a transaction under the id of the previous one would wait
 * until the brokers have written the end of that one everywhere (KAFKA-5477).
 *
 * <p><b>The lease.</b> A batch that was appended proves that at its beginning the partition had no
 * other owner. Attempts may be started for a while after that; the next owner waits as long before
 * it starts any, unless this one has written that it has ended.
 *
 * <p><b>Events.</b> What has ended in a turn is written to the topic of events by the same
 * transaction: a reader of what is committed reads it once, and not if the turn is made again.
 *
 * <p>One thread appends; the lease is safe for use by many.
 */
public final class KafkaTurnLog implements TurnLog, Lease, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaTurnLog.class);

  /** The header of the first record of a turn: how many records it has, as four bytes. */
  static final String TURN = "turn";

  private static final Duration CLOSE_WAIT = Duration.ofSeconds(2);

  /** Between the look at the lease and the first byte of an attempt there may pass so much. */
  private static final int LEASE_PARTS = 4;

  private final String topic;
  private final int partition;
  private final long leaseNanos;
  private final BrokerClock clock;
  private final @Nullable Events events;
  private final List<KafkaProducer<byte[], byte[]>> producers;
  private int next;
  private volatile long confirmedNanos;
  private volatile boolean ended;

  /** When the append that is under way has begun, wall time; 0 if none is. */
  private volatile long appendingMillis;

  private volatile @Nullable ClusterFigures figures;
  private volatile TopicIds topics = TopicIds.NONE;

  private KafkaTurnLog(
      String topic,
      int partition,
      Duration lease,
      BrokerClock clock,
      @Nullable Events events,
      List<KafkaProducer<byte[], byte[]>> producers) {
    this.topic = topic;
    this.partition = partition;
    this.leaseNanos = lease.toNanos();
    this.clock = clock;
    this.events = events;
    this.producers = producers;
    this.confirmedNanos = System.nanoTime() - leaseNanos;
  }

  /**
   * Begins to own the log. Blocks until no earlier owner can append any more.
   *
   * @param events returns the events of the log for the same transaction; null for nothing
   * @throws KafkaException if that could not be reached; it can be tried again
   */
  public static KafkaTurnLog own(
      KafkaClients clients,
      String topic,
      int partition,
      Duration lease,
      BrokerClock clock,
      @Nullable Events events) {
    KafkaProducer<byte[], byte[]> first = clients.fenced(topic + "-" + partition + "-0");
    KafkaProducer<byte[], byte[]> second;
    try {
      second = clients.fenced(topic + "-" + partition + "-1");
    } catch (RuntimeException e) {
      close(List.of(first), Duration.ZERO);
      throw e;
    }
    KafkaTurnLog log =
        new KafkaTurnLog(topic, partition, lease, clock, events, List.of(first, second));
    try {
      first.initTransactions();
      second.initTransactions();
      return log;
    } catch (RuntimeException e) {
      log.abandon();
      throw e;
    }
  }

  /** Has what is appended counted. */
  public void countInto(ClusterFigures counts) {
    figures = counts;
  }

  /** Has the ids of the topics written with all markers of this owner. */
  public void note(TopicIds ids) {
    topics = ids;
  }

  /** Writes that this owner has ended: its successor need not wait. */
  public void release(long nowMillis) {
    Batch marker = new Batch();
    marker.put(Marker.key(), Marker.released(nowMillis, topics));
    append(marker);
    ended = true;
  }

  @Override
  public long append(Batch batch) {
    if (ended) {
      throw lost("it was given up here", null);
    }
    KafkaProducer<byte[], byte[]> producer = producers.get(next);
    next = (next + 1) % producers.size();
    long beganNanos = System.nanoTime();
    RecordMetadata last;
    appendingMillis = clock.nodeMillis();
    try {
      last = transact(producer, batch);
    } finally {
      appendingMillis = 0;
    }
    confirmedNanos = beganNanos;
    ClusterFigures counts = figures;
    if (counts != null) {
      counts.committed(System.nanoTime() - beganNanos);
    }
    return last.offset() + 1;
  }

  private RecordMetadata transact(KafkaProducer<byte[], byte[]> producer, Batch batch) {
    Sending sending = new Sending(producer, batch.size());
    try {
      producer.beginTransaction();
      batch.forEach(sending);
      commit(producer);
      return sending.last();
    } catch (KafkaException | IllegalStateException e) {
      throw failure(producer, e);
    }
  }

  /** The outcome of a commit that has begun must be known, however long that takes. */
  private void commit(KafkaProducer<byte[], byte[]> producer) {
    while (true) {
      try {
        producer.commitTransaction();
        return;
      } catch (TimeoutException e) {
        if (ended) {
          throw e;
        }
        LOG.warn("{}-{}: the brokers do not answer a commit; asking again", topic, partition);
      }
    }
  }

  private StoreException failure(KafkaProducer<byte[], byte[]> producer, RuntimeException e) {
    if (e instanceof InterruptException) {
      Thread.interrupted();
    }
    if (ended || isFinal(e)) {
      return lost(String.valueOf(e.getMessage()), e);
    }
    try {
      producer.abortTransaction();
    } catch (KafkaException | IllegalStateException again) {
      again.addSuppressed(e);
      return lost(String.valueOf(again.getMessage()), again);
    }
    return new StoreException(
        "the brokers did not take a turn of " + topic + "-" + partition + ": " + e.getMessage(),
        false,
        e);
  }

  private static boolean isFinal(RuntimeException e) {
    return e instanceof ProducerFencedException
        || e instanceof InvalidProducerEpochException
        || e instanceof InvalidTxnStateException
        || e instanceof OutOfOrderSequenceException
        || e instanceof UnsupportedVersionException
        || e instanceof AuthorizationException
        || e instanceof InterruptException
        || e instanceof IllegalStateException;
  }

  private StoreException lost(String reason, @Nullable Throwable cause) {
    ended = true;
    return StoreException.lost(topic + "-" + partition + " cannot be written: " + reason, cause);
  }

  // --- the lease ---------------------------------------------------------------------------

  /**
   * Writes that this owner begins. Only then is it certain that no other owner has begun while this
   * one read the log, and does its successor know that it has to wait for the end of the lease.
   *
   * @throws StoreException if the brokers have not taken that; nothing may begin then
   */
  public void begin() {
    Batch marker = new Batch();
    marker.put(Marker.key(), Marker.held(clock.nodeMillis(), topics));
    append(marker);
  }

  @Override
  public void confirm() {
    if (System.nanoTime() - confirmedNanos > leaseNanos / 2) {
      try {
        begin();
      } catch (StoreException e) {
        if (e.lost()) {
          throw e;
        }
        // The brokers are away: the lease runs out, and is asked for again.
        LOG.warn("the lease of {}-{} is not confirmed: {}", topic, partition, e.getMessage());
      }
    }
  }

  @Override
  public boolean isHeld() {
    return !ended && System.nanoTime() - confirmedNanos < leaseNanos - leaseNanos / LEASE_PARTS;
  }

  /** Appends nothing more, and starts no attempt any more. Does not block; any thread. */
  public void abandon() {
    ended = true;
    close(producers, Duration.ZERO);
  }

  /** Closes producers, by a thread that was interrupted as well. */
  private static void close(List<KafkaProducer<byte[], byte[]>> producers, Duration maxWait) {
    boolean interrupted = Thread.interrupted();
    for (KafkaProducer<byte[], byte[]> each : producers) {
      try {
        each.close(maxWait);
      } catch (KafkaException e) {
        LOG.debug("a producer was not closed in order", e);
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns since when an append is under way, in wall time; 0 if none is. Any thread. */
  public long appendingMillis() {
    return appendingMillis;
  }

  /** Returns whether nothing can be appended any more. */
  public boolean hasEnded() {
    return ended;
  }

  @Override
  public void close() {
    ended = true;
    close(producers, CLOSE_WAIT);
  }

  /** Sends the operations of a batch. The first record says how many there are. */
  private final class Sending implements Batch.Visitor {
    private final KafkaProducer<byte[], byte[]> producer;
    private List<Header> headers;
    private @Nullable Future<RecordMetadata> sent;

    Sending(KafkaProducer<byte[], byte[]> producer, int records) {
      this.producer = producer;
      this.headers =
          List.of(
              new RecordHeader(TURN, ByteBuffer.allocate(Integer.BYTES).putInt(records).array()));
    }

    private void send(byte[] key, byte @Nullable [] value) {
      sent = producer.send(new ProducerRecord<>(topic, partition, key, value, headers));
      headers = List.of();
    }

    @Override
    public void put(byte[] key, byte[] value) {
      send(key, value);
      ProducerRecord<byte[], byte[]> event =
          events == null ? null : events.of(partition, key, value);
      if (event != null) {
        // A transaction costs by the partitions that it touches: a shard writes events to one.
        int place = partition % producer.partitionsFor(event.topic()).size();
        // The commit waits for it, and fails if it does.
        var unused =
            producer.send(new ProducerRecord<>(event.topic(), place, event.key(), event.value()));
      }
    }

    @Override
    public void delete(byte[] key) {
      send(key, null);
    }

    RecordMetadata last() {
      try {
        return Objects.requireNonNull(sent).get();
      } catch (ExecutionException e) {
        throw new KafkaException(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptException(e);
      }
    }
  }
}
