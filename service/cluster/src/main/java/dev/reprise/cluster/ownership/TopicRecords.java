package dev.reprise.cluster.ownership;

import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.intake.IntakeRecord;
import dev.reprise.cluster.intake.OpenMessage;
import dev.reprise.cluster.log.Topics;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.ConflictException;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.store.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Single records of the topics from which shards take messages, for an operator who wants to know
 * what one is, or has it passed over. Safe for use by many threads; blocks for seconds.
 */
public final class TopicRecords {
  private static final Duration LIMIT = Duration.ofSeconds(5);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final Duration STORED_WAIT = Duration.ofSeconds(10);
  private static final Duration LOOK = Duration.ofMillis(10);

  private final KafkaClients clients;
  private final Topics topics;
  private final Catalog catalog;
  private final IntFunction<OwnedShard.@Nullable Running> running;

  /**
   * A place, and the record that is there.
   *
   * @param topic the topic of Kafka
   * @param partition the partition, which has the number of its shard
   * @param offset the place
   * @param begin the first place that the partition has
   * @param end the place behind its last record
   * @param record null if no record can be read there
   * @param meaning what it is read as, or why it is no message, on one line
   */
  public record Place(
      String topic,
      int partition,
      long offset,
      long begin,
      long end,
      @Nullable Content record,
      String meaning) {}

  /**
   * A record.
   *
   * @param appendedMillis when it was appended, by the broker's clock
   * @param keyBytes the bytes of its key; -1 if it has none
   * @param valueBytes the bytes of its value; -1 if it has none
   * @param headers in their order
   */
  public record Content(
      long appendedMillis, int keyBytes, int valueBytes, List<ContentHeader> headers) {
    /** Copies the list. */
    public Content {
      headers = List.copyOf(headers);
    }
  }

  /** A header of a record; the value is null if it has none. */
  public record ContentHeader(String name, byte @Nullable [] value) {}

  public TopicRecords(
      KafkaClients clients,
      Topics topics,
      Catalog catalog,
      IntFunction<OwnedShard.@Nullable Running> running) {
    this.clients = clients;
    this.topics = topics;
    this.catalog = catalog;
    this.running = running;
  }

  // --- showing -----------------------------------------------------------------------------

  /**
   * Reads a place, also what is not committed.
   *
   * @param open whether it is in the topic of applications, and not in that of nodes
   * @throws StoreException if the brokers do not answer
   */
  public Place show(boolean open, int shard, long offset) {
    TopicPartition partition = new TopicPartition(open ? topics.open() : topics.in(), shard);
    try (KafkaConsumer<byte[], byte[]> committed = clients.consumer("show");
        KafkaConsumer<byte[], byte[]> all = clients.consumerOfAll("show-all")) {
      long begin = number(all.beginningOffsets(List.of(partition), LIMIT).get(partition));
      long end = number(all.endOffsets(List.of(partition), LIMIT).get(partition));
      Content content = null;
      String meaning;
      if (offset < begin || offset >= end) {
        meaning = offset < begin ? "was deleted, or never was" : "is still to come";
      } else {
        try {
          ConsumerRecord<byte[], byte[]> record = read(all, partition, offset);
          if (record == null) {
            meaning = "is no record but the end of a transaction, or was not read in time";
          } else {
            content = content(record);
            meaning = visibility(committed, partition, offset) + meaning(open, record);
          }
        } catch (KafkaException e) {
          meaning = "cannot be read: " + e.getMessage();
        }
      }
      return new Place(partition.topic(), shard, offset, begin, end, content, meaning);
    } catch (KafkaException e) {
      throw new StoreException("the brokers do not answer: " + e.getMessage(), false, e);
    }
  }

  private static long number(@Nullable Long offset) {
    return Objects.requireNonNull(offset);
  }

