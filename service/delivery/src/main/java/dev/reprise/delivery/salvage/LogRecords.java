package dev.reprise.delivery.salvage;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The records of a file in RocksDB's log format, which logs and manifests have: blocks of 32 KiB,
 * each of whole fragments with checksums. What is damaged costs the rest of its block. A log that
 * was used before ends in records that name another log, which are none of this one.
 */
final class LogRecords {
  private static final int BLOCK = 32 << 10;
  private static final int HEADER = 7;
  private static final int RECYCLED_HEADER = 11;

  /** Kinds of fragments; 4 more for those of a file that may be used again. */
  private static final int FULL = 1;

  private static final int FIRST = 2;
  private static final int MIDDLE = 3;
  private static final int LAST = 4;

  private LogRecords() {}

  /** Is given what is in a file, in its order. */
  interface Receiver {
    /** A whole record. */
    void record(long offset, byte[] record) throws IOException;

    /** Nothing can be read here, and something can behind it. */
    void damaged(long from, long to);
  }

  /**
   * Reads a file.
   *
   * @param number the file's, which is in the fragments of logs that may be used again
   * @return the offset behind the last whole record
   */
  static long read(Path file, long number, Receiver receiver) throws IOException {
    try (RawFile in = RawFile.open(file)) {
      return new Reading(in, number, receiver).run();
    }
  }

  /** Checksums are stored so that one of something that holds one is none by chance. */
  static long masked(long crc) {
    return (((crc >>> 15) | (crc << 17)) + 0xa282ead8L) & 0xffffffffL;
  }

  private static final class Reading {
    private final RawFile in;
    private final long number;
    private final Receiver receiver;
    private @Nullable ByteArrayOutputStream parts;
    private long began;
    private long whole;

    /** Where damage begins that nothing readable has followed yet; -1 for none. */
    private long damagedFrom = -1;

    Reading(RawFile in, long number, Receiver receiver) {
      this.in = in;
      this.number = number;
      this.receiver = receiver;
    }

    long run() throws IOException {
      for (long start = 0; start < in.size(); start += BLOCK) {
        int length = (int) Math.min(BLOCK, in.size() - start);
        byte[] block;
        try {
          block = in.read(start, length);
        } catch (IOException e) {
          lost(start);
          continue;
        }
        readBlock(start, block);
      }
      return whole;
    }

    private void readBlock(long start, byte[] block) throws IOException {
      int at = 0;
      while (block.length - at >= HEADER) {
        int type = block[at + 6] & 0xff;
        int length = (block[at + 4] & 0xff) | (block[at + 5] & 0xff) << 8;
        int header = type > LAST ? RECYCLED_HEADER : HEADER;
        if (!isWhole(block, at, type, header, length)) {
          if (!isFiller(block, at)) {
            lost(start + at);
          }
          return;
        }
        fragment(start + at, type > LAST ? type - LAST : type, block, at + header, length);
        at += header + length;
      }
    }

    /**
     * Zeros at the end of a block, where the header of a log that may be used again has no room.
     */
    private static boolean isFiller(byte[] block, int at) {
      return block.length - at < RECYCLED_HEADER
          && Arrays.equals(
              block, at, block.length, new byte[RECYCLED_HEADER], 0, block.length - at);
    }

    private boolean isWhole(byte[] block, int at, int type, int header, int length) {
      if (type < FULL || type > 2 * LAST || at + header + length > block.length) {
        return false;
      }
      if (header == RECYCLED_HEADER
          && new ByteReader(block, at + 7, at + 11).littleEndian(4) != (number & 0xffffffffL)) {
        return false;
      }
      CRC32C crc = new CRC32C();
      crc.update(block, at + 6, header - 6 + length);
      return new ByteReader(block, at, at + 4).littleEndian(4) == masked(crc.getValue());
    }

    private void fragment(long at, int kind, byte[] block, int from, int length)
        throws IOException {
      if (kind == FULL || kind == FIRST) {
        if (parts != null) {
          lost(began);
        }
        parts = new ByteArrayOutputStream(length);
        began = at;
      } else if (parts == null) {
        // Its beginning was damaged.
        lost(at);
        return;
      }
      parts.write(block, from, length);
      if (kind == FULL || kind == LAST) {
        byte[] record = parts.toByteArray();
        parts = null;
        if (damagedFrom >= 0) {
          receiver.damaged(damagedFrom, began);
          damagedFrom = -1;
        }
        whole = at - at % BLOCK + from + length;
        receiver.record(began, record);
      } else if (kind != FIRST && kind != MIDDLE) {
        lost(at);
      }
    }

    private void lost(long from) {
      if (damagedFrom < 0) {
        damagedFrom = parts == null ? from : began;
      }
      parts = null;
    }
  }
}
