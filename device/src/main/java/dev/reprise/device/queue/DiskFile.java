package dev.reprise.device.queue;

import java.io.Closeable;
import java.io.IOException;

/** An open file. */
interface DiskFile extends Closeable {
  long size() throws IOException;

  /** Reads so many bytes from there on; that the file ends before is an error. */
  byte[] read(long position, int length) throws IOException;

  /** Writes the first bytes of a buffer. */
  void write(long position, byte[] buffer, int length) throws IOException;

  void truncate(long size) throws IOException;

  /** Makes the written bytes durable. */
  void force() throws IOException;
}
