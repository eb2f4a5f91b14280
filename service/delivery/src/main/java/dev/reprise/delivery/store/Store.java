package dev.reprise.delivery.store;

import org.jspecify.annotations.Nullable;

/**
 * An ordered map of bytes with atomic, durable batches: all that a shard needs of a database. Keys
 * compare as unsigned bytes.
 *
 * <p>Implementations are safe for use by many threads. Reads see whole batches or nothing of them.
 */
public interface Store extends AutoCloseable {
  /** The value of {@code key}, or null. */
  byte @Nullable [] get(byte[] key);

  /**
   * The entries from {@code from} (inclusive) to {@code to} (exclusive) in ascending order, as they
   * were when the cursor was opened. The caller closes the cursor.
   */
  Cursor range(byte[] from, byte[] to);

  /** The same entries in descending order. */
  Cursor reverseRange(byte[] from, byte[] to);

  /**
   * Applies the batch as a whole. When this returns, the batch survives a crash of the process and
   * of the machine.
   *
   * @throws StoreException if the batch could not be made durable; nothing of it is visible then
   */
  void write(Batch batch);

  /**
   * Removes all entries from {@code from} (inclusive) to {@code to} (exclusive), of either kind of
   * key, in a time that does not grow with their number. As a whole and durable, like a batch.
   *
   * @return false if this store cannot do that; nothing was done then
   * @throws StoreException as {@link #write}
   */
  default boolean deleteRange(byte[] from, byte[] to) {
    return false;
  }

  @Override
  void close();

  /** A position in a range. Begins before the first entry. Not safe for use by several threads. */
  interface Cursor extends AutoCloseable {
    /** Moves to the next entry; false at the end. */
    boolean next();

    /** The key at this position. */
    byte[] key();

    /** The value at this position. */
    byte[] value();

    @Override
    void close();
  }
}
