package dev.reprise.cluster.intake;

import dev.reprise.cluster.base.CatalogEnd;
import dev.reprise.cluster.base.ClusterCatalog;
import dev.reprise.cluster.log.Events;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.catalog.Catalog;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The surroundings of applications' messages on their way to the shards that want them: of a node,
 * for all its shards. The owner of the partition in which a message is does that. Its place is
 * passed over once every shard has the message in its own partition, under an id that follows from
 * the place alone: if that is done again after a crash, each shard knows it by the id.
 *
 * <p>For one thread, except for the figures.
 */
public final class OpenIntake implements AutoCloseable {
  static final Logger LOG = LoggerFactory.getLogger(OpenIntake.class);

  /** Sent, and not acknowledged. A message for many shards is sent to each of them. */
  private static final long MAX_UNDER_WAY_BYTES = 16 << 20;

  /** So many records of a partition are on their way to shards at the same time. */
  private static final int MAX_AHEAD = 1000;

  private static final long SAY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Catalog catalog;
  private final ClusterCatalog clusterCatalog;
  private final CatalogEnd catalogEnd;
  private final IntakeProducer producer;
  private final Events events;
  private final int shards;
  private final AtomicLong refused;
  private final AtomicLong underWayBytes = new AtomicLong();
  private long saidNanos = System.nanoTime() - SAY_NANOS;
  private long unsaid;

  /**
   * The intake of applications' messages.
   *
   * @param shards how many there are, here and elsewhere
   * @param refused counts records that are no messages
   */
  public OpenIntake(
      Catalog catalog,
      ClusterCatalog clusterCatalog,
      CatalogEnd catalogEnd,
      IntakeProducer producer,
      Events events,
      int shards,
      AtomicLong refused) {
    this.catalog = catalog;
    this.clusterCatalog = clusterCatalog;
    this.catalogEnd = catalogEnd;
    this.producer = producer;
    this.events = events;
    this.shards = shards;
    this.refused = refused;
  }

  Catalog catalog() {
    return catalog;
  }

  ClusterCatalog clusterCatalog() {
    return clusterCatalog;
  }

  CatalogEnd catalogEnd() {
    return catalogEnd;
  }

  IntakeProducer producer() {
    return producer;
  }

  Events events() {
    return events;
  }

  int shards() {
    return shards;
  }

  /**
   * Goes on with records of one partition, in their order. One of each partition may begin whatever
   * others do: none waits for ever.
   */
  public void forward(Iterator<OpenRecord> records) {
    long now = System.nanoTime();
    for (int ahead = 0; ahead < MAX_AHEAD && records.hasNext(); ahead++) {
      OpenRecord each = records.next();
      if (ahead > 0 && !hasRoom() && !each.hasBegun()) {
        return;
      }
      each.step(now);
    }
  }

  /** Bytes were sent, or, if less than 0, answered. */
  void sent(long bytes) {
    underWayBytes.addAndGet(bytes);
  }

  /** Returns whether more may be sent. */
  boolean hasRoom() {
    return underWayBytes.get() < MAX_UNDER_WAY_BYTES;
  }

  /** A record is no message. Logs that, but not for each of many. */
  void countRefused(ConsumerRecord<?, ?> record, String reason) {
    refused.incrementAndGet();
    long now = System.nanoTime();
    if (now - saidNanos < SAY_NANOS) {
      unsaid++;
      return;
    }
    LOG.warn(
        "{}-{} at {} is no message: {}; {} others were refused since this was last said",
        record.topic(),
        record.partition(),
        record.offset(),
        reason,
        unsaid);
    saidNanos = now;
    unsaid = 0;
  }

  /** Returns the id of the message in a record, which follows from the record's place alone. */
  static MessageId idOf(ConsumerRecord<?, ?> record) {
    byte[] topic = record.topic().getBytes(StandardCharsets.UTF_8);
    ByteBuffer place =
        ByteBuffer.allocate(topic.length + Integer.BYTES + Long.BYTES)
            .put(topic)
            .putInt(record.partition())
            .putLong(record.offset());
    ByteBuffer digest = ByteBuffer.wrap(sha256(place.array()));
    return MessageId.of(record.timestamp(), digest.getInt(), digest.getLong());
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  @Override
  public void close() {
    catalogEnd.close();
  }
}
