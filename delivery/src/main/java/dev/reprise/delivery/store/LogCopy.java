package dev.reprise.delivery.store;

import java.nio.ByteBuffer;
import java.util.function.Predicate;

/**
 * What a log holds up to a position, in a store of this process. The position is written together
 * with what comes before it, so the copy is always a beginning of the log, of whatever length.
 *
 * <p>Safe for use by many threads.
 */
public final class LogCopy {
  /** No shard has a key of its own like this one, nor has a catalog. */
  private static final byte[] POSITION = {'S', 'o'};

  private final Store store;
  private long position;
  private long asOfMillis;

  /** The copy in {@code store}, which nobody else writes. */
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

  /** Returns the position in the log behind everything that is in the copy; 0 for nothing. */
  public synchronized long position() {
    return position;
  }

  /**
   * Returns when the copy was known to have everything that was in the log, by the log's clock; 0
   * for never.
   */
  public synchronized long asOfMillis() {
    return asOfMillis;
  }

  /**
   * Takes what follows in the log.
   *
   * @param batch the writes, in their order
   * @param next the position behind them
   * @param atMillis the time of the last one, by the log's clock
   */
  public synchronized void apply(Batch batch, long next, long atMillis) {
    Batch whole = new Batch();
    batch.forEach(new Adding(whole));
    write(whole, next, Math.max(asOfMillis, atMillis));
  }

  /** Notes that the log has nothing more at this time. */
  public synchronized void isWhole(long atMillis) {
    if (atMillis > asOfMillis) {
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
   * Removes everything: the copy begins anew.
   *
   * @param shortLived tells the keys that are written by {@link Batch#putOnce}
   */
  public synchronized void clear(Predicate<byte[]> shortLived) {
    try (Store.Cursor cursor = store.range(new byte[] {}, new byte[] {(byte) 0xff})) {
      Batch part = new Batch();
      while (cursor.next()) {
        byte[] key = cursor.key();
        if (shortLived.test(key)) {
          part.deleteOnce(key);
        } else {
          part.delete(key);
        }
        if (part.size() >= 10_000) {
          store.write(part);
          part = new Batch();
        }
      }
      store.write(part);
    }
    position = 0;
    asOfMillis = 0;
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
