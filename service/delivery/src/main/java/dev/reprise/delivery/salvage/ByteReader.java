package dev.reprise.delivery.salvage;

import java.util.Arrays;

/** Takes apart what RocksDB writes: varints, little-endian numbers, bytes behind their length. */
final class ByteReader {
  private final byte[] bytes;
  private final int end;
  private int at;

  ByteReader(byte[] bytes) {
    this(bytes, 0, bytes.length);
  }

  ByteReader(byte[] bytes, int at, int end) {
    this.bytes = bytes;
    this.at = at;
    this.end = end;
  }

  boolean hasMore() {
    return at < end;
  }

  int position() {
    return at;
  }

  int u8() {
    require(1);
    return bytes[at++] & 0xff;
  }

  long varint() {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int next = u8();
      value |= (next & 0x7fL) << shift;
      if (next < 0x80) {
        return value;
      }
    }
    throw new IllegalStateException("a number has too many bytes");
  }

  int length() {
    long length = varint();
    if (length < 0 || length > end - at) {
      throw new IllegalStateException(length + " bytes are announced, " + (end - at) + " are left");
    }
    return (int) length;
  }

  long littleEndian(int count) {
    require(count);
    long value = 0;
    for (int i = 0; i < count; i++) {
      value |= (bytes[at++] & 0xffL) << (8 * i);
    }
    return value;
  }

  byte[] take(int length) {
    require(length);
    byte[] taken = Arrays.copyOfRange(bytes, at, at + length);
    at += length;
    return taken;
  }

  byte[] slice() {
    return take(length());
  }

  private void require(int count) {
    if (count < 0 || count > end - at) {
      throw new IllegalStateException(count + " bytes are needed, " + (end - at) + " are left");
    }
  }
}
