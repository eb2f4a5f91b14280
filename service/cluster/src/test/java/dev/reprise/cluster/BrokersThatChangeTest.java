package dev.reprise.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.broker.Brokers;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two brokers, of which one has a wrong clock at first, and both are replaced later. */
@Tag("slow")
class BrokersThatChangeTest {
  @TempDir static Path brokerFolder;
  private static Brokers brokers;

  @TempDir Path folder;

  @BeforeAll
  static void startBrokers() throws Exception {
    brokers = Brokers.start(brokerFolder, 2);
  }

  @AfterAll
  static void stopBrokers() {
    brokers.close();
  }

  private TestNode node(String prefix) {
    return new TestNode(
        brokers.bootstrap() + "," + brokers.movedBootstrap(),
        prefix,
        "one",
        folder,
        Duration.ofSeconds(1),
        System::currentTimeMillis,
        body -> TestNode.delivered());
  }

  private static void subscribe(TestNode node) {
    node.engine.addTopic("orders");
    for (int i = 0; i < TestNode.SHARDS; i++) {
      node.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i));
    }
  }

  @Test
  void aBrokerWithAWrongClockIsNamedAndStopsNobody() throws Exception {
    brokers.setClock(2, Duration.ofSeconds(15));
    brokers.restart(2);
    try (TestNode node = node("clock")) {
      Await.until("the broker is named", () -> !node.host().brokerClocks().problems().isEmpty());
      assertThat(node.host().brokerClocks().problems())
          .singleElement()
          .asString()
          .startsWith("the clock of broker 2 at 127.0.0.1:")
          .contains("differs from this node's and 1 other broker's by 1");
      Await.until("all shards", () -> node.owned() == TestNode.SHARDS);
      subscribe(node);

      // Each broker leads some of the shards, and is probed again meanwhile.
      long before = node.host().state().clockOffMillis();
      for (int i = 1; i <= 20; i++) {
        node.publish("orders", "m" + i);
        int delivered = i * TestNode.SHARDS;
        Await.until("delivered", () -> node.engine.ledger().delivered() == delivered);
      }

      assertThat(before).isZero();
      assertThat(node.engine.fault()).isNull();
      assertThat(node.host().figures().takeovers()).isEqualTo(TestNode.SHARDS);
      assertThat(node.host().figures().lostShards()).isZero();
    } finally {
      brokers.setClock(2, Duration.ZERO);
      brokers.restart(2);
    }
  }

  @Test
  void publishingFindsBrokersThatWereReplaced() throws Exception {
    try (TestNode node = node("moved")) {
      Await.until("all shards", () -> node.owned() == TestNode.SHARDS);
      subscribe(node);
      node.publish("orders", "before");
      Await.until("delivered", () -> node.engine.ledger().delivered() == TestNode.SHARDS);

      brokers.move();

      // One that went to the old ones is refused when its time is up.
      AtomicBoolean accepted = new AtomicBoolean();
      Await.until("a publish is accepted", () -> isAccepted(node, accepted));
      Await.until("delivered", () -> node.engine.ledger().delivered() >= 2 * TestNode.SHARDS);
      assertThat(node.engine.fault()).isNull();
      assertThat(node.engine.failure()).isNull();
      // The catalog is written by its owner, which found them as well.
      node.engine.addTopic("later");
    }
  }

  /** Publishes one more, unless one was accepted. */
  private static boolean isAccepted(TestNode node, AtomicBoolean accepted) {
    if (!accepted.get()) {
      var unused = node.start("orders", "after").thenRun(() -> accepted.set(true));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
    }
    return accepted.get();
  }
}
