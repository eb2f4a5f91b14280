package dev.reprise.endpoints.amqp;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.carrier.CarrierAttempt;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Encoder;
import org.apache.qpid.protonj2.codec.EncoderState;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Writes messages as the sections that AMQP 1.0 part 3 gives them. Not thread-safe. */
final class MessageEncoder {
  static final String ATTEMPT = "reprise-attempt";
  static final String TOPIC = "reprise-topic";
  static final String SUBSCRIPTION = "reprise-subscription";

  private static final int SECTIONS_BYTES = 512;

  private final Encoder encoder = CodecFactory.getDefaultEncoder();
  private final EncoderState state = encoder.newEncoderState();
  private final Header header;

  MessageEncoder(boolean durable) {
    header = new Header().setDurable(durable);
  }

  /**
   * Encodes the message of an attempt.
   *
   * @throws RuntimeException of some kind when AMQP has no way to encode it
   */
  ProtonBuffer encode(CarrierAttempt attempt) {
    byte[] body = attempt.content().body();
    Properties properties =
        new Properties()
            .setMessageId(attempt.message().toString())
            .setSubject(attempt.topic())
            .setContentType(symbol(attempt.content().contentType()));
    state.reset();
    ProtonBuffer buffer =
        ProtonBufferAllocator.defaultAllocator().allocate(SECTIONS_BYTES + body.length);
    encoder.writeObject(buffer, state, header);
    encoder.writeObject(buffer, state, properties);
    encoder.writeObject(buffer, state, new ApplicationProperties(properties(attempt)));
    encoder.writeObject(buffer, state, new Data(body));
    return buffer;
  }

  private static Map<String, Object> properties(CarrierAttempt attempt) {
    Map<String, Object> properties = new LinkedHashMap<>();
    attempt
        .attributes()
        .forEachEntry(
            (name, value) -> {
              Object simple = simple(value);
              if (simple != null) {
                properties.put(name, simple);
              }
            });
    // Last: an attribute of such a name must not pass for ours.
    properties.put(ATTEMPT, attempt.attempt());
    properties.put(TOPIC, attempt.topic());
    properties.put(SUBSCRIPTION, attempt.subscription());
    return properties;
  }

  /** Returns the value as a simple type of AMQP; null for null, which says nothing. */
  static @Nullable Object simple(JsonNode value) {
    if (value.isNull()) {
      return null;
    }
    if (value.isString()) {
      return value.stringValue();
    }
    if (value.isBoolean()) {
      return value.booleanValue();
    }
    if (!value.isNumber()) {
      return value.toString();
    }
    if (value.isIntegralNumber() && value.canConvertToLong()) {
      return value.longValue();
    }
    BigDecimal exact = value.decimalValue();
    double near = exact.doubleValue();
    // A number that no double writes in the same way stays as it was written.
    return Double.isFinite(near) && BigDecimal.valueOf(near).compareTo(exact) == 0
        ? (Object) near
        : value.toString();
  }

  private static String symbol(String contentType) {
    // The encoder would cut each character to its last 8 bits.
    if (!US_ASCII.newEncoder().canEncode(contentType)) {
      throw new IllegalArgumentException("the content type must be of ASCII characters");
    }
    return contentType;
  }
}
