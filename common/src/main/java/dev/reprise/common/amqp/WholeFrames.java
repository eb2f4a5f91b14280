package dev.reprise.common.amqp;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import org.apache.qpid.protonj2.engine.impl.ProtonConstants;

/**
 * Keeps the beginning of a frame until its end has come: protonj2 1.1.0 puts the parts together in
 * a buffer that fails to read a symbol which is not in its first part, and then ends the
 * connection. Not thread-safe.
 */
final class WholeFrames {
  /** "AMQP", the beginning of a protocol header, which has no size of its own. */
  private static final int HEADER = 0x414d5150;

  private static final int MIN_BYTES = 8;

  private byte[] rest = {};

  /** Returns all frames that are complete with these bytes, and keeps the others. */
  byte[] with(ByteBuf bytes) {
    byte[] all = Arrays.copyOf(rest, rest.length + bytes.readableBytes());
    bytes.readBytes(all, rest.length, all.length - rest.length);
    int end = endOfFrames(all);
    rest = Arrays.copyOfRange(all, end, all.length);
    return end == all.length ? all : Arrays.copyOf(all, end);
  }

  private static int endOfFrames(byte[] all) {
    int at = 0;
    while (all.length - at >= Integer.BYTES) {
      int size = size(all, at);
      if (size < MIN_BYTES || size > ProtonConstants.DEFAULT_MAX_AMQP_FRAME_SIZE) {
        // No frame that may come: the engine says what is wrong with it.
        return all.length;
      }
      if (all.length - at < size) {
        return at;
      }
      at += size;
    }
    return at;
  }

  private static int size(byte[] all, int at) {
    int size =
        ((all[at] & 0xff) << 24)
            | ((all[at + 1] & 0xff) << 16)
            | ((all[at + 2] & 0xff) << 8)
            | (all[at + 3] & 0xff);
    return size == HEADER ? MIN_BYTES : size;
  }
}
