package dev.reprise.delivery.shard;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;

/**
 * Takes a shard back to the system's clock after it has run by one that was far ahead, such as that
 * of a machine which started before it knew the time. By itself a shard never lets its clock run
 * backwards, so the wrong time would stay for as long as it was ahead.
 *
 * <p>A stored time that is nearer to the wrong clock than to the system's was written by the wrong
 * one. Due times and the beginnings of lifetimes are moved back by as much as the clock was ahead,
 * due times not to before now; pauses that endpoints asked for end, and what is held because all
 * before it was refused is tried at once. Ids of messages and of receipts, history and dead letters
 * keep their dates, and are kept until those have passed.
 */
public final class ClockReset {
  private static final int ENTRIES_PER_BATCH = 1000;
  private static final long BYTES_PER_BATCH = 4L << 20;

  private final Store store;
  private final long nowMillis;
  private final long wrongMillis;
  private Batch batch = new Batch();

  private ClockReset(Store store, long nowMillis, long wrongMillis) {
    this.store = store;
    this.nowMillis = nowMillis;
    this.wrongMillis = wrongMillis;
  }

  /**
   * Resets the shard that {@code store} holds and that does not run. Interrupted, it is done by
   * running it again.
   *
   * @param nowMillis the system's time
   * @param wrongMillis the time that the shard has stored last, after {@code nowMillis}
   */
  public static void run(Store store, long nowMillis, long wrongMillis) {
    ClockReset reset = new ClockReset(store, nowMillis, wrongMillis);
    reset.movePending();
    reset.moveCounters();
    reset.moveStreaks();
    // Last: as long as the wrong time is stored, all this is to be done again.
    reset.batch.put(Keys.CLOCK, new RecordCodec.Writer(9).number(nowMillis).toBytes());
    reset.write();
  }

  private boolean isWrong(long millis) {
    return millis - nowMillis > wrongMillis - millis;
  }

  private long moved(long millis) {
    return isWrong(millis) ? Math.max(0, millis - (wrongMillis - nowMillis)) : millis;
  }

  private void movePending() {
    byte[] kind = Keys.kind(Keys.PENDING);
    try (Store.Cursor cursor = store.range(kind, Keys.after(kind))) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        Pending before = Pending.read(key, cursor.value());
        // One that cannot be read is for the shard to deal with.
        if (before == null || (!isWrong(before.dueMillis()) && !isWrong(before.sinceMillis()))) {
          continue;
        }
        long due = before.dueMillis();
        Pending after =
            new Pending(
                before.message(),
                isWrong(due) ? Math.max(nowMillis, moved(due)) : due,
                before.attempts(),
                before.retries(),
                moved(before.sinceMillis()),
                before.reason(),
                before.payload(),
                before.unclear());
        batch.deleteOnce(key);
        batch.putOnce(after.key(Keys.subscription(key)), after.encode());
        writeIfLarge();
      }
    }
  }

  private void moveCounters() {
    byte[] kind = Keys.kind(Keys.LEDGER);
    try (Store.Cursor cursor = store.range(kind, Keys.after(kind))) {
      while (cursor.next()) {
        Counters counters = Counters.read(cursor.value());
        if (counters == null) {
          continue;
        }
        if (isWrong(counters.lowDueMillis)) {
          counters.lowDueMillis = nowMillis;
        }
        if (isWrong(counters.pausedUntilMillis)) {
          counters.pausedUntilMillis = 0;
        }
        Streak streak = counters.streak;
        if (streak != null) {
          counters.streak = moved(streak);
        }
        counters.standing.move(this::moved);
        batch.put(cursor.key(), counters.encode());
        writeIfLarge();
      }
    }
  }

  /** The refusals of groups; one that cannot be read is for the shard to deal with. */
  private void moveStreaks() {
    try (Store.Cursor cursor = store.range(Keys.STREAKS, Keys.after(Keys.STREAKS))) {
      while (cursor.next()) {
        Streak streak;
        try {
          streak = Streak.decode(cursor.value());
        } catch (RuntimeException unreadable) {
          continue;
        }
        batch.put(cursor.key(), moved(streak).encode());
        writeIfLarge();
      }
    }
  }

  private Streak moved(Streak streak) {
    Streak moved = streak.withTimes(this::moved);
    return isWrong(streak.probeAtMillis()) ? moved.triedAt(nowMillis) : moved;
  }

  private void writeIfLarge() {
    if (batch.size() >= ENTRIES_PER_BATCH || batch.bytes() >= BYTES_PER_BATCH) {
      write();
    }
  }

  private void write() {
    store.write(batch);
    batch = new Batch();
  }
}
