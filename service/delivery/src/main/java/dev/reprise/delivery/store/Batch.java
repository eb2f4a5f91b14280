package dev.reprise.delivery.store;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes that happen together or not at all. A later operation on a key wins over an earlier one.
 * Not safe for use by several threads.
 *
 * <p><b>Short-lived keys.</b> Each key is of one of two kinds for ever: it is written by {@link
 * #put} and {@link #delete}, or by {@link #putOnce} and {@link #deleteOnce}. The second kind is for
 * records that are deleted soon: the two operations cancel each other out and leave nothing behind,
 * where {@code delete} leaves a tombstone that is rewritten until it reaches the oldest data.
 */
public final class Batch {
  private final List<byte[]> keys = new ArrayList<>();
  private final List<byte @Nullable []> values = new ArrayList<>();
  private final BitSet once = new BitSet();
  private long bytes;

  /** Sets {@code key} to {@code value}. Neither array may be changed afterwards. */
  public void put(byte[] key, byte[] value) {
    add(key, value);
    bytes += value.length;
  }

  /** Removes {@code key}; no error if it is absent. */
  public void delete(byte[] key) {
    add(key, null);
  }

  /**
   * Sets {@code key}, which must be absent, to {@code value}. Only {@link #deleteOnce} may remove
   * it; set again before, it would come back with its first value after having been removed.
   */
  public void putOnce(byte[] key, byte[] value) {
    once.set(keys.size());
    put(key, value);
  }

  /** Removes a key that {@link #putOnce} has set; no error if it is absent. */
  public void deleteOnce(byte[] key) {
    once.set(keys.size());
    delete(key);
  }

  private void add(byte[] key, byte @Nullable [] value) {
    keys.add(key);
    values.add(value);
    bytes += key.length;
  }

  /**
   * Returns this batch in a form that may be written although this one was perhaps applied already:
   * what {@link #putOnce} sets is removed first, so that it is there once in either case.
   */
  public Batch again() {
    Batch again = new Batch();
    forEach(
        new Visitor() {
          @Override
          public void put(byte[] key, byte[] value) {
            again.put(key, value);
          }

          @Override
          public void delete(byte[] key) {
            again.delete(key);
          }

          @Override
          public void putOnce(byte[] key, byte[] value) {
            again.deleteOnce(key);
            again.putOnce(key, value);
          }

          @Override
          public void deleteOnce(byte[] key) {
            again.deleteOnce(key);
          }
        });
    return again;
  }

  /** Whether there is nothing to write. */
  public boolean isEmpty() {
    return keys.isEmpty();
  }

  /** The bytes of all keys and values. */
  public long bytes() {
    return bytes;
  }

  /** The number of operations. */
  public int size() {
    return keys.size();
  }

  /** Hands every operation to {@code visitor} in order. */
  public void forEach(Visitor visitor) {
    for (int i = 0; i < keys.size(); i++) {
      byte[] key = keys.get(i);
      byte[] value = values.get(i);
      if (once.get(i)) {
        if (value == null) {
          visitor.deleteOnce(key);
        } else {
          visitor.putOnce(key, value);
        }
      } else if (value == null) {
        visitor.delete(key);
      } else {
        visitor.put(key, value);
      }
    }
  }

  /** Receives the operations of a batch. */
  public interface Visitor {
    /** The batch sets {@code key} to {@code value}. */
    void put(byte[] key, byte[] value);

    /** The batch removes {@code key}. */
    void delete(byte[] key);

    /** The batch sets {@code key}, a short-lived one; the same as {@link #put} by default. */
    default void putOnce(byte[] key, byte[] value) {
      put(key, value);
    }

    /** The batch removes {@code key}, a short-lived one; the same as {@link #delete} by default. */
    default void deleteOnce(byte[] key) {
      delete(key);
    }
  }
}
