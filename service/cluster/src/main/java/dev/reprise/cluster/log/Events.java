package dev.reprise.cluster.log;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeliveryState;
import dev.reprise.delivery.HistoryEvent;
import dev.reprise.delivery.HistoryEvent.LoggedOutcome;
import dev.reprise.delivery.LostIntake;
import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.shard.LoggedEvent;
import dev.reprise.delivery.shard.LostIntakeRecord;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/**
 * The records of the topic of events: how deliveries have ended, which records were passed over,
 * and which shards stand. Their form is in {@code event-v1.schema.json}. Safe for use by many
 * threads.
 */
public final class Events {
  static final int VERSION = 1;

  private static final JsonMapper JSON = JsonMapper.shared();
  private static final int USUAL_BYTES = 320;

  private final Topics topics;
  private final Catalog catalog;

  public Events(Topics topics, Catalog catalog) {
    this.topics = topics;
    this.catalog = catalog;
  }

  /**
   * Returns the event that a record of a shard stands for.
   *
   * @return null if it stands for none
   */
  @Nullable ProducerRecord<byte[], byte[]> of(int shard, byte[] key, byte[] value) {
    LostIntakeRecord.OfLog gone = LostIntakeRecord.read(key, value);
    if (gone == null) {
      return ended(key, value);
    }
    // Otherwise an operator has acknowledged it.
    return gone.lost().acknowledged() ? null : lost(shard, topics.of(gone.log()), gone.lost());
  }

  private ProducerRecord<byte[], byte[]> lost(int shard, String intake, LostIntake lost) {
    byte[] json =
        json(
            "lost",
            lost.atMillis(),
            out -> {
              out.writeStringProperty("reason", lost.message(intake + "-" + shard));
              out.writeStringProperty("kafkaTopic", intake);
              out.writeNumberProperty("partition", shard);
              out.writeNumberProperty("offset", lost.first());
              if (lost.last() >= 0) {
                out.writeNumberProperty("lastOffset", lost.last());
              }
            });
    return new ProducerRecord<>(topics.events(), null, json);
  }

  /**
   * Returns the event of a delivery that a record of a shard stands for.
   *
   * @return null if nothing has ended, or begun anew, by it
   */
  @Nullable ProducerRecord<byte[], byte[]> ended(byte[] key, byte[] value) {
    LoggedEvent logged = LoggedEvent.read(key, value);
    String name = logged == null ? null : name(logged.event());
    if (logged == null || name == null) {
      return null;
    }
    long number = logged.subscription();
    Subscription subscription = catalog.findSubscription(number);
    String id = subscription == null ? "removed-" + number : subscription.id();
    byte[] json =
        json(name, logged.event().atMillis(), out -> write(out, logged, id, subscription));
    return new ProducerRecord<>(topics.events(), id.getBytes(UTF_8), json);
  }

  private static void write(
      JsonGenerator out, LoggedEvent logged, String id, @Nullable Subscription subscription) {
    if (subscription != null) {
      out.writeStringProperty("project", subscription.project());
      out.writeStringProperty("topic", subscription.topic());
    }
    out.writeStringProperty("subscription", id);
    out.writeStringProperty("message", logged.message().toString());
    HistoryEvent event = logged.event();
    out.writeNumberProperty("attempt", event.attempt());
    LoggedOutcome outcome = event.outcome();
    if (outcome != null) {
      out.writeNumberProperty("status", outcome.status());
      out.writeStringProperty("summary", outcome.summary());
    }
    StopReason reason = event.after().reason();
    if (reason != null) {
      out.writeStringProperty("reason", reason.name());
    }
  }

  private static @Nullable String name(HistoryEvent event) {
    return switch (event.kind()) {
      case REDRIVEN -> "redriven";
      case PURGED -> "purged";
      case RETIRED -> "retired";
      case REQUESTED, RECEIPT -> null;
      case ATTEMPT, EXPIRED, UNREADABLE, DROPPED, CANCELLED, MOVED -> name(event.after().status());
    };
  }

  private static @Nullable String name(DeliveryState.Status status) {
    return switch (status) {
      case PENDING -> null;
      case DELIVERED -> "delivered";
      case DEAD_LETTERED -> "dead-lettered";
      case DISCARDED -> "discarded";
      case EXPIRED -> "expired";
      case MOVED -> "moved";
    };
  }

  /**
   * Returns the event that a record is no message.
   *
   * @param reason why, on one line
   */
  public ProducerRecord<byte[], byte[]> refused(ConsumerRecord<?, ?> record, String reason) {
    return passedOver("refused", record, reason);
  }

  /**
   * Returns the event that an operator has passed a record over, where a shard stood.
   *
   * @param reason why it stood there, on one line
   */
  public ProducerRecord<byte[], byte[]> skipped(ConsumerRecord<?, ?> record, String reason) {
    return passedOver("skipped", record, reason);
  }

  private ProducerRecord<byte[], byte[]> passedOver(
      String event, ConsumerRecord<?, ?> record, String reason) {
    byte[] json =
        json(
            event,
            record.timestamp(),
            out -> {
              out.writeStringProperty("reason", reason);
              out.writeStringProperty("kafkaTopic", record.topic());
              out.writeNumberProperty("partition", record.partition());
              out.writeNumberProperty("offset", record.offset());
            });
    return new ProducerRecord<>(topics.events(), null, json);
  }

  /**
   * Returns the event that a shard takes nothing of what waits for it.
   *
   * @param topic that of events
   */
  public static ProducerRecord<byte[], byte[]> standing(
      String topic, int shard, ShardBacklog backlog, long nowMillis) {
    byte[] json =
        json(
            "standing",
            nowMillis,
            out -> {
              out.writeNumberProperty("shard", shard);
              out.writeStringProperty(
                  "since", Instant.ofEpochMilli(backlog.oldestMillis()).toString());
              if (backlog.atLeast()) {
                out.writeBooleanProperty("orEarlier", true);
              }
              out.writeNumberProperty("records", backlog.notTaken());
              out.writeStringProperty("reason", String.valueOf(backlog.problem()));
            });
    return new ProducerRecord<>(topic, key(shard), json);
  }

  /**
   * Returns the event that a shard goes on after it was reported to stand.
   *
   * @param topic that of events
   * @param records how many wait for it now
   * @param sinceMillis since when it stood
   */
  public static ProducerRecord<byte[], byte[]> resumed(
      String topic, int shard, long records, long sinceMillis, long nowMillis) {
    byte[] json =
        json(
            "resumed",
            nowMillis,
            out -> {
              out.writeNumberProperty("shard", shard);
              out.writeStringProperty("since", Instant.ofEpochMilli(sinceMillis).toString());
              out.writeNumberProperty("records", records);
            });
    return new ProducerRecord<>(topic, key(shard), json);
  }

  /** Both are in one partition, in their order; no subscription has such an id. */
  private static byte[] key(int shard) {
    return ("shard:" + shard).getBytes(UTF_8);
  }

  private static byte[] json(String event, long atMillis, Consumer<JsonGenerator> rest) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(USUAL_BYTES);
    try (JsonGenerator out = JSON.createGenerator(bytes)) {
      out.writeStartObject();
      out.writeNumberProperty("version", VERSION);
      out.writeStringProperty("event", event);
      out.writeStringProperty("at", Instant.ofEpochMilli(atMillis).toString());
      rest.accept(out);
      out.writeEndObject();
    }
    return bytes.toByteArray();
  }
}
