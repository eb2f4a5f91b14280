package dev.reprise.endpoints.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.carrier.CarrierAttempt;
import java.util.Set;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Writes messages as records. Thread-safe. */
final class RecordWriter {
  static final String MESSAGE_ID = "reprise-message-id";
  static final String CONTENT_TYPE = "content-type";
  static final String ATTEMPT = "reprise-attempt";
  static final String TOPIC = "reprise-topic";
  static final String SUBSCRIPTION = "reprise-subscription";

  private static final Set<String> OURS =
      Set.of(MESSAGE_ID, CONTENT_TYPE, ATTEMPT, TOPIC, SUBSCRIPTION);

  private final @Nullable String keyAttribute;

  RecordWriter(@Nullable String keyAttribute) {
    this.keyAttribute = keyAttribute;
  }

  ProducerRecord<byte[], byte[]> write(CarrierAttempt attempt) {
    String id = attempt.message().toString();
    JsonNode key = keyAttribute == null ? null : attempt.attributes().get(keyAttribute);
    ProducerRecord<byte[], byte[]> written =
        new ProducerRecord<>(
            attempt.endpoint(),
            bytes(key == null || key.isNull() ? id : text(key)),
            attempt.content().body());
    Headers headers = written.headers();
    attempt
        .attributes()
        .forEachEntry(
            (name, value) -> {
              // An attribute of such a name must not pass for ours.
              if (!OURS.contains(name) && !value.isNull()) {
                headers.add(name, bytes(text(value)));
              }
            });
    headers.add(MESSAGE_ID, bytes(id));
    headers.add(CONTENT_TYPE, bytes(attempt.content().contentType()));
    headers.add(ATTEMPT, bytes(Integer.toString(attempt.attempt())));
    headers.add(TOPIC, bytes(attempt.topic()));
    headers.add(SUBSCRIPTION, bytes(attempt.subscription()));
    return written;
  }

  private static String text(JsonNode value) {
    return value.isString() ? value.stringValue() : value.toString();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
