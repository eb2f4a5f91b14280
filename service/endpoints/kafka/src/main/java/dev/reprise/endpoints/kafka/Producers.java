package dev.reprise.endpoints.kafka;

import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Makes producers. Thread-safe. */
class Producers {
  private static final AtomicLong NUMBERS = new AtomicLong();

  private final KafkaSettings settings;
  private final String name;

  Producers(KafkaSettings settings, String name) {
    this.settings = settings;
    this.name = name;
  }

  /**
   * Makes a producer, which looks the names of the brokers up.
   *
   * @throws RuntimeException of some kind when it cannot
   */
  Producer<byte[], byte[]> open() {
    return new KafkaProducer<>(
        ClientConfig.producer(settings, "reprise-" + name + "-" + NUMBERS.incrementAndGet()),
        new ByteArraySerializer(),
        new ByteArraySerializer());
  }
}
