package dev.reprise.server.http;

import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.Position;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The position at which a listing continues, as clients see it: base64url that begins with a letter
 * for its kind. It is opaque to clients, so its form may change.
 */
public final class Cursor {
  private final ByteBuffer bytes;

  private Cursor(ByteBuffer bytes) {
    this.bytes = bytes;
  }

  /** Makes a cursor of a kind. */
  public static Builder of(char kind) {
    return new Builder(kind);
  }

  /** Reads a cursor whose kind is one of {@code kinds}. */
  public static Cursor parse(String text, String kinds) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
      if (bytes.hasRemaining() && kinds.indexOf(bytes.get(0)) >= 0) {
        return new Cursor(bytes);
      }
    } catch (IllegalArgumentException e) {
      // Falls through to the one message that names the rule.
    }
    throw invalid(text);
  }

  /** Reads what the cursor holds; what it holds too little or too much is refused. */
  public static <T> T read(String text, String kinds, Reader<T> reader) {
    Cursor cursor = parse(text, kinds);
    try {
      T value = reader.read((char) cursor.bytes.get(), cursor);
      if (!cursor.bytes.hasRemaining()) {
        return value;
      }
    } catch (BufferUnderflowException e) {
      // Falls through to the one message that names the rule.
    }
    throw invalid(text);
  }

  private static ApiException invalid(String text) {
    return ApiException.invalid(
        "cursor",
        RequestFields.shortened(text),
        "must be the next of an earlier answer to this request");
  }

  /** Takes apart what follows the kind. */
  public interface Reader<T> {
    T read(char kind, Cursor cursor);
  }

  long number() {
    return bytes.getLong();
  }

  /** A number that is not negative. */
  public long count() {
    long value = bytes.getLong();
    if (value < 0) {
      throw new BufferUnderflowException();
    }
    return value;
  }

  /** The letter for the kind. */
  public char kind() {
    return (char) bytes.get(0);
  }

  /** A message, or nothing for the beginning. */
  public Optional<MessageId> messageOrStart() {
    return bytes.hasRemaining() ? Optional.of(message()) : Optional.empty();
  }

  MessageId message() {
    return new MessageId(number(), number());
  }

  /** A place, or nothing for the beginning. */
  public Optional<Position> positionOrStart() {
    return bytes.hasRemaining() ? Optional.of(new Position(count(), message())) : Optional.empty();
  }

  public String text() {
    byte[] rest = new byte[bytes.remaining()];
    bytes.get(rest);
    return new String(rest, StandardCharsets.UTF_8);
  }

  /** Puts a cursor together. */
  public static final class Builder {
    private final ByteBuffer bytes = ByteBuffer.allocate(512);

    private Builder(char kind) {
      bytes.put((byte) kind);
    }

    public Builder number(long value) {
      bytes.putLong(value);
      return this;
    }

    public Builder message(MessageId message) {
      return number(message.high()).number(message.low());
    }

    public Builder position(@Nullable Position position) {
      return position == null ? this : number(position.atMillis()).message(position.message());
    }

    public Builder text(String text) {
      bytes.put(text.getBytes(StandardCharsets.UTF_8));
      return this;
    }

    @Override
    public String toString() {
      byte[] used = new byte[bytes.position()];
      bytes.get(0, used);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(used);
    }
  }
}
