package dev.reprise.delivery.shard;

import dev.reprise.delivery.IntakeLog;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import org.jspecify.annotations.Nullable;

/**
 * Remembers with a shard that it was reported as standing: a later owner does not report it again,
 * and reports when it goes on.
 *
 * @param log the log of which nothing is taken
 * @param passed the place in it up to which nothing waits; -1 if that is its beginning
 * @param sinceMillis since when, wall time
 */
public record StandRecord(IntakeLog log, long passed, long sinceMillis) {
  private static final int VERSION = 1;
  private static final int OPEN = 1;

  /** Returns what a shard remembers; null if it was not reported as standing, or goes on. */
  public static @Nullable StandRecord read(Store store) {
    byte[] stored = store.get(Keys.STANDS);
    if (stored == null) {
      return null;
    }
    RecordCodec.Reader in = new RecordCodec.Reader(stored);
    int version = in.u8();
    if (version != VERSION) {
      throw new IllegalStateException("a shard's stand has version " + version);
    }
    IntakeLog log = (in.u8() & OPEN) != 0 ? IntakeLog.OPEN : IntakeLog.IN;
    return new StandRecord(log, in.number() - 1, in.number());
  }

  static void put(Batch batch, @Nullable StandRecord stand) {
    if (stand == null) {
      batch.delete(Keys.STANDS);
      return;
    }
    RecordCodec.Writer out = new RecordCodec.Writer(20);
    out.u8(VERSION).u8(stand.log == IntakeLog.OPEN ? OPEN : 0);
    out.number(stand.passed + 1).number(stand.sinceMillis);
    batch.put(Keys.STANDS, out.toBytes());
  }
}
