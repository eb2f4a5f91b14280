package dev.reprise.delivery.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Free disk space, asked for at most five times a second. */
final class FreeSpace {
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private record Reading(long bytes, long takenAtNanos) {}

  private final FileStore disk;
  private volatile Reading reading;

  FreeSpace(Path folder) throws IOException {
    this.disk = Files.getFileStore(folder);
    this.reading = read();
  }

  long bytes() {
    Reading last = reading;
    if (System.nanoTime() - last.takenAtNanos() > INTERVAL_NANOS) {
      try {
        last = read();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      reading = last;
    }
    return last.bytes();
  }

  private Reading read() throws IOException {
    return new Reading(disk.getUsableSpace(), System.nanoTime());
  }
}
