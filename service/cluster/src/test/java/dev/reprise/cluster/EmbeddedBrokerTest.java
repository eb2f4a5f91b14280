package dev.reprise.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.broker.EmbeddedBroker;
import dev.reprise.cluster.log.KafkaTurnLog;
import dev.reprise.cluster.log.MigrationLog;
import dev.reprise.cluster.log.Topics;
import dev.reprise.common.file.FolderInUseException;
import dev.reprise.delivery.store.Batch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker in this process, which is started twice on its folder. */
class EmbeddedBrokerTest {
  private static final TopicPartition CATALOG = new TopicPartition("reprise.catalog", 0);

  @TempDir Path folder;

  private static KafkaClients clients(EmbeddedBroker broker) {
    return new KafkaClients(ClusterSettings.of(broker.address(), "one", ""));
  }

  private static KafkaTurnLog own(KafkaClients clients) {
    return KafkaTurnLog.own(
        clients, CATALOG.topic(), 0, Duration.ofSeconds(1), new BrokerClock(), null);
  }

  @Test
  @Tag("slow")
  void what_was_committed_is_there_after_another_start() throws Exception {
    String address;
    String id;
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder)) {
      address = broker.address();
      KafkaClients clients = clients(broker);
      try (Admin admin = clients.admin()) {
        id = Topics.brokersId(admin);
        assertThat(new Topics("reprise").ensure(admin, 2, (short) 1)).isEqualTo(2);
      }
      try (KafkaTurnLog log = own(clients)) {
        Batch batch = new Batch();
        batch.put("key".getBytes(UTF_8), "value".getBytes(UTF_8));
        log.append(batch);
      }

      assertThatThrownBy(() -> EmbeddedBroker.start(folder))
          .isInstanceOf(FolderInUseException.class);
    }

    try (EmbeddedBroker broker = EmbeddedBroker.start(folder)) {
      assertThat(broker.address()).isEqualTo(address).startsWith("127.0.0.1:");
      KafkaClients clients = clients(broker);
      try (Admin admin = clients.admin()) {
        assertThat(Topics.brokersId(admin)).isEqualTo(id);
      }
      try (KafkaTurnLog next = own(clients);
          KafkaConsumer<byte[], byte[]> consumer = clients.consumer("test")) {
        assertThat(next.hasEnded()).isFalse();
        ConsumerRecord<byte[], byte[]> first = MigrationLog.first(consumer, CATALOG);
        assertThat(first).isNotNull();
        assertThat(first.value()).isEqualTo("value".getBytes(UTF_8));
      }
    }
  }

  @Test
  void a_port_that_another_process_has_is_named() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Path ports = folder.resolve("ports");
      Files.writeString(ports, other.getLocalPort() + " 1\n");

      assertThatThrownBy(() -> EmbeddedBroker.start(folder))
          .isInstanceOf(IOException.class)
          .hasMessage(
              "port "
                  + other.getLocalPort()
                  + " of the broker in this process is in use by another process: end that one, or"
                  + " delete "
                  + ports
                  + " for other ports");
    }
  }

  @Test
  void a_file_of_ports_that_is_damaged_is_named() throws Exception {
    Path ports = folder.resolve("ports");
    Files.writeString(ports, "none\n");

    assertThatThrownBy(() -> EmbeddedBroker.start(folder))
        .isInstanceOf(IOException.class)
        .hasMessage(ports + " is damaged: it must hold two ports");
  }
}
