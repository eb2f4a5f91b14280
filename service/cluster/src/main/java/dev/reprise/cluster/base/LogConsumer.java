package dev.reprise.cluster.base;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * A consumer of partitions that it is given, as Kafka's. A thread that was interrupted closes it in
 * order as well: Kafka's own does not notify the brokers then, logs that as an error, and throws.
 */
final class LogConsumer extends KafkaConsumer<byte[], byte[]> {
  /** The time to notify the brokers of its end; those that are away need not be notified. */
  private static final Duration CLOSE_WAIT = Duration.ofSeconds(2);

  LogConsumer(Map<String, Object> config) {
    super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  @Override
  public void close() {
    boolean interrupted = Thread.interrupted();
    try {
      close(CloseOptions.timeout(CLOSE_WAIT));
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
