package dev.reprise.cluster.base;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The part of a store whose keys begin with a number. Closing it does nothing. */
final class NumberedStore implements Store {
  static final int NUMBER_BYTES = 2;

  private final Store whole;
  private final byte[] prefix;

  NumberedStore(Store whole, int number) {
    this.whole = whole;
    this.prefix = new byte[] {(byte) (number >>> 8), (byte) number};
  }

  /** The number that a key of the whole store begins with. */
  static int numberOf(byte[] key) {
    return (key[0] & 0xff) << 8 | (key[1] & 0xff);
  }

  /** The rest of a key of the whole store. */
  static byte[] rest(byte[] key) {
    return Arrays.copyOfRange(key, NUMBER_BYTES, key.length);
  }

  private byte[] join(byte[] key) {
    return ByteBuffer.allocate(NUMBER_BYTES + key.length).put(prefix).put(key).array();
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return whole.get(join(key));
  }

  @Override
  public Cursor range(byte[] from, byte[] to) {
    return new Rest(whole.range(join(from), join(to)));
  }

  @Override
  public Cursor reverseRange(byte[] from, byte[] to) {
    return new Rest(whole.reverseRange(join(from), join(to)));
  }

  @Override
  public void write(Batch batch) {
    Batch joined = new Batch();
    batch.forEach(
        new Batch.Visitor() {
          @Override
          public void put(byte[] key, byte[] value) {
            joined.put(join(key), value);
          }

          @Override
          public void delete(byte[] key) {
            joined.delete(join(key));
          }
        });
    whole.write(joined);
  }

  @Override
  public void close() {}

  private record Rest(Cursor cursor) implements Cursor {
    @Override
    public boolean next() {
      return cursor.next();
    }

    @Override
    public byte[] key() {
      return rest(cursor.key());
    }

    @Override
    public byte[] value() {
      return cursor.value();
    }

    @Override
    public void close() {
      cursor.close();
    }
  }
}
