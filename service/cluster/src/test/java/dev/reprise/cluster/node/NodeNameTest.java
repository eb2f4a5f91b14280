package dev.reprise.cluster.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cluster.SharedBroker;
import dev.reprise.cluster.base.ClusterException;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.group.MemberInfo;
import dev.reprise.cluster.group.Membership;
import dev.reprise.cluster.group.ShardAssignor;
import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.log.Topics;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.testkit.VirtualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node starts beside another process that has its name, or had it. */
@Tag("slow")
class NodeNameTest {
  private static Brokers brokers;

  @TempDir Path folder;

  @BeforeAll
  static void broker() throws Exception {
    brokers = SharedBroker.get();
  }

  private static ClusterSettings settings(String prefix, String node) {
    return settings(prefix, node, Duration.ofSeconds(1));
  }

  private static ClusterSettings settings(String prefix, String node, Duration session) {
    return new ClusterSettings(
        brokers.bootstrap(),
        prefix,
        node,
        "",
        Map.of(),
        1,
        (short) 1,
        0,
        session,
        Duration.ofSeconds(1));
  }

  /** A member of the group, as the one of a node that joins. */
  private static KafkaConsumer<byte[], byte[]> member(ClusterSettings settings) {
    KafkaConsumer<byte[], byte[]> member =
        new KafkaClients(settings)
            .member(
                ShardAssignor.class,
                new Membership() {
                  @Override
                  public MemberInfo self() {
                    return new MemberInfo(settings.node(), "", Map.of());
                  }

                  @Override
                  public void assigned(ShardMap map, List<Integer> followed) {}
                });
    member.subscribe(
        List.of(new Topics(settings.prefix()).in()),
        new ConsumerRebalanceListener() {
          @Override
          public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
            assigned.forEach(each -> member.seek(each, 0));
          }

          @Override
          public void onPartitionsRevoked(Collection<TopicPartition> revoked) {}
        });
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (member.assignment().isEmpty()) {
      assertThat(System.nanoTime()).as("joined").isLessThan(end);
      member.poll(Duration.ofMillis(20));
    }
    return member;
  }

  private static void makeTopics(ClusterSettings settings) throws InterruptedException {
    try (var admin = new KafkaClients(settings).admin()) {
      new Topics(settings.prefix()).ensure(admin, settings.shards(), settings.replication());
    }
  }

  private RocksStore store() {
    return RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0).withoutSync());
  }

  @Test
  void aNameThatAnotherProcessHasIsRefusedWithItsAddress() throws Exception {
    // One that stands still for longer would lose its name.
    ClusterSettings settings = settings("used", "one", Duration.ofSeconds(10));
    makeTopics(settings);
    // It heartbeats on a thread of its own.
    try (KafkaConsumer<byte[], byte[]> other = member(settings);
        RocksStore store = store()) {
      assertThat(other.assignment()).isNotEmpty();
      assertThatThrownBy(() -> new ClusterHost(settings, store))
          .isInstanceOf(ClusterException.class)
          .hasMessage(
              "node is 'one': must be a name that no other node has, and a process at 127.0.0.1 has"
                  + " it: give one of them another --node, or stop that one");
    }
  }

  @Test
  void aNodeThatWasKilledWaitsForTheEndOfItsSession() throws Exception {
    ClusterSettings settings = settings("killed", "one");
    makeTopics(settings);
    // It ends without a word to the group, as by kill -9.
    member(settings)
        .close(
            CloseOptions.timeout(Duration.ZERO)
                .withGroupMembershipOperation(
                    CloseOptions.GroupMembershipOperation.REMAIN_IN_GROUP));

    try (var admin = new KafkaClients(settings).admin()) {
      NodeName.awaitFree(admin, settings);

      assertThat(
              admin
                  .describeConsumerGroups(List.of("killed"))
                  .describedGroups()
                  .get("killed")
                  .toCompletionStage()
                  .toCompletableFuture()
                  .handle(
                      (group, error) -> group == null ? List.of() : List.copyOf(group.members()))
                  .get())
          .isEmpty();
    }
  }

  /** Brokers that have just started answer late, and count the session from then on. */
  @Test
  void aLateAnswerLeavesAWholeSessionToWaitFor() throws Exception {
    VirtualTime time = new VirtualTime();
    Duration firstAnswer = Duration.ofSeconds(50);
    Duration sessionEnd = Duration.ofSeconds(56);

    NodeName.awaitFree(
        settings("late", "one", Duration.ofSeconds(6)),
        () -> {
          if (time.elapsed().isZero()) {
            time.advance(firstAnswer);
          }
          return time.elapsed().compareTo(sessionEnd) < 0 ? List.of("192.0.2.1") : List.of();
        },
        time);

    assertThat(time.elapsed()).isEqualTo(sessionEnd);
  }

  @Test
  void aNameThatStaysInUseIsRefusedAfterTwoSessionsAndABit() {
    VirtualTime time = new VirtualTime();

    assertThatThrownBy(
            () ->
                NodeName.awaitFree(
                    settings("stays", "one", Duration.ofSeconds(6)),
                    () -> List.of("192.0.2.1", "192.0.2.2"),
                    time))
        .isInstanceOf(ClusterException.class)
        .hasMessageContaining("a process at 192.0.2.1 and 192.0.2.2 has it");
    assertThat(time.elapsed()).isEqualTo(Duration.ofSeconds(14));
  }

  @Test
  void anotherNameIsNotWaitedFor() throws Exception {
    ClusterSettings settings = settings("others", "one");
    makeTopics(settings);
    try (KafkaConsumer<byte[], byte[]> other = member(settings);
        var admin = new KafkaClients(settings).admin()) {
      NodeName.awaitFree(admin, settings("others", "one-more"));

      assertThat(other.assignment()).isNotEmpty();
    }
  }
}
