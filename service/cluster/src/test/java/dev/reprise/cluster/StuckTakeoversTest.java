package dev.reprise.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.log.Topics;
import dev.reprise.cluster.ownership.NodeState;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shards that cannot be taken over hold up no others. */
@Tag("slow")
class StuckTakeoversTest {
  private static final String PREFIX = "stuck";
  private static final int SHARDS = 12;

  /** More than there are threads for take-overs. */
  private static final List<Integer> STUCK = List.of(1, 2, 3, 4, 6, 7, 8, 9, 11);

  private static final Set<Integer> OTHERS = Set.of(0, 5, 10);

  @TempDir Path folder;

  private static ClusterSettings settings(Brokers brokers) {
    return new ClusterSettings(
        brokers.bootstrap(),
        PREFIX,
        "one",
        "",
        Map.of(),
        SHARDS,
        (short) 1,
        0,
        Duration.ofSeconds(6),
        Duration.ofSeconds(1));
  }

  /** A producer that knows nothing of turns; its transaction stays open for as long as the test. */
  private static KafkaProducer<byte[], byte[]> stranger(Brokers brokers) {
    Map<String, Object> config = new HashMap<>();
    config.put("bootstrap.servers", brokers.bootstrap());
    config.put("transactional.id", "stranger");
    config.put("transaction.timeout.ms", "900000");
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private TestNode node(Brokers brokers) {
    return new TestNode(
        settings(brokers),
        folder,
        System::currentTimeMillis,
        System::nanoTime,
        body -> TestNode.delivered());
  }

  private static Set<Integer> running(TestNode node) {
    return node.host().state().owned().stream()
        .filter(each -> each.phase() == NodeState.Phase.RUNNING)
        .map(NodeState.Owned::shard)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static boolean isThreadLeft() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith("reprise-takeover"));
  }

  @Test
  void shardsThatAreStuckKeepNoOthersWaiting() throws Exception {
    Brokers brokers = SharedBroker.get();
    Topics topics = new Topics(PREFIX);
    try (Admin admin = new KafkaClients(settings(brokers)).admin()) {
      topics.ensure(admin, SHARDS, (short) 1);
    }
    try (KafkaProducer<byte[], byte[]> stranger = stranger(brokers)) {
      stranger.initTransactions();
      stranger.beginTransaction();
      for (int shard : STUCK) {
        stranger.send(new ProducerRecord<>(topics.shards(), shard, new byte[] {'k'}, null)).get();
      }

      try (TestNode node = node(brokers)) {
        Await.until("the others are at work", () -> running(node).equals(OTHERS));
        assertThat(node.host().state().owned()).hasSize(SHARDS);
      }
      Await.until("no thread is left", () -> !isThreadLeft());

      try (TestNode node = node(brokers)) {
        Await.until("the others are at work", () -> running(node).equals(OTHERS));
        stranger.abortTransaction();
        Await.until("all are at work", () -> running(node).size() == SHARDS);
      }
    }
  }
}
