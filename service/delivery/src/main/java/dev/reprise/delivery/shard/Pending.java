package dev.reprise.delivery.shard;

import dev.reprise.delivery.DueReason;
import dev.reprise.delivery.MessageId;
import dev.reprise.delivery.RepeatReason;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that has not ended, as stored.
 *
 * @param message the message
 * @param dueMillis when the next attempt is due, wall time
 * @param attempts attempts made so far
 * @param retries retries made in the present run of the schedule; a redrive starts a new run
 * @param sinceMillis when the present run began, wall time: a lifetime counts from here
 * @param reason why the next attempt is due then
 * @param payload the payload as stored, or null if the shard shares it among deliveries
 * @param unclear why the receiver may have got it already; null if it has not
 */
public record Pending(
    MessageId message,
    long dueMillis,
    int attempts,
    int retries,
    long sinceMillis,
    DueReason reason,
    byte @Nullable [] payload,
    @Nullable RepeatReason unclear) {
  private static final int VERSION = 2;

  /** Had no {@link #unclear}; is still written for those that have none. */
  private static final int CLEAR = 1;

  /** A delivery that the receiver has not got, as far as is known. */
  public Pending(
      MessageId message,
      long dueMillis,
      int attempts,
      int retries,
      long sinceMillis,
      DueReason reason,
      byte @Nullable [] payload) {
    this(message, dueMillis, attempts, retries, sinceMillis, reason, payload, null);
  }

  Pending withUnclear(@Nullable RepeatReason newUnclear) {
    return new Pending(
        message, dueMillis, attempts, retries, sinceMillis, reason, payload, newUnclear);
  }

  static Pending first(MessageId message, long sinceMillis, byte @Nullable [] payload) {
    long due = message.publishedAtMillis();
    return new Pending(message, due, 0, 0, sinceMillis, DueReason.FIRST, payload);
  }

  byte[] key(long subscription) {
    return Keys.timed(Keys.PENDING, subscription, dueMillis, message);
  }

  byte[] encode() {
    byte[] body = payload;
    RecordCodec.Writer out = new RecordCodec.Writer(32 + (body == null ? 0 : body.length));
    RepeatReason may = unclear;
    out.u8(may == null ? CLEAR : VERSION);
    if (may != null) {
      out.u8(Code.REPEAT.of(may));
    }
    out.number(attempts).number(retries).number(sinceMillis);
    out.u8(Code.DUE.of(reason.kind())).number(reason.retry()).u8(Code.STAGE.of(reason.stage()));
    out.number(reason.backoffMillis()).number(reason.hintMillis() + 1);
    if (body == null) {
      return out.u8(0).toBytes();
    }
    return out.u8(1).blob(body).toBytes();
  }

  /** Reads a record; null for one that cannot be read. */
  static @Nullable Pending read(byte[] key, byte[] value) {
    try {
      return decode(key, value);
    } catch (RuntimeException unreadable) {
      return null;
    }
  }

  static Pending decode(byte[] key, byte[] value) {
    RecordCodec.Reader in = new RecordCodec.Reader(value);
    boolean isClear = in.versionBetween(CLEAR, VERSION) == CLEAR;
    RepeatReason unclear = isClear ? null : Code.REPEAT.at(in.u8());
    int attempts = in.count();
    int retries = in.count();
    long since = in.number();
    DueReason reason =
        new DueReason(
            Code.DUE.at(in.u8()), in.count(), Code.STAGE.at(in.u8()), in.number(), in.number() - 1);
    byte[] payload = in.u8() == 0 ? null : in.blob();
    return new Pending(
        Keys.message(key), Keys.time(key), attempts, retries, since, reason, payload, unclear);
  }
}
