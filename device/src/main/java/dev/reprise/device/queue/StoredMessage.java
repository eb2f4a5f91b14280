package dev.reprise.device.queue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.device.message.Message;
import dev.reprise.device.message.Priority;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as the payload of a frame: {@code flags (1) | priority (1) | sizeBytes (4) | lifetime
 * (28, if any) | id | contentType (if any) | number of properties (4) | names and values | body}. A
 * text is its length in bytes (4) and its UTF-8.
 *
 * @param lifetime how long it is worth sending, or null: without a limit
 */
record StoredMessage(Priority priority, int sizeBytes, @Nullable Lifetime lifetime) {
  /**
   * The time for which a message is worth sending, and its beginning.
   *
   * @param acceptedWallMillis the wall time of its acceptance: for the next process
   * @param acceptedAgeNanos its age of acceptance: for the process that accepted it
   */
  record Lifetime(Duration timeToLive, long acceptedWallMillis, long acceptedAgeNanos) {}

  private static final int HAS_LIFETIME = 1;
  private static final int LIFETIME_IS_ITS_OWN = 2;
  private static final int HAS_CONTENT_TYPE = 4;

  static byte[] encode(Message message, @Nullable Lifetime lifetime) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(message.sizeBytes());
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      String contentType = message.contentType();
      out.writeByte(
          (lifetime == null ? 0 : HAS_LIFETIME)
              | (message.timeToLive() == null ? 0 : LIFETIME_IS_ITS_OWN)
              | (contentType == null ? 0 : HAS_CONTENT_TYPE));
      out.writeByte(code(message.priority()));
      out.writeInt(message.sizeBytes());
      if (lifetime != null) {
        out.writeLong(lifetime.timeToLive.getSeconds());
        out.writeInt(lifetime.timeToLive.getNano());
        out.writeLong(lifetime.acceptedWallMillis);
        out.writeLong(lifetime.acceptedAgeNanos);
      }
      writeText(out, message.id());
      if (contentType != null) {
        writeText(out, contentType);
      }
      out.writeInt(message.properties().size());
      for (Map.Entry<String, String> property : message.properties().entrySet()) {
        writeText(out, property.getKey());
        writeText(out, property.getValue());
      }
      out.write(message.body());
    } catch (IOException e) {
      throw new UncheckedIOException("a stream in memory never fails", e);
    }
    return bytes.toByteArray();
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /** Reads what stands before the message itself. */
  static StoredMessage head(ByteBuffer payload) {
    int flags = payload.get();
    Priority priority = priority(payload.get());
    int sizeBytes = payload.getInt();
    Lifetime lifetime =
        (flags & HAS_LIFETIME) == 0
            ? null
            : new Lifetime(
                Duration.ofSeconds(payload.getLong(), payload.getInt()),
                payload.getLong(),
                payload.getLong());
    return new StoredMessage(priority, sizeBytes, lifetime);
  }

  static Message decode(ByteBuffer payload) {
    int flags = payload.get(payload.position());
    StoredMessage head = head(payload);
    Message.Builder message = Message.builder().priority(head.priority).id(readText(payload));
    if (head.lifetime != null && (flags & LIFETIME_IS_ITS_OWN) != 0) {
      message.timeToLive(head.lifetime.timeToLive);
    }
    if ((flags & HAS_CONTENT_TYPE) != 0) {
      message.contentType(readText(payload));
    }
    int properties = payload.getInt();
    for (int i = 0; i < properties; i++) {
      message.property(readText(payload), readText(payload));
    }
    byte[] body = new byte[payload.remaining()];
    payload.get(body);
    return message.body(body).build();
  }

  private static String readText(ByteBuffer payload) {
    byte[] bytes = new byte[payload.getInt()];
    payload.get(bytes);
    return new String(bytes, UTF_8);
  }

  private static int code(Priority priority) {
    return switch (priority) {
      case LOW -> 0;
      case NORMAL -> 1;
      case HIGH -> 2;
    };
  }

  /** A priority of a version to come is one of the highest: it is the last to be dropped. */
  private static Priority priority(int code) {
    return switch (code) {
      case 0 -> Priority.LOW;
      case 1 -> Priority.NORMAL;
      default -> Priority.HIGH;
    };
  }
}
