package dev.reprise.delivery.shard;

import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.MessageId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The keys of a shard's store. Each begins with a letter for its kind; keys of deliveries go on
 * with the subscription, then the time, so that one slow endpoint never hides another's work and
 * every scan has a lower bound. Numbers are big-endian, so byte order is number order.
 *
 * <pre>
 *   A subscription message attempt kind   one event in a delivery's history; of a receipt, also
 *                                         the part of the message that it is on
 *   C message                             how many deliveries still need the shared payload
 *   D subscription diedAt message         a dead letter
 *   I key                                 an idempotency key and the message it stands for
 *   J message                             how many deliveries of a message with an idempotency key
 *   L subscription                        a subscription's ledger
 *   M message                             a shared payload
 *   P subscription due message            a pending delivery
 *   R group id                            a receipt that a carrier will send under this id
 *   S name                                the shard's own state; 'o' is of LogCopy
 *   T subscription minute                 the figures of a subscription in a minute
 * </pre>
 */
final class Keys {
  static final byte HISTORY = 'A';
  static final byte SHARE_COUNT = 'C';
  static final byte DEAD_LETTER = 'D';
  static final byte IDEMPOTENCY = 'I';
  static final byte ACCEPTED = 'J';
  static final byte LEDGER = 'L';
  static final byte PAYLOAD = 'M';
  static final byte PENDING = 'P';
  static final byte RECEIPT = 'R';
  static final byte STATE = 'S';
  static final byte MINUTE = 'T';

  static final byte[] CLOCK = {STATE, 'c'};
  static final byte[] OPEN_TAKEN = {STATE, 'a'};
  static final byte[] CLOSED_LEDGER = {STATE, 'l'};
  static final byte[] MINUTE_BYTES = {STATE, 'm'};
  static final byte[] LOST = {STATE, 'g'};
  static final byte[] OPEN_LOST = {STATE, 'h'};
  static final byte[] STANDS = {STATE, 's'};
  static final byte[] TAKEN = {STATE, 't'};

  /** The beginning of {@link #streak} keys. */
  static final byte[] STREAKS = {STATE, 'r'};

  /** The beginning of {@link #underWay} keys. */
  static final byte[] UNDER_WAY = {STATE, 'w'};

  private static final int MAX_RECEIPT_ID_BYTES = 255;

  /** Bytes of {@link #history} keys; those of receipts have more. */
  static final int HISTORY_BYTES = 1 + 8 + MessageId.BYTES + 4 + 1;

  /** Bytes of {@link #timed} keys. */
  private static final int TIMED_BYTES = 1 + 8 + 8 + MessageId.BYTES;

  private Keys() {}

  /** The place up to which a shard has taken a log. */
  static byte[] taken(IntakeLog log) {
    return switch (log) {
      case IN -> TAKEN;
      case OPEN -> OPEN_TAKEN;
    };
  }

  /** The loss of records of a log before the shard had taken them. */
  static byte[] lost(IntakeLog log) {
    return switch (log) {
      case IN -> LOST;
      case OPEN -> OPEN_LOST;
    };
  }

  /** A pending delivery or a dead letter: {@code time} is when it is due, or when it died. */
  static byte[] timed(byte kind, long subscription, long time, MessageId message) {
    return ByteBuffer.allocate(TIMED_BYTES)
        .put(kind)
        .putLong(subscription)
        .putLong(time)
        .putLong(message.high())
        .putLong(message.low())
        .array();
  }

  static byte[] timed(byte kind, long subscription, long time) {
    return ByteBuffer.allocate(17).put(kind).putLong(subscription).putLong(time).array();
  }

  static long time(byte[] timedKey) {
    return ByteBuffer.wrap(timedKey).getLong(9);
  }

  /** The message of a {@link #timed} key. */
  static MessageId message(byte[] timedKey) {
    ByteBuffer key = ByteBuffer.wrap(timedKey);
    return new MessageId(key.getLong(17), key.getLong(25));
  }

