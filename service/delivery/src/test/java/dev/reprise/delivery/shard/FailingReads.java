package dev.reprise.delivery.shard;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import dev.reprise.delivery.store.StoreException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A store some of whose reads fail, each once. Not safe for use by several threads. */
final class FailingReads implements Store {
  private static final int ONE_IN = 100;

  private final Store store;
  private final RandomGenerator random;

  FailingReads(Store store, RandomGenerator random) {
    this.store = store;
    this.random = random;
  }

  private void perhapsFail() {
    if (random.nextInt(ONE_IN) == 0) {
      throw new StoreException("cannot read: Input/output error", false, null);
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    perhapsFail();
    return store.get(key);
  }

  @Override
  public Cursor range(byte[] from, byte[] to) {
    perhapsFail();
    return new FailingCursor(store.range(from, to));
  }

  @Override
  public Cursor reverseRange(byte[] from, byte[] to) {
    perhapsFail();
    return new FailingCursor(store.reverseRange(from, to));
  }

  @Override
  public void write(Batch batch) {
    store.write(batch);
  }

  @Override
  public void close() {
    store.close();
  }

  private final class FailingCursor implements Cursor {
    private final Cursor cursor;

    FailingCursor(Cursor cursor) {
      this.cursor = cursor;
    }

    @Override
    public boolean next() {
      perhapsFail();
      return cursor.next();
    }

    @Override
    public byte[] key() {
      return cursor.key();
    }

    @Override
    public byte[] value() {
      perhapsFail();
      return cursor.value();
    }

    @Override
    public void close() {
      cursor.close();
    }
  }
}
