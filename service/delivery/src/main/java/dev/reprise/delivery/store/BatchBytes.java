package dev.reprise.delivery.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A batch in the form in which RocksDB logs it: one crossing into native code a batch instead of
 * one an operation. The form is that of RocksDB's write-ahead log, so every version reads it:
 * sequence (8 bytes, set by RocksDB), count (4, little-endian), then for each operation its type,
 * and key and value each behind their length as a varint.
 */
final class BatchBytes implements Batch.Visitor {
  private static final int HEADER_BYTES = 12;
  private static final byte DELETE = 0;
  private static final byte PUT = 1;

  /** RocksDB's SingleDelete: vanishes together with the one put that it finds. */
  private static final byte DELETE_ONCE = 7;

  private static final byte DELETE_RANGE = 15;

  private final byte[] prefix;
  private final ByteBuffer bytes;

  private BatchBytes(byte[] prefix, ByteBuffer bytes) {
    this.prefix = prefix;
    this.bytes = bytes;
  }

  /** The batch with {@code prefix} before each key. */
  static byte[] of(byte[] prefix, Batch batch) {
    Size size = new Size(prefix.length);
    batch.forEach(size);
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.toIntExact(size.bytes)).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(0).putInt(batch.size());
    batch.forEach(new BatchBytes(prefix, bytes));
    return bytes.array();
  }

  /** The removal of all keys from {@code from} to {@code to}, which is not removed. */
  static byte[] ofRange(byte[] from, byte[] to) {
    Size size = new Size(0);
    size.delete(from);
    size.add(to.length);
    ByteBuffer bytes =
        ByteBuffer.allocate(Math.toIntExact(size.bytes)).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(0).putInt(1).put(DELETE_RANGE);
    BatchBytes whole = new BatchBytes(new byte[0], bytes);
    whole.key(from);
    whole.key(to);
    return bytes.array();
  }

  @Override
  public void put(byte[] key, byte[] value) {
    bytes.put(PUT);
    key(key);
    length(value.length);
    bytes.put(value);
  }

  @Override
  public void delete(byte[] key) {
    bytes.put(DELETE);
    key(key);
  }

  @Override
  public void deleteOnce(byte[] key) {
    bytes.put(DELETE_ONCE);
    key(key);
  }

  private void key(byte[] key) {
    length(prefix.length + key.length);
    bytes.put(prefix).put(key);
  }

  private void length(int length) {
    int rest = length;
    while (rest > 0x7f) {
      bytes.put((byte) (rest | 0x80));
      rest >>>= 7;
    }
    bytes.put((byte) rest);
  }

  private static final class Size implements Batch.Visitor {
    private final int prefixBytes;
    private long bytes = HEADER_BYTES;

    Size(int prefixBytes) {
      this.prefixBytes = prefixBytes;
    }

    @Override
    public void put(byte[] key, byte[] value) {
      delete(key);
      add(value.length);
    }

    @Override
    public void delete(byte[] key) {
      bytes++;
      add(prefixBytes + key.length);
    }

    private void add(int length) {
      bytes += 1 + (31 - Integer.numberOfLeadingZeros(length | 1)) / 7 + length;
    }
  }
}
