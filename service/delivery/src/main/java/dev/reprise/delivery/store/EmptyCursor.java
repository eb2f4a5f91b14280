package dev.reprise.delivery.store;

/** A range whose end is not behind its beginning. RocksDB does not allow such bounds. */
enum EmptyCursor implements Store.Cursor {
  EMPTY;

  @Override
  public boolean next() {
    return false;
  }

  @Override
  public byte[] key() {
    throw new IllegalStateException("the cursor is at no entry");
  }

  @Override
  public byte[] value() {
    throw new IllegalStateException("the cursor is at no entry");
  }

  @Override
  public void close() {}
}
