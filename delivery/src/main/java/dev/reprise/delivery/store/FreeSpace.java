package dev.reprise.delivery.store;

import java.io.File;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Free disk space, asked for at most five times a second. */
final class FreeSpace {
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private record Reading(long bytes, long takenAtNanos) {}

  private final File folder;
  private volatile Reading reading;

  FreeSpace(Path folder) {
    this.folder = folder.toFile();
    this.reading = read();
  }

  long bytes() {
    Reading last = reading;
    if (System.nanoTime() - last.takenAtNanos() > INTERVAL_NANOS) {
      last = read();
      reading = last;
    }
    return last.bytes();
  }

  private Reading read() {
    return new Reading(folder.getUsableSpace(), System.nanoTime());
  }
}
