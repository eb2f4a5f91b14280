package dev.reprise.device.transport.amqp;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.device.message.Command;
import dev.reprise.device.message.Message;
import io.netty.util.concurrent.FastThreadLocal;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.protonj2.buffer.ProtonBuffer;
import org.apache.qpid.protonj2.buffer.ProtonBufferAllocator;
import org.apache.qpid.protonj2.codec.CodecFactory;
import org.apache.qpid.protonj2.codec.Decoder;
import org.apache.qpid.protonj2.codec.DecoderState;
import org.apache.qpid.protonj2.codec.Encoder;
import org.apache.qpid.protonj2.codec.EncoderState;
import org.apache.qpid.protonj2.types.Binary;
import org.apache.qpid.protonj2.types.messaging.AmqpValue;
import org.apache.qpid.protonj2.types.messaging.ApplicationProperties;
import org.apache.qpid.protonj2.types.messaging.Data;
import org.apache.qpid.protonj2.types.messaging.Header;
import org.apache.qpid.protonj2.types.messaging.Properties;
import org.apache.qpid.protonj2.types.messaging.Section;
import org.jspecify.annotations.Nullable;

/**
 * Messages as the sections that AMQP 1.0 part 3 gives them. Not thread-safe; each loop has its own,
 * for one in each connection would be a waste.
 */
final class MessageCodec {
  private static final int SECTIONS_BYTES = 128;
  private static final int NANOS_OF_MILLI = 1_000_000;

  /** The longest that AMQP can say: 49 days. A longer time is no limit. */
  private static final long MAX_TTL_MILLIS = 0xFFFF_FFFFL;

  private static final FastThreadLocal<MessageCodec> OF_LOOP =
      new FastThreadLocal<>() {
        @Override
        protected MessageCodec initialValue() {
          return new MessageCodec();
        }
      };

  private final Encoder encoder = CodecFactory.getDefaultEncoder();
  private final EncoderState encoding = encoder.newEncoderState();
  private final Decoder decoder = CodecFactory.getDefaultDecoder();
  private final DecoderState decoding = decoder.newDecoderState();

  private MessageCodec() {}

  static MessageCodec ofThisLoop() {
    return OF_LOOP.get();
  }

  /** The sections of a message that are understood here. */
  record Sections(
      @Nullable Properties properties, Map<String, Object> applicationProperties, byte[] body) {}

  /**
   * Encodes a message.
   *
   * @param waitedNanos how much of its time to live has passed since it was handed over
   * @throws RuntimeException of some kind when AMQP has no way to say it
   */
  ProtonBuffer encode(Message message, long waitedNanos) {
    Properties properties = new Properties().setMessageId(message.id());
    String contentType = message.contentType();
    if (contentType != null) {
      // A symbol. The encoder would cut each character to its last 8 bits.
      if (!US_ASCII.newEncoder().canEncode(contentType)) {
        throw new InvalidSettingException(
            "contentType", contentType, "must be of ASCII characters");
      }
      properties.setContentType(contentType);
    }
    byte[] body = message.body();
    return encode(
        SECTIONS_BYTES + message.sizeBytes(),
        header(message.timeToLive(), waitedNanos),
        properties,
        message.properties().isEmpty()
            ? null
            : new ApplicationProperties(new LinkedHashMap<>(message.properties())),
        new Data(body));
  }

  private static Header header(@Nullable Duration timeToLive, long waitedNanos) {
    // At least once means that the other side may not lose it either.
    Header header = new Header().setDurable(true);
    if (timeToLive == null) {
      return header;
    }
    // Rounded up, and never 0, which some peers take for "expired" and others for "never".
    Duration left = timeToLive.minusNanos(waitedNanos).plusNanos(NANOS_OF_MILLI - 1);
    long millis = Math.max(1, TimeUnit.MILLISECONDS.convert(left));
    return millis > MAX_TTL_MILLIS ? header : header.setTimeToLive(millis);
  }

  ProtonBuffer encode(int sizeBytes, @Nullable Section<?>... sections) {
    encoding.reset();
    ProtonBuffer buffer = ProtonBufferAllocator.defaultAllocator().allocate(sizeBytes);
    for (Section<?> section : sections) {
      if (section != null) {
        encoder.writeObject(buffer, encoding, section);
      }
    }
    return buffer;
  }

  /**
   * Reads a message.
   *
   * @throws org.apache.qpid.protonj2.codec.DecodeException when it is none
   */
  Sections decode(ProtonBuffer buffer) {
    decoding.reset();
    Properties properties = null;
    Map<String, Object> applicationProperties = Map.of();
    ByteArrayOutputStream body = new ByteArrayOutputStream(buffer.getReadableBytes());
    while (buffer.isReadable()) {
      Object section = decoder.readObject(buffer, decoding);
      if (section instanceof Properties found) {
        properties = found;
      } else if (section instanceof ApplicationProperties found && found.getValue() != null) {
        applicationProperties = found.getValue();
      } else if (section instanceof Data data && data.getValue() != null) {
        body.writeBytes(data.getValue());
      } else if (section instanceof AmqpValue<?> value) {
        body.writeBytes(bytes(value.getValue()));
      }
    }
    return new Sections(properties, applicationProperties, body.toByteArray());
  }

  static Command command(String name, Sections sections) {
    Object id = sections.properties() == null ? null : sections.properties().getMessageId();
    Map<String, String> properties = new LinkedHashMap<>();
    // A peer that breaks the rules can put keys there that are no texts.
    Map<?, ?> received = sections.applicationProperties();
    received.forEach((key, value) -> properties.put(String.valueOf(key), String.valueOf(value)));
    return new Command(name, id == null ? "" : id.toString(), sections.body(), properties);
  }

  private static byte[] bytes(@Nullable Object value) {
    if (value == null) {
      return new byte[0];
    }
    if (value instanceof Binary binary) {
      return binary.asByteArray();
    }
    return value.toString().getBytes(UTF_8);
  }
}
