package dev.reprise.delivery.salvage;

import java.util.Arrays;

/** Unpacks a block of LZ4 (LZ4 Block Format Description). */
final class Lz4 {
  private Lz4() {}

  /**
   * Returns what a block holds.
   *
   * @param in the block between {@code from} and {@code to}
   * @param length of what it holds, in bytes
   * @throws RuntimeException if it is no such block
   */
  static byte[] unpack(byte[] in, int from, int to, int length) {
    byte[] out = new byte[length];
    int at = from;
    int written = 0;
    while (at < to) {
      int token = in[at++] & 0xff;
      int literals = token >>> 4;
      if (literals == 15) {
        int more;
        do {
          more = in[at++] & 0xff;
          literals += more;
        } while (more == 255);
      }
      System.arraycopy(in, at, out, written, literals);
      at += literals;
      written += literals;
      if (at >= to) {
        break;
      }
      int distance = (in[at] & 0xff) | (in[at + 1] & 0xff) << 8;
      at += 2;
      int match = (token & 15) + 4;
      if (match == 19) {
        int more;
        do {
          more = in[at++] & 0xff;
          match += more;
        } while (more == 255);
      }
      if (distance == 0 || distance > written) {
        throw new IllegalArgumentException("a match begins before the block");
      }
      // Byte by byte: a match may overlap with what it makes.
      for (int i = 0; i < match; i++, written++) {
        out[written] = out[written - distance];
      }
    }
    return written == length ? out : Arrays.copyOf(out, written);
  }
}
