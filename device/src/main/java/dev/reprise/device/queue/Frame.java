package dev.reprise.device.queue;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * One record of a file of the journal: {@code length (4) | crc32c (4) | type (1) | sequence (8) |
 * payload}, big-endian. The length counts what follows the checksum; the checksum covers all but
 * itself.
 *
 * @param file what the frame is read from
 * @param offset where it begins in there
 * @param length all its bytes
 */
record Frame(byte[] file, int offset, int length) {
  /** The size of the header before the payload, in bytes. */
  static final int HEAD_BYTES = 17;

  /** A message that was accepted. */
  static final byte MESSAGE = 1;

  /** The message of this sequence is gone. */
  static final byte REMOVED = 2;

  /** Sequences up to this one were given out, though there may be no message. */
  static final byte MARK = 3;

  private static final int TYPE_OFFSET = 8;
  private static final int SEQUENCE_OFFSET = 9;

  static byte[] encode(byte type, long sequence, byte[] payload) {
    byte[] bytes = new byte[Math.addExact(HEAD_BYTES, payload.length)];
    ByteBuffer.wrap(bytes)
        .putInt(bytes.length - TYPE_OFFSET)
        .putInt(0)
        .put(type)
        .putLong(sequence)
        .put(payload)
        .putInt(4, checksum(bytes, 0, bytes.length));
    return bytes;
  }

  private static int checksum(byte[] file, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(file, offset, 4);
    crc.update(file, offset + TYPE_OFFSET, length - TYPE_OFFSET);
    return (int) crc.getValue();
  }

  /** Returns whether a whole, sound frame begins there. */
  static boolean isAt(byte[] file, int offset) {
    if (file.length - offset < HEAD_BYTES) {
      return false;
    }
    ByteBuffer buffer = ByteBuffer.wrap(file);
    int counted = buffer.getInt(offset);
    if (counted < HEAD_BYTES - TYPE_OFFSET || counted > file.length - offset - TYPE_OFFSET) {
      return false;
    }
    byte type = file[offset + TYPE_OFFSET];
    return type >= MESSAGE
        && type <= MARK
        && buffer.getInt(offset + 4) == checksum(file, offset, counted + TYPE_OFFSET);
  }

  /** Returns the frame that {@link #isAt begins there}. */
  static Frame at(byte[] file, int offset) {
    return new Frame(file, offset, ByteBuffer.wrap(file).getInt(offset) + TYPE_OFFSET);
  }

  byte type() {
    return file[offset + TYPE_OFFSET];
  }

  long sequence() {
    return ByteBuffer.wrap(file).getLong(offset + SEQUENCE_OFFSET);
  }

  ByteBuffer payload() {
    return ByteBuffer.wrap(file, offset + HEAD_BYTES, length - HEAD_BYTES);
  }

  int end() {
    return offset + length;
  }
}
