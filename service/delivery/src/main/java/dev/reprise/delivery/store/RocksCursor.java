package dev.reprise.delivery.store;

import java.util.Arrays;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/**
 * A range of a {@link RocksStore}. Both bounds are RocksDB's own, so that it never walks over
 * deleted entries outside the range: on a queue that makes 0.2 ms of 150 ms.
 *
 * <p>A native iterator that is used after its database has closed takes the process down; so every
 * step holds the store's gate.
 */
final class RocksCursor implements Store.Cursor {
  private enum Position {
    BEFORE,
    AT_ENTRY,
    END,
    /** The database was reopened under it. */
    LOST,
    CLOSED
  }

  private final RocksStore store;
  private final int prefixBytes;
  private final boolean reverse;
  private final Slice from;
  private final Slice to;
  private final ReadOptions options;
  private final RocksIterator iterator;
  private Position position = Position.BEFORE;

  /** The caller holds the gate. */
  RocksCursor(
      RocksStore store, RocksDB db, int prefixBytes, byte[] from, byte[] to, boolean reverse) {
    this.store = store;
    this.prefixBytes = prefixBytes;
    this.reverse = reverse;
    this.from = new Slice(from);
    this.to = new Slice(to);
    this.options = new ReadOptions().setIterateLowerBound(this.from).setIterateUpperBound(this.to);
    this.iterator = db.newIterator(options);
  }

  @Override
  public boolean next() {
    long stamp = store.enter();
    try {
      move();
      if (position == Position.END) {
        return false;
      }
      if (iterator.isValid()) {
        position = Position.AT_ENTRY;
        return true;
      }
      position = Position.END;
      iterator.status();
      return false;
    } catch (RocksDBException e) {
      throw store.failure("cannot read", e);
    } finally {
      store.leave(stamp);
    }
  }

  private void move() {
    switch (position) {
      case BEFORE -> {
        if (reverse) {
          iterator.seekToLast();
        } else {
          iterator.seekToFirst();
        }
      }
      case AT_ENTRY -> {
        if (reverse) {
          iterator.prev();
        } else {
          iterator.next();
        }
      }
      case LOST -> throw lost();
      case CLOSED -> throw new IllegalStateException("the cursor is closed");
      case END -> {}
    }
  }

  @Override
  public byte[] key() {
    long stamp = store.enter();
    try {
      requireEntry();
      byte[] key = iterator.key();
      return prefixBytes == 0 ? key : Arrays.copyOfRange(key, prefixBytes, key.length);
    } finally {
      store.leave(stamp);
    }
  }

  @Override
  public byte[] value() {
    long stamp = store.enter();
    try {
      requireEntry();
      return iterator.value();
    } finally {
      store.leave(stamp);
    }
  }

  private static StoreException lost() {
    return new StoreException(
        "the store was reopened after an error: this cursor has to be opened again", false, null);
  }

  private void requireEntry() {
    if (position == Position.LOST) {
      throw lost();
    }
    if (position != Position.AT_ENTRY) {
      throw new IllegalStateException("the cursor is at no entry: " + position);
    }
  }

  @Override
  public void close() {
    store.release(this);
  }

  /** The caller holds the gate, and has taken this off the store's list. */
  void free() {
    freeNative();
    position = Position.CLOSED;
  }

  /** Gives native memory back, because the database closes. The caller holds the gate alone. */
  void lose() {
    freeNative();
    position = Position.LOST;
  }

  private void freeNative() {
    iterator.close();
    options.close();
    from.close();
    to.close();
  }
}
