package dev.reprise.cluster.intake;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.EventReader;
import dev.reprise.cluster.SharedBroker;
import dev.reprise.cluster.TestNode;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.LostIntake;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Messages that are deleted before a shard has taken them in, on a real broker. */
@Tag("slow")
class IntakeLossTest {
  private static final String PREFIX = "gone-intake";

  @TempDir Path folder;
  private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
  private Brokers brokers;

  private TestNode node(String name) {
    return new TestNode(brokers, PREFIX, name, folder.resolve(name), this::attempt);
  }

  private AttemptOutcome attempt(String body) {
    delivered.add(body);
    return TestNode.delivered();
  }

  private static Map<Integer, Long> ends(Admin admin) throws Exception {
    Map<Integer, Long> ends = new HashMap<>();
    for (int i = 0; i < TestNode.SHARDS; i++) {
      TopicPartition partition = new TopicPartition(PREFIX + ".in", i);
      ends.put(
          i,
          admin
              .listOffsets(Map.of(partition, OffsetSpec.latest()))
              .partitionResult(partition)
              .get()
              .offset());
    }
    return ends;
  }

  @Test
  void whatIsGoneIsToldUntilSomebodyKnowsOfIt() throws Exception {
    brokers = SharedBroker.get();
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers.bootstrap()))) {
      try (TestNode one = node("one")) {
        Await.until("shards", () -> one.owned() == TestNode.SHARDS);
        one.engine.addTopic("orders");
        one.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/"));
        one.publish("orders", "before");
        Await.until("the delivery", () -> delivered.contains("before"));
      }
      Map<Integer, Long> before = ends(admin);
      // Accepted from an application while no node runs, and deleted by retention.
      publish(0, 3);
      publish(1, 2);
      TopicPartition first = new TopicPartition(PREFIX + ".in", 0);
      long end = ends(admin).get(0);
      admin.deleteRecords(Map.of(first, RecordsToDelete.beforeOffset(end))).all().get();

      String told;
      try (TestNode two = node("two")) {
        Await.until("shards", () -> two.owned() == TestNode.SHARDS);
        LostIntake lost = two.host().lostIntake(IntakeLog.IN).get(0);
        assertThat(two.host().lostIntake(IntakeLog.IN)).containsOnlyKeys(0);
        // The first node's probes are in this partition as well, and may be gone.
        assertThat(lost.last()).isEqualTo(end - 1);
        assertThat(lost.first()).isBetween(before.get(0) - 5, before.get(0));
        assertThat(lost.count()).isEqualTo(lost.last() - lost.first() + 1);
        told =
            "%s.in-0: offsets %s to %s are gone, up to %s messages"
                .formatted(PREFIX, lost.first(), lost.last(), lost.count());
        assertThat(two.host().problems()).hasSize(1).first().asString().startsWith(told);
        // What is there goes on, in the same shard as well.
        Await.until("the others", () -> delivered.contains("1-1"));
        publish(0, 1);
        Await.until("the next one", () -> delivered.contains("0-0"));
        assertThat(delivered).containsOnlyOnce("1-0", "1-1", "0-0").doesNotContain("0-1", "0-2");
      }

      try (TestNode three = node("three")) {
        Await.until("shards", () -> three.owned() == TestNode.SHARDS);
        assertThat(three.host().problems()).as("after a restart").hasSize(1);
        assertThat(three.engine.acknowledgeLost().toCompletableFuture().get(5, TimeUnit.MINUTES))
            .isTrue();
        Await.until("no problem", () -> three.host().problems().isEmpty());
        assertThat(three.engine.acknowledgeLost().toCompletableFuture().get(5, TimeUnit.MINUTES))
            .isFalse();
      }
      try (EventReader reader = new EventReader(brokers, PREFIX)) {
        Await.until("the event", () -> !reader.read("lost").isEmpty());
        assertThat(reader.read("lost")).hasSize(1);
        JsonNode event = reader.read("lost").get(0);
        assertThat(event.get("reason").stringValue()).startsWith(told);
        assertThat(event.get("partition").intValue()).isZero();
      }
    }
  }

  private void publish(int partition, int count) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", brokers.bootstrap()),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      for (int i = 0; i < count; i++) {
        ProducerRecord<byte[], byte[]> record =
            new ProducerRecord<>(
                PREFIX + ".in", partition, null, (partition + "-" + i).getBytes(UTF_8));
        record.headers().add(OpenMessage.TOPIC, "orders".getBytes(UTF_8));
        producer.send(record).get();
      }
      producer.close(Duration.ofSeconds(5));
    }
  }
}
