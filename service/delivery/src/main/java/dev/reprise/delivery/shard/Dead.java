package dev.reprise.delivery.shard;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.DeadLetterFilter;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.RepeatReason;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter, as stored.
 *
 * @param message the message
 * @param diedAtMillis when the delivery was given up, wall time
 * @param attempts attempts made
 * @param reason why it was given up
 * @param summary what came of the last attempt, for people
 * @param payload the payload as stored, or null if the shard shares it among deliveries; for the
 *     reason UNREADABLE, the record that could not be read
 * @param unclear why the receiver may have got it all the same; null if it has not
 */
record Dead(
    MessageId message,
    long diedAtMillis,
    int attempts,
    StopReason reason,
    String summary,
    byte @Nullable [] payload,
    @Nullable RepeatReason unclear) {
  private static final int VERSION = 2;

  /** Had no {@link #unclear}; is still written for those that have none. */
  private static final int CLEAR = 1;

  /** A dead letter that the receiver has not got, as far as is known. */
  Dead(
      MessageId message,
      long diedAtMillis,
      int attempts,
      StopReason reason,
      String summary,
      byte @Nullable [] payload) {
    this(message, diedAtMillis, attempts, reason, summary, payload, null);
  }

  byte[] key(long subscription) {
    return Keys.timed(Keys.DEAD_LETTER, subscription, diedAtMillis, message);
  }

  byte[] encode() {
    byte[] body = payload;
    RecordCodec.Writer out = new RecordCodec.Writer(48 + (body == null ? 0 : body.length));
    RepeatReason may = unclear;
    out.u8(may == null ? CLEAR : VERSION);
    if (may != null) {
      out.u8(Code.REPEAT.of(may));
    }
    out.number(attempts).u8(Code.STOP_REASON.of(reason)).text(summary);
    if (body == null) {
      return out.u8(0).toBytes();
    }
    return out.u8(1).blob(body).toBytes();
  }

  static Dead decode(byte[] key, byte[] value) {
    RecordCodec.Reader in = new RecordCodec.Reader(value);
    boolean isClear = in.versionBetween(CLEAR, VERSION) == CLEAR;
    RepeatReason unclear = isClear ? null : Code.REPEAT.at(in.u8());
    int attempts = in.count();
    StopReason reason = Code.STOP_REASON.at(in.u8());
    String summary = in.text();
    byte[] payload = in.u8() == 0 ? null : in.blob();
    return new Dead(Keys.message(key), Keys.time(key), attempts, reason, summary, payload, unclear);
  }

  /** The same, but a record that cannot be read is a dead letter of which only the key is known. */
  static Dead read(byte[] key, byte[] value) {
    try {
      return decode(key, value);
    } catch (RuntimeException e) {
      return new Dead(
          Keys.message(key),
          Keys.time(key),
          0,
          StopReason.UNREADABLE,
          "the stored dead letter cannot be read: " + e.getMessage(),
          null);
    }
  }

  /** Returns whether a filter chooses this dead letter, whose payload is the given one. */
  boolean isChosenBy(DeadLetterFilter filter, byte @Nullable [] payload) {
    if (filter.reason() != null && filter.reason() != reason) {
      return false;
    }
    if (filter.message() != null && !filter.message().equals(message)) {
      return false;
    }
    if (diedAtMillis < filter.diedFromMillis() || diedAtMillis >= filter.diedToMillis()) {
      return false;
    }
    String text = filter.text();
    if (text != null && !summary.toLowerCase(Locale.ROOT).contains(text.toLowerCase(Locale.ROOT))) {
      return false;
    }
    if (filter.attributes() == null) {
      return true;
    }
    return payload != null
        && filter.attributes().matches(PayloadRecord.decode(payload).attributes());
  }
}
