package dev.reprise.device.queue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** Writes frames one behind the other, in pieces that are worth a call. */
final class SegmentWriter {
  private static final int BUFFER_BYTES = 64 * 1024;

  private final DiskFile file;
  private byte[] buffer = new byte[512];
  private int buffered;
  private long position;

  SegmentWriter(DiskFile file, long position) {
    this.file = file;
    this.position = position;
  }

  /**
   * Writes a whole file, durable before it has its name.
   *
   * @param path where it is while it is not yet whole
   */
  static void writeFile(
      Disk disk, Path path, Path target, SegmentHeader header, Iterable<Frame> frames)
      throws IOException {
    try (DiskFile file = disk.create(path)) {
      file.truncate(0);
      SegmentWriter writer = new SegmentWriter(file, 0);
      writer.write(header.encode());
      for (Frame frame : frames) {
        writer.write(frame.file(), frame.offset(), frame.length());
      }
      writer.flush();
      file.force();
    }
    disk.rename(path, target);
  }

  /** Returns where the next frame begins. */
  long position() {
    return position + buffered;
  }

  void write(byte[] bytes) throws IOException {
    write(bytes, 0, bytes.length);
  }

  private void write(byte[] bytes, int offset, int length) throws IOException {
    if (buffered + length > BUFFER_BYTES) {
      flush();
    }
    if (buffered + length > buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(buffered + length, 2 * buffer.length));
    }
    System.arraycopy(bytes, offset, buffer, buffered, length);
    buffered += length;
  }

  void flush() throws IOException {
    file.write(position, buffer, buffered);
    position += buffered;
    buffered = 0;
  }
}
