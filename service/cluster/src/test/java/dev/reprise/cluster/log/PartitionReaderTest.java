package dev.reprise.cluster.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.cluster.SharedBroker;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.fixtures.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Partitions of which one cannot be read. A damaged batch is in {@code NodeFaultsTest}. */
@Tag("slow")
class PartitionReaderTest {
  private static final String TOPIC = "partition-reader";
  private static final int PARTITIONS = 13;

  private static Brokers brokers;
  private static KafkaProducer<byte[], byte[]> producer;

  private final Map<TopicPartition, Long> outOfRange = new TreeMap<>(this::byNumber);
  private final Map<Integer, List<String>> read = new HashMap<>();
  private @Nullable PartitionReader reader;

  /** Throws for as long as a partition is among what is fetched. */
  private final Map<Integer, Throwable> errors = new HashMap<>();

  private int byNumber(TopicPartition one, TopicPartition other) {
    return Integer.compare(one.partition(), other.partition());
  }

  @BeforeAll
  static void makeTopic() throws Exception {
    brokers = SharedBroker.get();
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", brokers.bootstrap()),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", brokers.bootstrap()))) {
      var unused =
          admin
              .createTopics(
                  List.of(new NewTopic(TOPIC, Optional.of(PARTITIONS), Optional.<Short>empty())))
              .all()
              .get();
      awaitKnown();
      send("a");
      deleteBefore(admin, new TopicPartition(TOPIC, 2), 1);
    }
  }

  private static void awaitKnown() throws Exception {
    for (int i = 0; i < PARTITIONS; i++) {
      while (true) {
        try {
          producer.send(new ProducerRecord<>(TOPIC, i, null, "first".getBytes(UTF_8))).get();
          break;
        } catch (ExecutionException e) {
          assertThat(e.getCause()).isInstanceOf(UnknownTopicOrPartitionException.class);
        }
      }
    }
  }

  private static void send(String text) throws Exception {
    for (int i = 0; i < PARTITIONS; i++) {
      producer.send(new ProducerRecord<>(TOPIC, i, null, text.getBytes(UTF_8))).get();
    }
  }

  private static void deleteBefore(Admin admin, TopicPartition partition, long offset)
      throws Exception {
    admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset))).all().get();
  }

  @AfterEach
  void close() {
    if (reader != null) {
      reader.close();
    }
  }

  private PartitionReader open() {
    Map<String, Object> config =
        Map.of("bootstrap.servers", brokers.bootstrap(), "auto.offset.reset", "none");
    PartitionReader made = new PartitionReader(new Failing(config), outOfRange::put);
    reader = made;
    return made;
  }

  private final class Failing extends KafkaConsumer<byte[], byte[]> {
    Failing(Map<String, Object> config) {
      super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      for (Map.Entry<Integer, Throwable> each : errors.entrySet()) {
        TopicPartition partition = new TopicPartition(TOPIC, each.getKey());
        if (assignment().contains(partition) && !paused().contains(partition)) {
          if (each.getValue() instanceof LinkageError error) {
            throw error;
          }
          throw (RuntimeException) each.getValue();
        }
      }
      return super.poll(timeout);
    }
  }

  private static TopicPartition partition(int number) {
    return new TopicPartition(TOPIC, number);
  }

  private void pollUntil(PartitionReader polled, BooleanSupplier condition) {
    Await.until(
        "read",
        () -> read + ", " + polled.standing(),
        () -> {
          if (!condition.getAsBoolean()) {
            polled.poll(Duration.ofMillis(50)).forEach(this::add);
          }
          return condition.getAsBoolean();
        });
  }

  private void add(TopicPartition partition, List<ConsumerRecord<byte[], byte[]>> records) {
    List<String> texts = read.computeIfAbsent(partition.partition(), key -> new ArrayList<>());
    records.forEach(each -> texts.add(new String(each.value(), UTF_8)));
  }

  private boolean hasRead(int partition) {
    return List.of("first", "a").equals(read.get(partition));
  }

  private void standsAlone(int bad, Throwable error) {
    errors.put(bad, error);
    PartitionReader opened = open();
    List<Integer> numbers = List.of(0, 1, 3, 12);
    numbers.forEach(each -> opened.begin(partition(each), 0));

    pollUntil(opened, () -> numbers.stream().filter(each -> each != bad).allMatch(this::hasRead));

    assertThat(opened.standing()).containsOnlyKeys(partition(bad));
    assertThat(opened.standing().get(partition(bad)))
        .satisfies(
            stands -> {
              assertThat(stands.offset()).isZero();
              assertThat(stands.reason()).contains("zstd");
            });
    assertThat(opened.partitions()).hasSize(4);
    assertThat(read).doesNotContainKey(bad);
    errors.clear();
    pollUntil(opened, () -> hasRead(bad));
    assertThat(opened.standing()).isEmpty();
    // No record is given twice, whatever the search has read.
    assertThat(read.values()).allMatch(List.of("first", "a")::equals);
  }

  @Test
  void anErrorThatNamesNoPartitionIsFoundAndOthersGoOn() {
    standsAlone(1, new NoClassDefFoundError("could not load zstd"));
  }

  @Test
  void aPartitionIsFoundByItsWholeName() {
    standsAlone(12, new KafkaException(TOPIC + "-12: no zstd"));
  }

  @Test
  void aPausedPartitionIsNotBlamedAndStaysPaused() {
    errors.put(1, new KafkaException("zstd"));
    PartitionReader opened = open();
    List.of(0, 1, 3).forEach(each -> opened.begin(partition(each), 0));
    opened.pause(partition(3), true);

    pollUntil(opened, () -> hasRead(0) && !opened.standing().isEmpty());

    assertThat(opened.standing()).containsOnlyKeys(partition(1));
    assertThat(read).doesNotContainKey(3);
    opened.pause(partition(3), false);
    pollUntil(opened, () -> hasRead(3));
  }

  @Test
  void anErrorOfAllIsThrown() {
    PartitionReader opened = open();
    opened.begin(partition(0), 0);
    opened.begin(partition(1), 0);
    pollUntil(opened, () -> hasRead(0) && hasRead(1));
    RuntimeException ofAll = new TopicAuthorizationException(TOPIC);
    errors.put(0, ofAll);

    assertThat(catchThrowable(() -> opened.poll(Duration.ZERO))).isSameAs(ofAll);
    assertThat(opened.standing()).isEmpty();
  }

  @Test
  void aPlaceThatIsNotThereIsToldAndHoldsNoOtherUp() {
    PartitionReader opened = open();
    opened.begin(partition(0), 0);
    opened.begin(partition(2), 0);
    opened.begin(partition(3), 7);

    pollUntil(opened, () -> hasRead(0) && outOfRange.size() == 2);

    assertThat(outOfRange).isEqualTo(Map.of(partition(2), 0L, partition(3), 7L));
    assertThat(opened.partitions()).containsExactly(partition(0));
    opened.begin(partition(2), 1);
    pollUntil(opened, () -> List.of("a").equals(read.get(2)));
  }

  @Test
  void aPartitionThatIsGivenBackIsNotReadAgain() {
    errors.put(1, new KafkaException("zstd"));
    PartitionReader opened = open();
    List.of(0, 1).forEach(each -> opened.begin(partition(each), 0));
    pollUntil(opened, () -> !opened.standing().isEmpty());

    opened.retain(List.of(partition(0)));
    errors.clear();

    assertThat(opened.standing()).isEmpty();
    assertThat(opened.partitions()).containsExactly(partition(0));
    opened.begin(partition(3), 0);
    pollUntil(opened, () -> hasRead(3) && hasRead(0));
    assertThat(read).doesNotContainKey(1);
  }
}
