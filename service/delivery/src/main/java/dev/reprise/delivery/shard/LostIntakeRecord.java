package dev.reprise.delivery.shard;

import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.LostIntake;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The stored form of what a shard has not taken in because it was gone. */
public final class LostIntakeRecord {
  private static final int VERSION = 1;
  private static final int KNOWN = 1;
  private static final int OPEN_END = 2;

  private LostIntakeRecord() {}

  /**
   * The loss of a log.
   *
   * @param lost everything that is gone from it
   */
  public record OfLog(IntakeLog log, LostIntake lost) {}

  /**
   * Notes a loss, together with the place behind it, from which the shard goes on.
   *
   * @param before what was lost of the log before
   * @param first the first place that is gone
   * @param last the last one; -1 if it is not known: then the shard goes on where its log begins
   * @return everything that is lost
   */
  public static LostIntake add(
      Batch batch,
      IntakeLog log,
      LostIntake before,
      long first,
      long last,
      long goOnAt,
      long nowMillis) {
    LostIntake lost = before.and(first, last, nowMillis);
    put(batch, log, lost);
    if (goOnAt > 0) {
      batch.put(Keys.taken(log), new RecordCodec.Writer(9).number(goOnAt - 1).toBytes());
    } else {
      batch.delete(Keys.taken(log));
    }
    return lost;
  }

  static void put(Batch batch, IntakeLog log, LostIntake lost) {
    RecordCodec.Writer out = new RecordCodec.Writer(40);
    out.u8(VERSION);
    out.u8((lost.acknowledged() ? KNOWN : 0) | (lost.last() < 0 ? OPEN_END : 0));
    out.number(lost.count()).number(lost.first()).number(Math.max(0, lost.last()));
    out.number(lost.atMillis());
    batch.put(Keys.lost(log), out.toBytes());
  }

  /** Returns what a shard has lost of a log. */
  public static LostIntake read(Store store, IntakeLog log) {
    byte[] stored = store.get(Keys.lost(log));
    return stored == null ? LostIntake.NONE : decode(stored);
  }

  /** Returns the loss that a record of a shard stands for; null if it is another record. */
  public static @Nullable OfLog read(byte[] key, byte[] value) {
    for (IntakeLog log : IntakeLog.values()) {
      if (Arrays.equals(key, Keys.lost(log))) {
        return new OfLog(log, decode(value));
      }
    }
    return null;
  }

  private static LostIntake decode(byte[] stored) {
    RecordCodec.Reader in = new RecordCodec.Reader(stored);
    int version = in.u8();
    if (version != VERSION) {
      throw new IllegalStateException("lost intake has version " + version);
    }
    int flags = in.u8();
    long count = in.number();
    long first = in.number();
    long last = in.number();
    return new LostIntake(
        count, first, (flags & OPEN_END) != 0 ? -1 : last, in.number(), (flags & KNOWN) != 0);
  }
}
