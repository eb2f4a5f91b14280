package dev.reprise.delivery.store;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The part of a {@link RocksStore} whose keys begin with a prefix. Both ends of every range carry
 * the prefix, so no range leaves it, whatever its ends are.
 */
final class PrefixedStore implements Store {
  private final RocksStore database;
  private final byte[] prefix;

  PrefixedStore(RocksStore database, byte[] prefix) {
    this.database = database;
    this.prefix = prefix;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return database.get(prefix, key);
  }

  @Override
  public Cursor range(byte[] from, byte[] to) {
    return database.cursor(prefix, from, to, false);
  }

  @Override
  public Cursor reverseRange(byte[] from, byte[] to) {
    return database.cursor(prefix, from, to, true);
  }

  @Override
  public void write(Batch batch) {
    database.write(prefix, batch);
  }

  @Override
  public boolean deleteRange(byte[] from, byte[] to) {
    database.deleteRange(prefix, from, to);
    return true;
  }

  /** Does nothing: the database belongs to all its views. */
  @Override
  public void close() {}

  static byte[] join(byte[] prefix, byte[] key) {
    return prefix.length == 0
        ? key
        : ByteBuffer.allocate(prefix.length + key.length).put(prefix).put(key).array();
  }
}
