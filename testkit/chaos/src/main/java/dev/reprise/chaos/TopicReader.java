package dev.reprise.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads everything that is committed in topics, as an application does. */
final class TopicReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final KafkaConsumer<byte[], byte[]> consumer;

  TopicReader(String brokers) {
    consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers",
                brokers,
                "isolation.level",
                "read_committed",
                "enable.auto.commit",
                "false",
                "max.poll.records",
                "10000"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
  }

  /** Returns the records up to the present end, those of each partition in their order. */
  List<ConsumerRecord<byte[], byte[]>> read(String topic) {
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(each -> new TopicPartition(topic, each.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
    Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    long limit = System.nanoTime() + PATIENCE.toNanos();
    while (ends.entrySet().stream()
        .anyMatch(each -> consumer.position(each.getKey()) < each.getValue())) {
      if (System.nanoTime() - limit > 0) {
        throw new IllegalStateException(topic + " cannot be read to its end");
      }
      consumer.poll(POLL).forEach(records::add);
    }
    return records;
  }

  @Override
  public void close() {
    consumer.close();
  }
}
