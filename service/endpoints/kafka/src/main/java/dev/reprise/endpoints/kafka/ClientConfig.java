package dev.reprise.endpoints.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.types.Password;

/** The settings of Kafka's clients that follow from ours. */
final class ClientConfig {
  /**
   * The longest time that a call of the producer blocks, which happens on threads of the carrier
   * only.
   */
  static final int MAX_BLOCK_MILLIS = 3_000;

  private static final int REQUEST_MILLIS = 20_000;
  private static final int DELIVERY_MILLIS = 30_000;
  private static final int MAX_REQUEST_BYTES = 1 << 20;

  private ClientConfig() {}

  /** Returns the settings of a producer. */
  static Map<String, Object> producer(KafkaSettings settings, String clientId) {
    Map<String, Object> config = common(settings, clientId);
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    // Retries are decided elsewhere, and idempotence asks for retries of the producer's own.
    config.put(ProducerConfig.RETRIES_CONFIG, 0);
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, false);
    config.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MILLIS);
    config.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
    config.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS);
    config.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MAX_REQUEST_BYTES);
    config.put(ProducerConfig.COMPRESSION_TYPE_CONFIG, settings.compression().wireName());
    return config;
  }

  /** Returns the settings of a client that only looks. */
  static Map<String, Object> admin(KafkaSettings settings, String clientId) {
    Map<String, Object> config = common(settings, clientId);
    config.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, MAX_BLOCK_MILLIS);
    config.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, MAX_BLOCK_MILLIS);
    return config;
  }

  private static Map<String, Object> common(KafkaSettings settings, String clientId) {
    Map<String, Object> config = new HashMap<>();
    config.put(
        CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
        settings.addresses().stream().map(Object::toString).collect(Collectors.joining(",")));
    config.put(CommonClientConfigs.CLIENT_ID_CONFIG, clientId);
    // No beans for each client, and nothing about this process for the cluster.
    config.put(CommonClientConfigs.METRIC_REPORTER_CLASSES_CONFIG, "");
    config.put(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, false);
    config.put(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG, settings.security().kafkaName());
    if (settings.authority() != null) {
      config.put(SslConfigs.SSL_TRUSTSTORE_TYPE_CONFIG, "PEM");
      config.put(SslConfigs.SSL_TRUSTSTORE_CERTIFICATES_CONFIG, new Password(settings.authority()));
    }
    var password = settings.password();
    if (settings.security().hasLogin() && password != null) {
      config.put(SaslConfigs.SASL_MECHANISM, settings.mechanism().registeredName());
      String module =
          settings.mechanism() == KafkaSettings.Mechanism.PLAIN
              ? "org.apache.kafka.common.security.plain.PlainLoginModule"
              : "org.apache.kafka.common.security.scram.ScramLoginModule";
      config.put(
          SaslConfigs.SASL_JAAS_CONFIG,
          new Password(
              module
                  + " required username="
                  + quoted(String.valueOf(settings.username()))
                  + " password="
                  + quoted(password.reveal())
                  + ";"));
    }
    return config;
  }

  /** Returns the text as JAAS writes it, line breaks and quotes included. */
  static String quoted(String text) {
    return '"'
        + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\r", "\\r")
        + '"';
  }
}
