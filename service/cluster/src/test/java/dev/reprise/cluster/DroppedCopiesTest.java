package dev.reprise.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.log.UnusedCopies;
import dev.reprise.cluster.ownership.NodeState;
import dev.reprise.delivery.catalog.SubscriptionSettings;
import dev.reprise.delivery.store.Store;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The disk of a node has what it owns and follows, also after shards have moved. */
@Tag("slow")
class DroppedCopiesTest {
  private static final byte[] ALL = {-1, -1, -1, -1};

  @TempDir Path folder;
  private final AtomicLong aheadNanos = new AtomicLong();

  private TestNode node(Brokers brokers, String name) {
    ClusterSettings settings =
        new ClusterSettings(
            brokers.bootstrap(),
            "dropped",
            name,
            "",
            Map.of(),
            TestNode.SHARDS,
            (short) 1,
            0,
            Duration.ofSeconds(6),
            Duration.ofSeconds(1));
    return new TestNode(
        settings,
        folder.resolve(name),
        System::currentTimeMillis,
        // Each look finds that half a minute has passed.
        () -> aheadNanos.addAndGet(UnusedCopies.MAX_COUNTED_NANOS),
        body -> TestNode.delivered());
  }

  /** The shards of which a node's store has any key. */
  private static Set<Integer> shardsWithKeys(TestNode node) {
    Set<Integer> found = new TreeSet<>();
    for (int shard = 0; shard < TestNode.SHARDS; shard++) {
      try (Store.Cursor cursor = node.host().store().view(1 + shard).range(new byte[] {}, ALL)) {
        if (cursor.next()) {
          found.add(shard);
        }
      }
    }
    return found;
  }

  private static Set<Integer> owned(TestNode node) {
    return node.host().state().owned().stream()
        .filter(each -> each.phase() == NodeState.Phase.RUNNING)
        .map(NodeState.Owned::shard)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void aNodeKeepsNothingOfShardsThatHaveMovedAway() throws Exception {
    Brokers brokers = SharedBroker.get();
    try (TestNode one = node(brokers, "one")) {
      Await.until("all shards", () -> one.owned() == TestNode.SHARDS);
      one.engine.addTopic("orders");
      for (int i = 0; i < TestNode.SHARDS; i++) {
        one.engine.subscribe("orders", SubscriptionSettings.of("http://192.0.2.1/" + i));
      }
      one.publish("orders", "a");
      Await.until("delivered", () -> one.engine.ledger().delivered() == TestNode.SHARDS);
      assertThat(shardsWithKeys(one)).hasSize(TestNode.SHARDS);

      try (TestNode two = node(brokers, "two")) {
        Await.until(
            "half of the shards each", () -> owned(one).size() == 2 && owned(two).size() == 2);

        Await.until("what one gave away is gone", () -> shardsWithKeys(one).equals(owned(one)));
        assertThat(one.host().copies().keySet()).isEqualTo(owned(one));
        Await.until("that is counted", () -> one.host().figures().copiesDropped() >= 2);
        one.publish("orders", "b");
        Await.until(
            "delivered",
            () ->
                one.engine.ledger().plus(two.engine.ledger()).delivered() == 2L * TestNode.SHARDS);
      }
      // It has them again, from the log.
      Await.until("all shards", () -> one.owned() == TestNode.SHARDS);
      Await.until("all is there", () -> one.engine.ledger().delivered() == 2L * TestNode.SHARDS);
      assertThat(one.engine.ledger().accepted()).isEqualTo(2L * TestNode.SHARDS);
      assertThat(one.engine.ledger().unexplained()).isZero();
      assertThat(shardsWithKeys(one)).hasSize(TestNode.SHARDS);
    }
  }
}
