package dev.reprise.cluster.log;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.EventReader;
import dev.reprise.cluster.SharedBroker;
import dev.reprise.cluster.TestNode;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.SweepRequest;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.engine.Backlog;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** How deliveries have ended, as an application reads it. */
@Tag("slow")
class EventsTest {
  private static final AtomicInteger CLUSTERS = new AtomicInteger();

  private static Brokers brokers;

  @TempDir Path folder;
  private final List<TestNode> nodes = new ArrayList<>();
  private final AtomicBoolean refusing = new AtomicBoolean();
  private String prefix;

  @BeforeAll
  static void findBroker() throws Exception {
    brokers = SharedBroker.get();
  }

  @BeforeEach
  void newCluster() {
    prefix = "e" + CLUSTERS.incrementAndGet();
  }

  @AfterEach
  void close() {
    nodes.forEach(TestNode::close);
  }

  private TestNode join(String name) {
    TestNode node =
        new TestNode(
            brokers,
            prefix,
            name,
            folder.resolve(name),
            body -> refusing.get() ? TestNode.refused() : TestNode.delivered());
    nodes.add(node);
    return node;
  }

  private static List<Subscription> subscribe(TestNode node, int count) {
    node.engine.addTopic("orders");
    List<Subscription> subscriptions = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      subscriptions.add(
          node.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i)));
    }
    return subscriptions;
  }

  private static Set<String> deliveries(List<JsonNode> events) {
    Set<String> deliveries = new HashSet<>();
    for (JsonNode each : events) {
      deliveries.add(each.get("message").stringValue() + each.get("subscription").stringValue());
    }
    return deliveries;
  }

  @Test
  void eachDeliveryIsToldOnceOverAHandover() {
    TestNode one = join("one");
    Await.until("all shards", () -> one.owned() == TestNode.SHARDS);
    subscribe(one, 8);
    TestNode two = join("two");
    Await.until("half of the shards", () -> one.owned() == 2 && two.owned() == 2);
    Await.until("the catalog", () -> two.engine.catalog().find("orders") != null);
    try (EventReader reader = new EventReader(brokers, prefix)) {
      for (int i = 0; i < 50; i++) {
        two.publish("orders", "m" + i);
      }
      one.close();
      nodes.remove(one);
      for (int i = 50; i < 100; i++) {
        two.publish("orders", "m" + i);
      }
      Await.until("all are told", () -> deliveries(reader.read("delivered")).size() == 800);
      Await.until("all shards", () -> two.owned() == TestNode.SHARDS);
      Await.until("the ledger", () -> two.engine.ledger().delivered() == 800);

      // Whatever was told twice would be behind this one, or before it in another partition.
      two.publish("orders", "last");
      Await.until("the last ones", () -> deliveries(reader.read("delivered")).size() == 808);
      assertThat(reader.all()).hasSize(808);
      JsonNode first = reader.all().get(0);
      assertThat(first.get("project").stringValue()).isEqualTo("default");
      assertThat(first.get("topic").stringValue()).isEqualTo("orders");
      assertThat(first.get("attempt").intValue()).isEqualTo(1);
      assertThat(first.get("status").intValue()).isEqualTo(200);
      assertThat(first.get("summary").stringValue()).isEqualTo("200");
    }
  }

  @Test
  void aDeadLetterIsToldOnEachOfItsWays() {
    refusing.set(true);
    TestNode one = join("one");
    Await.until("all shards", () -> one.owned() == TestNode.SHARDS);
    Subscription subscription = subscribe(one, 1).get(0);
    try (EventReader reader = new EventReader(brokers, prefix)) {
      String message = one.publish("orders", "a").message().toString();
      Await.until("dead", () -> reader.read("dead-lettered").size() == 1);
      JsonNode dead = reader.read("dead-lettered").get(0);
      assertThat(dead.get("message").stringValue()).isEqualTo(message);
      assertThat(dead.get("subscription").stringValue()).isEqualTo(subscription.id());
      assertThat(dead.get("reason").stringValue()).isEqualTo("NOT_RETRYABLE");
      assertThat(dead.get("summary").stringValue()).isEqualTo("400 \"no\"");

      Backlog backlog = one.engine.backlog(subscription);
      backlog.redrive(all(one)).toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
      Await.until("redriven", () -> reader.read("redriven").size() == 1);
      Await.until("dead again", () -> reader.read("dead-lettered").size() == 2);
      assertThat(reader.read("dead-lettered").get(1).get("attempt").intValue()).isEqualTo(2);

      backlog.purge(all(one)).toCompletableFuture().orTimeout(300, TimeUnit.SECONDS).join();
      Await.until("purged", () -> reader.read("purged").size() == 1);
      assertThat(reader.read("purged").get(0).get("message").stringValue()).isEqualTo(message);
      assertThat(reader.all()).hasSize(4);
    }
  }

  private static SweepRequest all(TestNode node) {
    return new SweepRequest(
        DeadLetterFilter.ALL, node.engine.nowMillis() + 1, null, 100, 0, /* before= */ 0);
  }

  @Test
  void theSchemaRefusesAnotherForm() {
    String id = "01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f";
    String begin = "{\"version\":1,\"at\":\"2026-11-24T22:00:00Z\",\"event\":";
    String delivery = ",\"subscription\":\"orders-1\",\"message\":\"" + id + "\",\"attempt\":1}";
    assertThat(EventReader.isValid(begin + "\"delivered\"" + delivery)).isTrue();
    assertThat(EventReader.isValid(begin + "\"dead-lettered\"" + delivery)).isFalse();
    assertThat(EventReader.isValid(begin + "\"refused\"" + delivery)).isFalse();
    assertThat(EventReader.isValid(begin + "\"delivered\"}")).isFalse();
    String record = ",\"reason\":\"r\",\"partition\":1,\"offset\":2";
    for (String event : List.of("\"refused\"", "\"skipped\"")) {
      assertThat(EventReader.isValid(begin + event + record + "}")).isTrue();
      assertThat(EventReader.isValid(begin + event + record + ",\"kafkaTopic\":\"a.in\"}"))
          .isTrue();
      assertThat(EventReader.isValid(begin + event + record + ",\"attempt\":1}")).isFalse();
      assertThat(EventReader.isValid(begin + event + "}")).isFalse();
    }
    assertThat(EventReader.isValid(begin + "\"delivered\",\"kafkaTopic\":\"a.in\"" + delivery))
        .isFalse();
    assertThat(EventReader.isValid(begin + "\"lost\"" + delivery)).isFalse();
  }
}
