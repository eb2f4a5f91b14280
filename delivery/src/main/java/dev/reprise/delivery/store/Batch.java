package dev.reprise.delivery.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes that happen together or not at all. A later operation on a key wins over an earlier one.
 * Not safe for use by several threads.
 */
public final class Batch {
  private final List<byte[]> keys = new ArrayList<>();
  private final List<byte @Nullable []> values = new ArrayList<>();
  private long bytes;

  /** Sets {@code key} to {@code value}. Neither array may be changed afterwards. */
  public void put(byte[] key, byte[] value) {
    keys.add(key);
    values.add(value);
    bytes += key.length + value.length;
  }

  /** Removes {@code key}; no error if it is absent. */
  public void delete(byte[] key) {
    keys.add(key);
    values.add(null);
    bytes += key.length;
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
      byte[] value = values.get(i);
      if (value == null) {
        visitor.delete(keys.get(i));
      } else {
        visitor.put(keys.get(i), value);
      }
    }
  }

  /** Receives the operations of a batch. */
  public interface Visitor {
    /** The batch sets {@code key} to {@code value}. */
    void put(byte[] key, byte[] value);

    /** The batch removes {@code key}. */
    void delete(byte[] key);
  }
}
