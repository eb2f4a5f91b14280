package dev.reprise.device.queue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The beginning of a file of messages: {@code magic (8) | version (4) | first (8) | end (8) |
 * crc32c (4)}, big-endian.
 *
 * @param first no sequence in the file is below
 * @param end the file takes the place of all files whose first sequence is above {@code first} and
 *     below this one; 0 when it takes the place of none
 */
record SegmentHeader(long first, long end) {
  static final int BYTES = 32;

  /** "RepriseQ". */
  private static final long MAGIC = 0x5265_7072_6973_6551L;

  private static final int VERSION = 1;
  private static final int CHECKED_BYTES = BYTES - 4;

  byte[] encode() {
    ByteBuffer header =
        ByteBuffer.allocate(BYTES).putLong(MAGIC).putInt(VERSION).putLong(first).putLong(end);
    return header.putInt(checksum(header.array())).array();
  }

  /**
   * Reads what stands at the beginning of a file.
   *
   * @return null when it is not a sound header
   * @throws IOException when a version wrote it that this one does not know
   */
  static @Nullable SegmentHeader decode(byte[] file, Path path) throws IOException {
    if (file.length < BYTES) {
      return null;
    }
    ByteBuffer header = ByteBuffer.wrap(file);
    if (header.getLong() != MAGIC || header.getInt(CHECKED_BYTES) != checksum(file)) {
      return null;
    }
    int version = header.getInt();
    if (version != VERSION) {
      throw new IOException(
          String.format(
                  Locale.ROOT,
                  "format version of %s is %d: must be %d; a newer version of this library wrote"
                      + " it, and it",
                  path,
                  version,
                  VERSION)
              + " takes that version to read it, or another folder to begin anew");
    }
    return new SegmentHeader(header.getLong(), header.getLong());
  }

  private static int checksum(byte[] file) {
    CRC32C crc = new CRC32C();
    crc.update(file, 0, CHECKED_BYTES);
    return (int) crc.getValue();
  }
}
