package dev.reprise.delivery.salvage;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One version of a record.
 *
 * @param key with the two bytes of its view
 * @param sequence the number of the write, greater for later ones; 0 once nothing older is left
 * @param value null for a deletion
 */
record SalvageEntry(byte[] key, long sequence, byte @Nullable [] value) {
  private static final int DELETION = 0;
  private static final int VALUE = 1;
  private static final int SINGLE_DELETION = 7;

  /** Reads an entry of a table: key, then type and sequence in eight bytes. */
  static SalvageEntry ofTable(byte[] internalKey, byte[] value) {
    byte[] key = userKey(internalKey);
    long packed = new ByteReader(internalKey, key.length, internalKey.length).littleEndian(8);
    return of(key, packed >>> 8, (int) (packed & 0xff), value);
  }

  /** Returns the key of a record from that of a table's entry. */
  static byte[] userKey(byte[] internalKey) {
    return Arrays.copyOf(internalKey, internalKey.length - 8);
  }

  private static SalvageEntry of(byte[] key, long sequence, int type, byte[] value) {
    return switch (type) {
      case VALUE -> new SalvageEntry(key, sequence, value);
      case DELETION, SINGLE_DELETION -> new SalvageEntry(key, sequence, null);
      default -> throw new IllegalStateException("an entry has the unknown type " + type);
    };
  }

  /** Reads the next operation of a batch in a log; null for one that changes nothing. */
  static @Nullable SalvageEntry ofBatch(ByteReader in, long sequence) {
    int type = in.u8();
    return switch (type) {
      case VALUE -> {
        byte[] key = in.slice();
        yield new SalvageEntry(key, sequence, in.slice());
      }
      case DELETION, SINGLE_DELETION -> new SalvageEntry(in.slice(), sequence, null);
      case 3 -> {
        in.slice();
        yield null;
      }
      case 13 -> null;
      default -> throw new IllegalStateException("a batch has the unknown operation " + type);
    };
  }
}
