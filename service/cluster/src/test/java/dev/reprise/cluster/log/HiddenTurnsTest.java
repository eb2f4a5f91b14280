package dev.reprise.cluster.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cluster.SharedBroker;
import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.StoreException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Turns that were acknowledged are there for the next owner, whatever their broker went through.
 */
@Tag("slow")
class HiddenTurnsTest {
  private static final TopicPartition PARTITION = new TopicPartition("reprise.shards", 0);

  @TempDir Path folder;

  /** Kafka loses the mark of a commit in more than half of these rounds. */
  @Test
  void whatABrokerHadAcknowledgedWhenItWasKilledIsSeen() throws Exception {
    List<String> appended = new ArrayList<>();
    try (Brokers brokers = Brokers.start(folder, 1)) {
      KafkaClients clients = clients(brokers);
      ensureTopics(clients);
      for (int round = 0; round < 2; round++) {
        KafkaTurnLog log = own(clients);
        for (int i = 0; i < 2; i++) {
          appended.add(round + "-" + i);
          log.append(turn(round + "-" + i));
        }
        brokers.kill(1);
        log.abandon();
        brokers.restart(1);

        try (KafkaTurnLog next = own(clients);
            KafkaConsumer<byte[], byte[]> consumer = clients.consumer("test")) {
          new HiddenTurns(clients, next, PARTITION).reveal(consumer);
          assertThat(values(consumer)).as("round %s", round).containsExactlyElementsOf(appended);
        }
      }
    }
  }

  @Test
  void whatIsOpenAndNoWholeTurnIsRefused() throws Exception {
    KafkaClients clients = clients(SharedBroker.get());
    ensureTopics(clients);
    try (KafkaProducer<byte[], byte[]> stranger = clients.fenced("stranger")) {
      stranger.initTransactions();
      stranger.beginTransaction();
      stranger.send(new ProducerRecord<>(PARTITION.topic(), 0, "k".getBytes(UTF_8), null)).get();

      try (KafkaTurnLog log = own(clients);
          KafkaConsumer<byte[], byte[]> consumer = clients.consumer("test")) {
        assertThatThrownBy(() -> new HiddenTurns(clients, log, PARTITION).reveal(consumer))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("reprise.shards-0: of what is open since [0] only 0 are turns")
            .hasMessageContaining("kafka-transactions.sh");
      }
      stranger.abortTransaction();
    }
  }

  private static KafkaClients clients(Brokers brokers) {
    return new KafkaClients(ClusterSettings.of(brokers.bootstrap(), "one", ""));
  }

  private static void ensureTopics(KafkaClients clients) throws InterruptedException {
    try (Admin admin = clients.admin()) {
      assertThat(new Topics("reprise").ensure(admin, 1, (short) 1)).isEqualTo(1);
    }
  }

  private static KafkaTurnLog own(KafkaClients clients) {
    return KafkaTurnLog.own(
        clients, PARTITION.topic(), 0, Duration.ofSeconds(1), new BrokerClock(), null);
  }

  private static Batch turn(String value) {
    Batch batch = new Batch();
    batch.put((value + "-a").getBytes(UTF_8), new byte[] {1});
    batch.put(value.getBytes(UTF_8), value.getBytes(UTF_8));
    return batch;
  }

  /** The values of the second records of all turns. */
  private static List<String> values(KafkaConsumer<byte[], byte[]> consumer) {
    consumer.assign(List.of(PARTITION));
    consumer.seekToBeginning(List.of(PARTITION));
    long end = LogReader.end(consumer, PARTITION);
    List<String> values = new ArrayList<>();
    while (consumer.position(PARTITION) < end) {
      for (ConsumerRecord<byte[], byte[]> each :
          consumer.poll(Duration.ofMillis(200)).records(PARTITION)) {
        if (Arrays.equals(each.key(), each.value())) {
          values.add(new String(each.value(), UTF_8));
        }
      }
    }
    return values;
  }
}
