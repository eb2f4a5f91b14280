package dev.reprise.device.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.core.InvalidSettingException;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A message of a device. The id stays the same however often the message is sent, so that the other
 * side can tell a repetition.
 *
 * <pre>{@code
 * Message reading = Message.of("{\"celsius\": 21.5}");
 * Message alarm =
 *     Message.builder().body("smoke").property("room", "12").priority(Priority.HIGH).build();
 * }</pre>
 *
 * <p>Immutable and thread-safe, as long as {@link #body()} is not written to.
 */
public final class Message {
  /**
   * The bytes that a message takes beside its own, about: counted against the bounds of a queue.
   */
  private static final int OVERHEAD_BYTES = 64;

  private final String id;
  private final byte[] body;
  private final @Nullable String contentType;
  private final Map<String, String> properties;
  private final Priority priority;
  private final @Nullable Duration timeToLive;
  private final int sizeBytes;

  private Message(Builder settings) {
    String givenId = settings.id;
    id = givenId == null ? RandomIds.next() : givenId;
    body = settings.body;
    contentType = settings.contentType;
    properties =
        settings.properties.isEmpty()
            ? Map.of()
            : Collections.unmodifiableMap(new LinkedHashMap<>(settings.properties));
    priority = settings.priority;
    timeToLive = settings.timeToLive;
    sizeBytes = size();
  }

  private Message(Message other, @Nullable Duration timeToLive) {
    id = other.id;
    body = other.body;
    contentType = other.contentType;
    properties = other.properties;
    priority = other.priority;
    sizeBytes = other.sizeBytes;
    this.timeToLive = timeToLive;
  }

  private int size() {
    long size = OVERHEAD_BYTES + (long) body.length + length(id) + length(contentType);
    for (Map.Entry<String, String> property : properties.entrySet()) {
      size += length(property.getKey()) + length(property.getValue());
    }
    return (int) Math.min(size, Integer.MAX_VALUE);
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  /** Returns a message with this text as its body, in UTF-8. */
  public static Message of(String text) {
    return builder().body(text).build();
  }

  /** Returns a message with this body, which is not copied. */
  public static Message of(byte[] body) {
    return builder().body(body).build();
  }

  /** Returns a builder of a message with an empty body. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Returns the id by which the other side can recognize repetitions: a random UUID when none was
   * given.
   */
  public String id() {
    return id;
  }

  /** Returns the bytes themselves, not a copy: do not write into them. */
  @SuppressWarnings("EI_EXPOSE_REP")
  public byte[] body() {
    return body;
  }

  /** Returns the media type of the body, such as {@code application/json}, or null. */
  public @Nullable String contentType() {
    return contentType;
  }

  /** Returns the properties, which are sent beside the body, in the order given. */
  public Map<String, String> properties() {
    return properties;
  }

  /** Returns how much the message matters when not all can be kept. */
  public Priority priority() {
    return priority;
  }

  /**
   * Returns how long it is worth sending, counted from its acceptance; null: the queue's default.
   */
  public @Nullable Duration timeToLive() {
    return timeToLive;
  }

  /**
   * Returns this message with another time to live, and the same body.
   *
   * @param timeToLive how long it is worth sending from now on, above 0; null: without a limit
   */
  public Message withTimeToLive(@Nullable Duration timeToLive) {
    return Objects.equals(timeToLive, this.timeToLive)
        ? this
        : new Message(this, timeToLive == null ? null : Builder.positive(timeToLive));
  }

  /**
   * Returns the size of the message that counts against a bound in bytes: its texts, its body, and
   * a surcharge.
   */
  public int sizeBytes() {
    return sizeBytes;
  }

  @Override
  public String toString() {
    return "Message[id=" + id + ", " + body.length + " bytes]";
  }

  /** Settings of a message. Not thread-safe. */
  public static final class Builder {
    private static final byte[] EMPTY = new byte[0];

    private @Nullable String id;
    private byte[] body = EMPTY;
    private @Nullable String contentType;
    private final Map<String, String> properties = new LinkedHashMap<>();
    private Priority priority = Priority.NORMAL;
    private @Nullable Duration timeToLive;

    private Builder() {}

    /** Sets the id, which must not be empty. Two messages must not have the same. */
    public Builder id(String id) {
      if (id.isEmpty()) {
        throw new InvalidSettingException("id", "empty", "must have at least one character");
      }
      this.id = id;
      return this;
    }

    /** Sets the body, which is not copied. */
    public Builder body(byte[] body) {
      this.body = Objects.requireNonNull(body, "body");
      return this;
    }

    /** Sets the body to this text in UTF-8. */
    public Builder body(String text) {
      this.body = text.getBytes(UTF_8);
      return this;
    }

    /** Sets the media type of the body, such as {@code application/json}. */
    public Builder contentType(String contentType) {
      this.contentType = Objects.requireNonNull(contentType, "contentType");
      return this;
    }

    /** Adds a property, or replaces the one of this name. The name must not be empty. */
    public Builder property(String name, String value) {
      if (name.isEmpty()) {
        throw new InvalidSettingException("name", "empty", "must have at least one character");
      }
      properties.put(name, Objects.requireNonNull(value, "value"));
      return this;
    }

    /** Sets how much the message matters when not all can be kept. */
    public Builder priority(Priority priority) {
      this.priority = Objects.requireNonNull(priority, "priority");
      return this;
    }

    /**
     * Sets how long the message is worth sending. Over MQTT 5 and AMQP, each sending tells the
     * other side how much of it is left, so that a message which waits there expires too.
     *
     * @throws IllegalArgumentException when it is not above 0
     */
    public Builder timeToLive(Duration timeToLive) {
      this.timeToLive = positive(timeToLive);
      return this;
    }

    private static Duration positive(Duration timeToLive) {
      if (timeToLive.isNegative() || timeToLive.isZero()) {
        throw new InvalidSettingException("timeToLive", timeToLive, "must be > 0");
      }
      return timeToLive;
    }

    /** Returns the message. */
    public Message build() {
      return new Message(this);
    }
  }
}
