package dev.reprise.delivery.salvage;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** A file that is only read, anywhere. */
final class RawFile implements AutoCloseable {
  private final RandomAccessFile file;
  private final long size;

  private RawFile(RandomAccessFile file) throws IOException {
    this.file = file;
    this.size = file.length();
  }

  static RawFile open(Path path) throws IOException {
    return new RawFile(new RandomAccessFile(path.toFile(), "r"));
  }

  long size() {
    return size;
  }

  byte[] read(long offset, int length) throws IOException {
    if (offset < 0 || length < 0 || offset + length > size) {
      throw new EOFException("the file ends at " + size);
    }
    byte[] bytes = new byte[length];
    file.seek(offset);
    file.readFully(bytes);
    return bytes;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
