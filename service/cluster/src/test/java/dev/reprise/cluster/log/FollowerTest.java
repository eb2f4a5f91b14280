package dev.reprise.cluster.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cluster.SharedBroker;
import dev.reprise.cluster.base.BrokerClock;
import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.base.KafkaClients;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RocksSettings;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.fixtures.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies of logs that others write. */
@Tag("slow")
class FollowerTest {
  private static final String PREFIX = "f";
  private static final TopicPartition LOG = new TopicPartition(PREFIX + ".shards", 0);
  private static final long DAY = Duration.ofDays(1).toMillis();

  private static Brokers brokers;
  private static KafkaClients clients;

  @TempDir Path folder;
  private final AtomicLong kept = new AtomicLong(DAY);
  private RocksStore store;
  private final AtomicLong ahead = new AtomicLong();
  private LogCopy copy;
  private Follower follower;

  @BeforeAll
  static void findBroker() throws Exception {
    brokers = SharedBroker.get();
    clients =
        new KafkaClients(
            new ClusterSettings(
                brokers.bootstrap(),
                PREFIX,
                "one",
                "",
                Map.of(),
                1,
                (short) 1,
                1,
                Duration.ofSeconds(6),
                Duration.ofSeconds(1)));
    try (Admin admin = clients.admin()) {
      new Topics(PREFIX).ensure(admin, 1, (short) 1);
    }
    try (KafkaProducer<byte[], byte[]> producer = clients.producer("test", 1 << 20)) {
      Await.until("the log is known", () -> knows(producer, LOG));
      // What it deleted is forgotten by now.
      for (int i = 0; i < 20; i++) {
        producer.send(new ProducerRecord<>(LOG.topic(), 0, key("kept"), key("v" + i))).get();
      }
    }
  }

  private static boolean knows(KafkaProducer<byte[], byte[]> producer, TopicPartition log) {
    try {
      return !producer.partitionsFor(log.topic()).isEmpty();
    } catch (TimeoutException e) {
      return false;
    }
  }

  @BeforeEach
  void open() {
    store = RocksStore.open(folder, RocksSettings.defaults().withReserveBytes(0).withoutSync());
    copy = new LogCopy(store.view(1));
    follower =
        new Follower(
            clients, new BrokerClock(() -> System.currentTimeMillis() + ahead.get()), new Kept());
    follower.start();
  }

  @AfterEach
  void close() {
    follower.close();
    store.close();
  }

  private static byte[] key(String text) {
    return text.getBytes(UTF_8);
  }

  private void holds(String key, long position, long asOfMillis) {
    Batch batch = new Batch();
    batch.put(key(key), key("old"));
    copy.apply(batch, position, asOfMillis);
  }

  private void follow() {
    follower.follow(LOG, copy, keys -> {}, position -> {});
  }

  private void awaitEnd() {
    Await.until("position 20", copy::position, () -> copy.position() == 20);
    assertThat(copy.store().get(key("kept"))).isEqualTo(key("v19"));
  }

  @Test
  void goesOnFromACopyThatIsNotOld() {
    holds("not in the log", 3, System.currentTimeMillis());

    follow();

    awaitEnd();
    assertThat(copy.store().get(key("not in the log"))).isNotNull();
  }

  @Test
  void aCopyThatMayHaveMissedDeletionsIsMadeAnew() {
    holds("deleted", 3, System.currentTimeMillis() - DAY);

    follow();

    awaitEnd();
    assertThat(copy.store().get(key("deleted"))).isNull();
    assertThat(copy.asOfMillis()).isGreaterThan(System.currentTimeMillis() - DAY / 2);
  }

  @Test
  void aCopyIsMadeAnewAfterItsProcessHasStoodStill() throws Exception {
    TopicPartition log = new TopicPartition(PREFIX + ".catalog", 0);
    try (KafkaProducer<byte[], byte[]> producer = clients.producer("test", 1 << 20)) {
      Await.until("the log is known", () -> knows(producer, log));
      long before = producer.send(record(log, "a")).get().offset();
      holds("deleted", before, System.currentTimeMillis());
      follower.follow(log, copy, keys -> {}, position -> {});
      Await.until("one more", copy::position, () -> copy.position() == before + 1);
      assertThat(copy.store().get(key("deleted"))).isNotNull();

      ahead.set(DAY);
      producer.send(record(log, "b")).get();

      Await.until("two more", copy::position, () -> copy.position() == before + 2);
      assertThat(copy.store().get(key("deleted"))).isNull();
      assertThat(copy.store().get(key("a"))).isNotNull();
    }
  }

  private static ProducerRecord<byte[], byte[]> record(TopicPartition log, String key) {
    return new ProducerRecord<>(log.topic(), log.partition(), key(key), key("v"));
  }

  @Test
  void deletionsThatAreKeptForLessMakeACopyTooOld() {
    kept.set(TimeUnit.HOURS.toMillis(1));
    holds("deleted", 3, System.currentTimeMillis() - TimeUnit.HOURS.toMillis(1));

    follow();

    awaitEnd();
    assertThat(copy.store().get(key("deleted"))).isNull();
  }

  @Test
  void aCopyThatIsAheadOfItsLogIsNotTouched() {
    LogCopy ahead = new LogCopy(store.view(2));
    Batch batch = new Batch();
    batch.put(key("of another log"), key("old"));
    ahead.apply(batch, 1_000, System.currentTimeMillis());
    follower.follow(new TopicPartition(PREFIX + ".in", 0), ahead, keys -> {}, position -> {});

    follow();

    // The other one goes on beside it.
    awaitEnd();
    assertThat(ahead.position()).isEqualTo(1_000);
    assertThat(ahead.store().get(key("of another log"))).isNotNull();
  }

  /** Keeps deletions for a day, or for as long as a test says. */
  private final class Kept implements LogReader.Logs {
    @Override
    public long deletionsKeptMillis(String topic) {
      return kept.get();
    }

    @Override
    public void requireSame() {}
  }

  @Test
  void aTurnOfManyRecordsIsAppendedAndCopiedWhole() {
    TopicPartition log = new TopicPartition(PREFIX + ".in", 0);
    int count = 20_000;
    Batch turn = new Batch();
    for (int i = 0; i < count; i++) {
      turn.put(key("k" + i), new byte[1_000]);
      turn.delete(key("gone" + i));
    }
    try (KafkaTurnLog writer =
        KafkaTurnLog.own(clients, log.topic(), 0, Duration.ofSeconds(1), new BrokerClock(), null)) {
      long end = writer.append(turn);
      assertThat(end).isEqualTo(2L * count);
      follower.follow(log, copy, keys -> {}, position -> {});
      Await.until("the end of the log", copy::position, () -> copy.position() >= end);
      assertThat(copy.store().get(key("k" + (count - 1)))).hasSize(1_000);
    }
  }
}
