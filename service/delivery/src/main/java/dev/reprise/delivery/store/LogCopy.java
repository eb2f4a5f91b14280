package dev.reprise.delivery.store;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a log up to a position, in a store of this process. The position is written
 * together with what comes before it, so the copy is always a beginning of the log, of whatever
 * length.
 *
 * <p>Safe for use by many threads.
 */
public final class LogCopy {
  /** No shard has a key of its own like this one, nor has a catalog. */
  private static final byte[] POSITION = {'S', 'o'};

  private static final byte[] FIRST = {};

  /** Behind all keys: those of a catalog begin with a number, which may be as high as 0xfffe. */
  private static final byte[] END = {-1, -1, -1, -1};

  /** Some of what was in the copy is removed, and not all. */
  private static final long TORN = -1;

  private static final int CLEARED_AT_ONCE = 10_000;

  private final Store store;
  private boolean dropped;
  private long position;
  private long asOfMillis;

  /** The copy in {@code store}, which nothing else writes. */
  public LogCopy(Store store) {
    this.store = store;
    byte[] stored = store.get(POSITION);
    if (stored != null) {
      ByteBuffer in = ByteBuffer.wrap(stored);
      position = in.getLong();
      asOfMillis = in.getLong();
    }
  }

  /** Returns the store that has the copy. */
  public Store store() {
    return store;
  }

  /**
   * Returns the position in the log behind everything that is in the copy; 0 for nothing, and less
   * for a copy that {@link #prepare} has to empty first.
   */
  public synchronized long position() {
    return position;
  }

  /**
   * Returns a time, by the log's clock, at which the log still had every deletion that follows the
   * copy's position; 0 for never.
   */
  public synchronized long asOfMillis() {
    return asOfMillis;
  }

  /**
   * Adds a record of the log to a batch for a copy.
   *
   * @param value null for a deletion
   * @param shortLived whether the key is one that is written by {@link Batch#putOnce}
   */
  public static void add(Batch batch, byte[] key, byte @Nullable [] value, boolean shortLived) {
    if (value == null) {
      if (shortLived) {
        batch.deleteOnce(key);
      } else {
        batch.delete(key);
      }
    } else if (shortLived) {
      // A record that is there already, of an append that was repeated, must not be there twice.
      batch.deleteOnce(key);
      batch.putOnce(key, value);
    } else {
      batch.put(key, value);
    }
  }

  /**
   * Makes sure that the copy can go on from its position. One that is so old that the log may have
   * forgotten deletions begins anew, for it would keep what was deleted.
   *
   * @param end the end of the log
   * @param nowMillis the present time by the log's clock; 0 if it is not known
   * @param keptMillis how long the log keeps deletions; they are to be read in half of it
   * @param shortLived tells the keys that are written by {@link Batch#putOnce}
   * @return whether the copy begins anew
   * @throws StoreException if the copy is ahead of the log, whose records it may be the last to
   *     have; nothing was changed
   */
  public synchronized boolean prepare(
      long end, long nowMillis, long keptMillis, Predicate<byte[]> shortLived) {
    requireKept();
    if (position > end) {
      throw new StoreException(
          String.format(
              Locale.ROOT, "the copy goes up to %d, and its log ends at %d", position, end),
          false,
          null);
    }
    boolean anew = position < 0 || isTooOld(end, nowMillis, keptMillis);
    if (anew) {
      clear(shortLived);
    }
    if (position == 0) {
      asOfMillis = Math.max(asOfMillis, nowMillis);
    }
    return anew;
  }

  /** Returns whether the log may have forgotten deletions that the copy does not have yet. */
  public synchronized boolean isTooOld(long end, long nowMillis, long keptMillis) {
    return position > 0 && position < end && nowMillis - asOfMillis > keptMillis / 2;
  }

  /** Returns what is in the copy, in the order of its keys: one cursor after the other. */
  public List<Store.Cursor> entries() {
    byte[] behind = Arrays.copyOf(POSITION, POSITION.length + 1);
    return List.of(store.range(new byte[] {}, POSITION), store.range(behind, END));
  }

