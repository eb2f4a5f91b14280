package dev.reprise.cluster.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.ClusterCatalog;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Probes the brokers by a client that answers when the test says so. */
class IntakeProducerTest {
  private static final String TOPIC = "t.in";
  private static final Node ONE = new Node(1, "b1", 9092);
  private static final Node TWO = new Node(2, "b2", 9092);

  /** Who leads partition 0, 1, …; {@code Node.noNode()} for nobody. */
  private List<Node> leaders = List.of(Node.noNode(), ONE, TWO, ONE);

  private final MockProducer<byte[], byte[]> client =
      new MockProducer<>(
          Cluster.empty(), false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
        @Override
        public List<PartitionInfo> partitionsFor(String topic) {
          List<PartitionInfo> partitions = new ArrayList<>();
          for (int i = 0; i < leaders.size(); i++) {
            partitions.add(new PartitionInfo(topic, i, leaders.get(i), new Node[0], new Node[0]));
          }
          return partitions;
        }
      };

  private final BrokerClock clock = new BrokerClock();
  @TempDir Path folder;
  private RocksStore store;
  private IntakeProducer producer;

  @BeforeEach
  void open() {
    store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0).withoutSync());
    ClusterCatalog catalog = new ClusterCatalog(new LogCopy(store.view(1)));
    producer =
        new IntakeProducer(
            () -> client, TOPIC, clock, catalog, new NodeLoad(() -> 0, System.nanoTime()));
  }

  @AfterEach
  void close() {
    producer.close();
    store.close();
  }

  private List<Integer> probed() {
    return client.history().stream().map(ProducerRecord::partition).sorted().toList();
  }

  @Test
  void onePartitionOfEachBrokerThatLeadsAnyIsProbed() {
    producer.probe(shard -> false);

    assertThat(probed()).containsExactly(1, 2);
  }

  @Test
  void aShardThatTakesWhatComesIsProbedInPlaceOfOneThatStands() {
    leaders = List.of(ONE, ONE, TWO, ONE, TWO);
    producer.probe(shard -> shard == 1 || shard == 3);

    // Of the second broker none is known to take anything.
    assertThat(probed()).containsExactly(1, 2);
  }

  @Test
  void withoutAnyLeaderTheClientAsksWhoLeads() {
    leaders = List.of(Node.noNode(), Node.noNode());
    producer.probe(shard -> false);

    assertThat(probed()).containsExactly(0);
  }

  @Test
  void aBrokerThatDoesNotAnswerIsNoFaultWhileAnotherDoes() {
    producer.probe(shard -> false);
    assertThat(client.completeNext()).isTrue();
    assertThat(client.errorNext(new TimeoutException("expired"))).isTrue();

    assertThat(producer.fault()).isNull();
  }

  @Test
  void brokersThatAllRefuseAreAFault() {
    producer.probe(shard -> false);
    assertThat(client.errorNext(new TimeoutException("expired"))).isTrue();
    assertThat(client.errorNext(new TimeoutException("expired"))).isTrue();

    assertThat(producer.fault()).hasMessageContaining("did not take a message: expired");
  }

  @Test
  void anAppendUnderAnotherLeaderTellsNobodysTime() {
    leaders = List.of(ONE);
    producer.probe(shard -> false);
    leaders = List.of(TWO);
    // This client's answers are of 1969, which would be a clock that is off.
    assertThat(client.completeNext()).isTrue();

    assertThat(clock.brokerMillis()).isZero();
    assertThat(clock.isRight()).isTrue();
  }

  @Test
  void anAppendUnderTheSameLeaderTellsItsTime() {
    leaders = List.of(ONE);
    producer.probe(shard -> false);
    assertThat(client.completeNext()).isTrue();

    assertThat(clock.isRight()).isFalse();
  }
}
