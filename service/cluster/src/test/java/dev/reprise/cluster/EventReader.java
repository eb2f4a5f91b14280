package dev.reprise.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.reprise.cluster.broker.Brokers;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An application that reads what is committed of a cluster's events, and checks their form. */
public final class EventReader implements AutoCloseable {
  private static final Schema SCHEMA =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
          .getSchema(schemaText(), InputFormat.JSON);

  private final KafkaConsumer<byte[], byte[]> consumer;
  private final List<JsonNode> events = new ArrayList<>();

  public EventReader(Brokers brokers, String prefix) {
    consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", brokers.bootstrap(), "isolation.level", "read_committed"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    List<TopicPartition> partitions =
        consumer.partitionsFor(prefix + ".events").stream()
            .map(each -> new TopicPartition(each.topic(), each.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  private static String schemaText() {
    try (InputStream in = EventReader.class.getResourceAsStream("event-v1.schema.json")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads what there is, and returns all events of a name that were ever read. */
  public List<JsonNode> read(String name) {
    for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(50))) {
      String text = new String(each.value(), UTF_8);
      JsonNode event = JsonMapper.shared().readTree(text);
      assertThat(SCHEMA.validate(text, InputFormat.JSON)).as(text).isEmpty();
      if (event.has("subscription")) {
        String key = new String(each.key(), UTF_8);
        assertThat(key).isEqualTo(event.get("subscription").stringValue());
      }
      events.add(event);
    }
    return events.stream().filter(each -> each.get("event").stringValue().equals(name)).toList();
  }

  /** Everything that was read. */
  public List<JsonNode> all() {
    return List.copyOf(events);
  }

  /** The schema says so of an event. */
  public static boolean isValid(String json) {
    return SCHEMA.validate(json, InputFormat.JSON).isEmpty();
  }

  @Override
  public void close() {
    consumer.close();
  }
}
