package dev.reprise.delivery.backup;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The header of a file in a tar archive (POSIX.1-1988, ustar): a file that its owner alone may read
 * and write.
 *
 * @param name the path in the archive, of at most 100 visible ASCII characters
 * @param size the bytes that follow, less than 8 GiB
 * @param modifiedSeconds since 1970
 */
record TarHeader(String name, long size, long modifiedSeconds) {
  /** The unit of an archive: a header is one, and contents are filled up to a whole number. */
  static final int BLOCK = 512;

  /** The end of an archive: two blocks of zeros. */
  static final int END_BYTES = 2 * BLOCK;

  static final long MAX_SIZE = (1L << 33) - 1;

  private static final int NAME_BYTES = 100;
  private static final int SIZE_AT = 124;
  private static final int MODIFIED_AT = 136;
  private static final int CHECKSUM_AT = 148;

  TarHeader {
    if (size < 0 || size > MAX_SIZE || name.length() > NAME_BYTES) {
      throw new IllegalArgumentException(name + " of " + size + " bytes does not fit a header");
    }
  }

  /** Returns the zeros that follow contents of so many bytes. */
  static int padding(long size) {
    return (int) (-size & (BLOCK - 1));
  }

  /** Returns the bytes of an archive that a file of this size takes. */
  static long bytesOf(long size) {
    return BLOCK + size + padding(size);
  }

  byte[] toBytes() {
    byte[] block = new byte[BLOCK];
    put(block, 0, name);
    put(block, 100, "0000600");
    put(block, 108, "0000000");
    put(block, 116, "0000000");
    put(block, SIZE_AT, octal(size));
    put(block, MODIFIED_AT, octal(modifiedSeconds));
    put(block, CHECKSUM_AT, "        ");
    put(block, 156, "0");
    put(block, 257, "ustar");
    put(block, 263, "00");
    int sum = 0;
    for (byte b : block) {
      sum += b & 0xff;
    }
    put(block, CHECKSUM_AT, String.format(Locale.ROOT, "%06o\0 ", sum));
    return block;
  }

  private static String octal(long number) {
    return String.format(Locale.ROOT, "%011o", number);
  }

  private static void put(byte[] block, int at, String text) {
    byte[] bytes = text.getBytes(US_ASCII);
    System.arraycopy(bytes, 0, block, at, bytes.length);
  }

  /**
   * Reads a header as {@link #toBytes} writes it, and no other.
   *
   * @return null for a block of zeros, which is the beginning of the end
   */
  static @Nullable TarHeader read(byte[] block) throws BackupException {
    if (isZero(block, BLOCK)) {
      return null;
    }
    int end = 0;
    while (end < NAME_BYTES && block[end] > ' ') {
      end++;
    }
    try {
      TarHeader header =
          new TarHeader(
              new String(block, 0, end, US_ASCII),
              number(block, SIZE_AT),
              number(block, MODIFIED_AT));
      if (Arrays.equals(header.toBytes(), block)) {
        return header;
      }
    } catch (IllegalArgumentException e) {
      // As below.
    }
    throw new BackupException("is damaged: there is no header where a file begins");
  }

  private static long number(byte[] block, int at) {
    return Long.parseLong(new String(block, at, 11, US_ASCII), 8);
  }

  /** Returns true if the first bytes of the block are zeros. */
  static boolean isZero(byte[] block, int count) {
    for (int i = 0; i < count; i++) {
      if (block[i] != 0) {
        return false;
      }
    }
    return true;
  }
}