  /** Returns the record at a place; null if there is none. */
  private static @Nullable ConsumerRecord<byte[], byte[]> read(
      KafkaConsumer<byte[], byte[]> consumer, TopicPartition partition, long offset) {
    consumer.assign(List.of(partition));
    consumer.seek(partition, offset);
    long limit = System.nanoTime() + LIMIT.toNanos();
    while (consumer.position(partition, LIMIT) == offset && System.nanoTime() - limit < 0) {
      for (ConsumerRecord<byte[], byte[]> each : consumer.poll(POLL)) {
        return each.offset() == offset ? each : null;
      }
    }
    return null;
  }

  /** Returns why readers of what is committed do not see a record; empty if they do. */
  private static String visibility(
      KafkaConsumer<byte[], byte[]> committed, TopicPartition partition, long offset) {
    if (offset >= number(committed.endOffsets(List.of(partition), LIMIT).get(partition))) {
      return "waits for a transaction that is open, its own or one before it: ";
    }
    return read(committed, partition, offset) == null
        ? "belongs to a transaction that was aborted, and is passed over: "
        : "";
  }

  private static Content content(ConsumerRecord<byte[], byte[]> record) {
    List<ContentHeader> headers = new ArrayList<>();
    for (Header each : record.headers()) {
      headers.add(new ContentHeader(each.key(), each.value()));
    }
    return new Content(
        record.timestamp(), record.serializedKeySize(), record.serializedValueSize(), headers);
  }

  private String meaning(boolean open, ConsumerRecord<byte[], byte[]> record) {
    Headers headers = record.headers();
    int newer = open ? 0 : IntakeRecord.newerVersion(headers);
    if (newer != 0) {
      return String.format(
          Locale.ROOT,
          "a record of a node that has version %d, and this program reads version %d",
          newer,
          IntakeRecord.VERSION);
    }
    byte[] value = record.value();
    try {
      if (open || OpenMessage.isOpen(headers)) {
        return ofApplication(OpenMessage.read(headers, value));
      }
      if (value == null) {
        return "no message: it has neither a value nor a header " + OpenMessage.TOPIC;
      }
      IntakeRecord read = IntakeRecord.decode(value);
      return read == null
          ? "a probe of a node, which says nothing"
          : String.format(
              Locale.ROOT,
              "message %s for %d subscriptions of this shard, which needs the catalog up to %d",
              read.message(),
              read.subscriptions().length,
              read.catalogVersion());
    } catch (ClusterException | IllegalArgumentException e) {
      return "no message: " + e.getMessage();
    }
  }

  private String ofApplication(OpenMessage message) {
    Catalog.Entry entry = catalog.find(message.project(), message.topic());
    if (entry == null) {
      return "no message: " + message.withoutTopic();
    }
    message.check(entry);
    return "a message of an application to topic %s of project %s, %s"
        .formatted(message.topic(), message.project(), message.payload().contentType());
  }

  // --- passing over ------------------------------------------------------------------------

  /**
   * Passes over the record at which a shard stands, and returns once that is in the state of the
   * shard.
   *
   * @throws ConflictException if the shard does not stand there
   * @throws ShardElsewhereException if the shard is not at work here, or that is not stored in time
   */
  public void skip(int shard, long offset) throws InterruptedException {
    OwnedShard.Running here = running.apply(shard);
    if (here == null) {
      throw new ShardElsewhereException(shard, "is not at work at the node that was asked");
    }
    if (!here.intake().skip(offset)) {
      Throwable fault = here.intake().fault();
      throw new ConflictException(
          String.format(
              Locale.ROOT,
              "shard %d does not stand at %d of %s: %s",
              shard,
              offset,
              topics.in(),
              fault == null ? "it takes in what comes" : fault.getMessage()));
    }
    Pauses pauses = Pauses.every(LOOK).within(STORED_WAIT);
    while (Shard.takenUpTo(here.copy().store()) < offset) {
      if (here.loop().hasEnded() || !pauses.next()) {
        throw new ShardElsewhereException(
            shard,
            String.format(
                Locale.ROOT, "was asked to pass over %d, and has not stored that yet", offset));
      }
    }
  }
}
