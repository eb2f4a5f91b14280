package dev.reprise.cluster;

import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.log.Topics;
import dev.reprise.cluster.ownership.NodeState;
import dev.reprise.delivery.AttemptOutcome;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitionReassignment;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Brokers that take nothing of one partition, for want of its replicas, and everything else. */
@Tag("slow")
class RefusedPartitionTest {
  private static final int REFUSED = 2;

  @TempDir Path folder;
  private final Queue<String> arrived = new ConcurrentLinkedQueue<>();

  @Test
  void oneShardWaitsUntilThePartitionHasItsReplicas() throws Exception {
    Topics topics = new Topics("refused");
    try (Brokers brokers = Brokers.start(folder.resolve("brokers"), 3);
        Admin admin = Admin.create(Map.of("bootstrap.servers", brokers.bootstrap()))) {
      topics.ensure(admin, TestNode.SHARDS, (short) 1);
      haveOnTheFirst(admin, topics);
      set(admin, topics.shards(), "min.insync.replicas", "2");
      TestNode node =
          new TestNode(
              brokers,
              "refused",
              "one",
              folder.resolve("one"),
              Duration.ofSeconds(1),
              Duration.ofSeconds(3),
              System::currentTimeMillis,
              this::attempt);
      try (node) {
        Await.until("shards", () -> node.owned() == TestNode.SHARDS);
        node.engine.addTopic("orders");
        for (int i = 0; i < TestNode.SHARDS; i++) {
          node.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i));
        }
        node.publish("orders", "before");
        Await.until("before", () -> count("before") >= TestNode.SHARDS);
        brokers.kill(2);

        node.publish("orders", "after");

        Await.until(
            "the words",
            () ->
                shard(node)
                    .filter(each -> each.phase() == NodeState.Phase.WAITING_FOR_BROKERS)
                    .map(each -> each.backlog().problem())
                    .filter("the brokers do not take its turn"::equals)
                    .isPresent());
        Await.until("what is of others", () -> count("after") >= TestNode.SHARDS - 1);
        Await.until("the others at work", () -> othersAtWork(node) == TestNode.SHARDS - 1);

        brokers.restart(2);

        Await.until("what waited", () -> count("after") >= TestNode.SHARDS);
        Await.until(
            "no words",
            () ->
                shard(node)
                    .filter(each -> each.phase() == NodeState.Phase.RUNNING)
                    .filter(each -> each.backlog().problem() == null)
                    .isPresent());
        node.publish("orders", "then");
        Await.until("then", () -> count("then") >= TestNode.SHARDS);
      }
    }
  }

  /** Moves all partitions to the first broker; one of them has a replica on the second. */
  private static void haveOnTheFirst(Admin admin, Topics topics) throws Exception {
    Map<TopicPartition, Optional<NewPartitionReassignment>> places = new HashMap<>();
    for (var topic : admin.describeTopics(topics.names()).allTopicNames().get().values()) {
      for (TopicPartitionInfo each : topic.partitions()) {
        boolean both = topic.name().equals(topics.shards()) && each.partition() == REFUSED;
        places.put(
            new TopicPartition(topic.name(), each.partition()),
            Optional.of(new NewPartitionReassignment(both ? List.of(1, 2) : List.of(1))));
      }
    }
    admin.alterPartitionReassignments(places).all().get();
    Await.until(
        "the partitions at their places",
        () -> admin.listPartitionReassignments().reassignments().get().isEmpty());
  }

  private static void set(Admin admin, String topic, String setting, String value)
      throws Exception {
    admin
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(ConfigResource.Type.TOPIC, topic),
                List.of(
                    new AlterConfigOp(new ConfigEntry(setting, value), AlterConfigOp.OpType.SET))))
        .all()
        .get();
  }

  private AttemptOutcome attempt(String body) {
    arrived.add(body);
    return TestNode.delivered();
  }

  private long count(String body) {
    return arrived.stream().filter(body::equals).count();
  }

  private static Optional<NodeState.Owned> shard(TestNode node) {
    return node.host().state().owned().stream().filter(each -> each.shard() == REFUSED).findFirst();
  }

  private static long othersAtWork(TestNode node) {
    return node.host().state().owned().stream()
        .filter(each -> each.shard() != REFUSED && each.phase() == NodeState.Phase.RUNNING)
        .count();
  }
}
