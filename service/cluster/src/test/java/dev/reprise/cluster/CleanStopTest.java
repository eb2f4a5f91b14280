package dev.reprise.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.cluster.log.HiddenTurns;
import dev.reprise.cluster.log.Topics;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A node that is asked to stop says nothing that an operator would have to look at. */
@Tag("slow")
class CleanStopTest {
  private static final String PREFIX = "clean";

  @TempDir Path folder;

  private final ListAppender<ILoggingEvent> said = new ListAppender<>();

  @BeforeEach
  void listen() {
    said.setContext((LoggerContext) LoggerFactory.getILoggerFactory());
    said.start();
  }

  @AfterEach
  void listenNoMore() {
    root().detachAppender(said);
  }

  private static Logger root() {
    return (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }

  @Test
  void aStopDuringTakeoversLogsNoErrorAndWarnsOfNoBroker() throws Exception {
    Brokers brokers = SharedBroker.get();
    ClusterSettings settings = ClusterSettings.of(brokers.bootstrap(), "other", "");
    KafkaClients clients = new KafkaClients(settings);
    try (Admin admin = clients.admin()) {
      new Topics(PREFIX).ensure(admin, TestNode.SHARDS, (short) 1);
    }
    try (KafkaProducer<byte[], byte[]> open = clients.fenced("open-in-" + PREFIX)) {
      // Each take-over looks for what is behind this, with clients of its own, again and again.
      open.initTransactions();
      open.beginTransaction();
      for (int shard = 0; shard < TestNode.SHARDS; shard++) {
        byte[] text = "no turn".getBytes(UTF_8);
        open.send(new ProducerRecord<>(new Topics(PREFIX).shards(), shard, text, text)).get();
      }
      TestNode node = new TestNode(brokers, PREFIX, "one", folder, body -> TestNode.delivered());
      Await.value("take-overs", CleanStopTest::looking, count -> count >= TestNode.SHARDS);
      root().addAppender(said);

      node.close();

      assertThat(warnings()).isEmpty();
    }
  }

  @Test
  void anInterruptedThreadClosesItsConsumerInOrder() throws Exception {
    Brokers brokers = SharedBroker.get();
    KafkaClients clients =
        new KafkaClients(ClusterSettings.of(brokers.bootstrap(), "interrupted", ""));
    try (Admin admin = clients.admin()) {
      new Topics("interrupted").ensure(admin, 1, (short) 1);
    }
    TopicPartition log = new TopicPartition(new Topics("interrupted").shards(), 0);
    KafkaConsumer<byte[], byte[]> consumer = clients.consumer("restore");
    try (consumer) {
      consumer.assign(List.of(log));
      consumer.seekToBeginning(List.of(log));
      // A broker has a session of such a consumer, which its end is told.
      consumer.poll(Duration.ofSeconds(1));
      root().addAppender(said);
      Thread.currentThread().interrupt();
    }

    assertThat(Thread.interrupted()).as("its thread is still to end").isTrue();
    assertThat(warnings()).isEmpty();
  }

  /** Warnings and errors, without those that the service's settings of the log leave out. */
  private List<String> warnings() {
    return List.copyOf(said.list).stream()
        .filter(each -> each.getLevel().isGreaterOrEqual(Level.WARN))
        .filter(each -> !each.getLoggerName().endsWith(".OffsetFetcherUtils"))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  /** How many take-overs wait for what is hidden. */
  private static long looking() {
    return Thread.getAllStackTraces().values().stream()
        .filter(
            frames ->
                List.of(frames).stream()
                    .anyMatch(each -> each.getClassName().equals(HiddenTurns.class.getName())))
        .count();
  }
}
