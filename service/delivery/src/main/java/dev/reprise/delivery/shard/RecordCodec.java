package dev.reprise.delivery.shard;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Writes and reads the fields of stored records: numbers as unsigned base-128 groups, everything
 * else with its length before it. Records begin with a version byte, so that a field can be added.
 */
final class RecordCodec {
  private RecordCodec() {}

  /** Builds one record. Not safe for use by several threads. */
  static final class Writer {
    private byte[] bytes;
    private int length;

    Writer(int capacityBytes) {
      bytes = new byte[capacityBytes];
    }

    Writer u8(int value) {
      room(1);
      bytes[length++] = (byte) value;
      return this;
    }

    /** A number from 0 to {@code Long.MAX_VALUE}, 1 to 9 bytes. */
    Writer number(long value) {
      if (value < 0) {
        throw new IllegalArgumentException("number is " + value + ": must be 0 or more");
      }
      room(9);
      long rest = value;
      while (rest > 0x7f) {
        bytes[length++] = (byte) (rest | 0x80);
        rest >>>= 7;
      }
      bytes[length++] = (byte) rest;
      return this;
    }

    /** Any long, 8 bytes. */
    Writer fixed(long value) {
      room(8);
      for (int shift = 56; shift >= 0; shift -= 8) {
        bytes[length++] = (byte) (value >>> shift);
      }
      return this;
    }

    Writer blob(byte[] value) {
      number(value.length);
      room(value.length);
      System.arraycopy(value, 0, bytes, length, value.length);
      length += value.length;
      return this;
    }

    Writer text(String value) {
      return blob(value.getBytes(StandardCharsets.UTF_8));
    }

    byte[] toBytes() {
      return length == bytes.length ? bytes : Arrays.copyOf(bytes, length);
    }

    private void room(int count) {
      if (bytes.length - length < count) {
        bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + count));
      }
    }
  }

  /** Takes one record apart. Not safe for use by several threads. */
  static final class Reader {
    private final byte[] bytes;
    private int position;

    Reader(byte[] bytes) {
      this.bytes = bytes;
    }

    boolean isAtEnd() {
      return position == bytes.length;
    }

    int u8() {
      return bytes[position++] & 0xff;
    }

    long number() {
      long value = 0;
      for (int shift = 0; ; shift += 7) {
        byte next = bytes[position++];
        value |= (next & 0x7fL) << shift;
        if (next >= 0) {
          return value;
        }
      }
    }

    int count() {
      return Math.toIntExact(number());
    }

    long fixed() {
      long value = 0;
      for (int i = 0; i < 8; i++) {
        value = (value << 8) | (bytes[position++] & 0xff);
      }
      return value;
    }

    byte[] blob() {
      int length = length();
      byte[] value = Arrays.copyOfRange(bytes, position, position + length);
      position += length;
      return value;
    }

    /** A damaged length must neither allocate gigabytes nor read beyond the record. */
    private int length() {
      int length = count();
      if (length < 0 || length > bytes.length - position) {
        throw new IllegalStateException(
            "stored record is cut short: "
                + length
                + " bytes are announced, "
                + (bytes.length - position)
                + " are left");
      }
      return length;
    }

    String text() {
      int length = length();
      String value = new String(bytes, position, length, StandardCharsets.UTF_8);
      position += length;
      return value;
    }

    /** Refuses a record that a newer version wrote. */
    Reader version(int known) {
      versionBetween(known, known);
      return this;
    }

    /** The version of a record that has had several; refuses one that a newer program wrote. */
    int versionBetween(int oldest, int newest) {
      int version = u8();
      if (version < oldest || version > newest) {
        throw new IllegalStateException(
            "stored record has version " + version + ": this program reads version " + newest);
      }
      return version;
    }
  }
}
