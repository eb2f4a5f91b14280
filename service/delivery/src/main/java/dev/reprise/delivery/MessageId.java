package dev.reprise.delivery;

import java.util.Locale;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * The identity of a published message: a version 7 UUID (RFC 9562 §5.7), so that ids sort by the
 * time of publishing. It stays the same over every attempt and every redrive, which is what lets a
 * receiver drop repeats.
 */
public record MessageId(long high, long low) implements Comparable<MessageId> {
  /** Bytes of an id in a key. */
  public static final int BYTES = 16;

  private static final long VERSION_7 = 0x7000L;
  private static final int RANDOM_BITS = 12;
  private static final long VARIANT = 0x8000_0000_0000_0000L;

  /** A new id. {@code epochMillis} is the time of publishing, 0 to 2^48 - 1. */
  public static MessageId create(long epochMillis, RandomGenerator random) {
    return of(epochMillis, random.nextInt(1 << RANDOM_BITS), random.nextLong());
  }

  /**
   * The id that follows from these bits, which are as good as random ones if they are those of a
   * digest.
   *
   * @param epochMillis as in {@link #create}
   * @param highBits the lowest 12 of them count
   * @param lowBits the highest 62 of them count
   */
  public static MessageId of(long epochMillis, int highBits, long lowBits) {
    if (epochMillis < 0 || epochMillis >>> 48 != 0) {
      throw new IllegalArgumentException(
          "epochMillis is " + epochMillis + ": must be between 0 and 2^48 - 1");
    }
    long high = epochMillis << 16 | VERSION_7 | (highBits & ((1 << RANDOM_BITS) - 1));
    long low = VARIANT | lowBits >>> 2;
    return new MessageId(high, low);
  }

  /**
   * Reads the canonical text form.
   *
   * @throws IllegalArgumentException if the text is not a version 7 UUID
   */
  public static MessageId parse(String text) {
    if (text.length() == 36) {
      try {
        UUID uuid = UUID.fromString(text);
        if (uuid.version() == 7
            && uuid.variant() == 2
            && uuid.toString().equals(text.toLowerCase(Locale.ROOT))) {
          return new MessageId(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
        }
      } catch (IllegalArgumentException e) {
        // Falls through to the one message that names the rule.
      }
    }
    throw new IllegalArgumentException(
        "message id is '"
            + text
            + "': must be a version 7 UUID such as"
            + " 01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f");
  }

  /** When the message was published, in milliseconds since the epoch. */
  public long publishedAtMillis() {
    return high >>> 16;
  }

  @Override
  public int compareTo(MessageId other) {
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  @Override
  public String toString() {
    return new UUID(high, low).toString();
  }
}