  /** Removes everything: the log has another place, where it begins from 0. */
  public synchronized void beginAnew(Predicate<byte[]> shortLived) {
    clear(shortLived);
  }

  /**
   * Takes what follows in the log.
   *
   * @param batch the writes, in their order
   * @param next the position behind them
   * @param atMillis the time of the last one, by the log's clock
   * @throws StoreException as {@link StoreException#lost()} if the copy has more than that already:
   *     another writer has carried it on
   */
  public synchronized void apply(Batch batch, long next, long atMillis) {
    requireKept();
    if (position < 0) {
      throw new IllegalStateException("the copy is to be emptied first");
    }
    if (next < position) {
      throw StoreException.lost("the copy has been carried on without this writer", null);
    }
    Batch whole = new Batch();
    batch.forEach(new Adding(whole));
    write(whole, next, Math.max(asOfMillis, atMillis));
  }

  /**
   * Takes what the writer of the log has appended, which has not been read from there yet.
   *
   * @param batch the writes, in their order
   * @param begin the position before them
   * @param next the position behind them
   * @param atMillis a time, by the log's clock, at which nothing followed {@code begin}
   * @throws StoreException as {@link StoreException#lost()} if the copy is not at {@code begin} any
   *     more: another writer has carried it on, perhaps with some of this batch, which must not be
   *     there twice
   */
  synchronized void carryOn(Batch batch, long begin, long next, long atMillis) {
    if (position != begin) {
      throw StoreException.lost("the copy has been carried on without this writer", null);
    }
    apply(batch, next, atMillis);
  }

  /** Notes that the log has nothing more at this time. */
  public synchronized void isWhole(long atMillis) {
    if (atMillis > asOfMillis && !dropped) {
      write(new Batch(), position, atMillis);
    }
  }

  private void write(Batch batch, long next, long atMillis) {
    batch.put(POSITION, ByteBuffer.allocate(16).putLong(next).putLong(atMillis).array());
    store.write(batch);
    position = next;
    asOfMillis = atMillis;
  }

  /**
   * Removes everything, for good: this object writes nothing more. The copy begins anew with
   * another one for the same store.
   *
   * @param shortLived tells the keys that are written by {@link Batch#putOnce}
   */
  public synchronized void drop(Predicate<byte[]> shortLived) {
    requireKept();
    clear(shortLived);
    dropped = true;
  }

  private void requireKept() {
    if (dropped) {
      throw StoreException.lost("the copy was dropped", null);
    }
  }

  /** Removes everything. */
  private void clear(Predicate<byte[]> shortLived) {
    // If only some of it is removed, or that is not known, it must not be taken for a beginning of
    // the log. In the store, all goes with its position in one write, if the store can do that.
    position = TORN;
    if (!store.deleteRange(FIRST, END)) {
      clearOneByOne(shortLived);
    }
    position = 0;
    asOfMillis = 0;
  }

  private void clearOneByOne(Predicate<byte[]> shortLived) {
    write(new Batch(), TORN, 0);
    Batch part = new Batch();
    try (Store.Cursor cursor = store.range(FIRST, END)) {
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (Arrays.equals(key, POSITION)) {
          continue;
        }
        if (shortLived.test(key)) {
          part.deleteOnce(key);
        } else {
          part.delete(key);
        }
        if (part.size() >= CLEARED_AT_ONCE) {
          store.write(part);
          part = new Batch();
        }
      }
    }
    part.delete(POSITION);
    store.write(part);
  }

  /** Appends to a batch. */
  private record Adding(Batch batch) implements Batch.Visitor {
    @Override
    public void put(byte[] key, byte[] value) {
      batch.put(key, value);
    }

    @Override
    public void delete(byte[] key) {
      batch.delete(key);
    }

    @Override
    public void putOnce(byte[] key, byte[] value) {
      batch.putOnce(key, value);
    }

    @Override
    public void deleteOnce(byte[] key) {
      batch.deleteOnce(key);
    }
  }
}