  static byte[] history(long subscription, MessageId message, int attempt, int kind) {
    return ByteBuffer.allocate(HISTORY_BYTES)
        .put(HISTORY)
        .putLong(subscription)
        .putLong(message.high())
        .putLong(message.low())
        .putInt(attempt)
        .put((byte) kind)
        .array();
  }

  /** The event of a receipt, which is on one part of the message. */
  static byte[] historyOfReceipt(
      long subscription, MessageId message, int attempt, int kind, int part) {
    byte[] event = history(subscription, message, attempt, kind);
    return ByteBuffer.allocate(event.length + 4).put(event).putInt(part).array();
  }

  static byte[] historyOf(long subscription, MessageId message) {
    return ByteBuffer.allocate(1 + 8 + MessageId.BYTES)
        .put(HISTORY)
        .putLong(subscription)
        .putLong(message.high())
        .putLong(message.low())
        .array();
  }

  static MessageId historyMessage(byte[] historyKey) {
    ByteBuffer key = ByteBuffer.wrap(historyKey);
    return new MessageId(key.getLong(9), key.getLong(17));
  }

  static int historyAttempt(byte[] historyKey) {
    return ByteBuffer.wrap(historyKey).getInt(25);
  }

  /** The code of an event's kind. */
  static int historyKind(byte[] historyKey) {
    return historyKey[29];
  }

  static byte[] ofSubscription(byte kind, long subscription) {
    return ByteBuffer.allocate(9).put(kind).putLong(subscription).array();
  }

  static long subscription(byte[] key) {
    return ByteBuffer.wrap(key).getLong(1);
  }

  static byte[] ofMessage(byte kind, MessageId message) {
    return ByteBuffer.allocate(17).put(kind).putLong(message.high()).putLong(message.low()).array();
  }

  static MessageId messageOnly(byte[] key) {
    ByteBuffer buffer = ByteBuffer.wrap(key);
    return new MessageId(buffer.getLong(1), buffer.getLong(9));
  }

  static byte[] idempotency(byte[] digest) {
    return ByteBuffer.allocate(1 + digest.length).put(IDEMPOTENCY).put(digest).array();
  }

  /**
   * A receipt's id at its carrier. Both stand behind their lengths, so that no two pairs are one
   * key. An id that is too long, or empty, stands as its digest behind the length 0.
   */
  static byte[] receipt(String group, String id) {
    byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
    boolean isShort = bytes.length > 0 && bytes.length <= MAX_RECEIPT_ID_BYTES;
    byte[] end = isShort ? bytes : sha256(bytes);
    byte[] beginning =
        new RecordCodec.Writer(64).u8(RECEIPT).text(group).u8(isShort ? bytes.length : 0).toBytes();
    return ByteBuffer.allocate(beginning.length + end.length).put(beginning).put(end).array();
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /** The attempts that a turn has started, numbered. */
  static byte[] underWay(long turn) {
    return ByteBuffer.allocate(10).put(UNDER_WAY).putLong(turn).array();
  }

  static long underWayTurn(byte[] key) {
    return ByteBuffer.wrap(key).getLong(2);
  }

  /** The refusals of a group. */
  static byte[] streak(String group) {
    byte[] name = group.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(STREAKS.length + name.length).put(STREAKS).put(name).array();
  }

  /** The group of a {@link #streak} key. */
  static String streakGroup(byte[] key) {
    return new String(key, STREAKS.length, key.length - STREAKS.length, StandardCharsets.UTF_8);
  }

  static byte[] kind(byte kind) {
    return new byte[] {kind};
  }

  /** The first key behind every key that begins with {@code prefix}. */
  static byte[] after(byte[] prefix) {
    byte[] end = prefix.clone();
    for (int i = end.length - 1; i >= 0; i--) {
      if (++end[i] != 0) {
        return end;
      }
    }
    throw new IllegalArgumentException("no key follows a prefix of 0xff bytes alone");
  }
}
