package dev.reprise.bench.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The bytes that a disk has been made to write, by its own count: what a file system adds is in it,
 * and so is what other programs write meanwhile. The account that Linux keeps for each process is
 * no measure: it takes a whole group of cached pages for written where one of them was changed.
 */
final class DiskSpeed {
  private static final int SECTORS_WRITTEN = 6;
  private static final int SECTOR_BYTES = 512;

  private final Path statistics;

  private DiskSpeed(Path statistics) {
    this.statistics = statistics;
  }

  /**
   * Returns the disk, or the part of one, that holds a folder.
   *
   * @throws IOException if it is on none that counts, such as a file system in memory
   */
  static DiskSpeed of(Path folder) throws IOException {
    long device = ((Number) Files.getAttribute(folder, "unix:dev")).longValue();
    long major = ((device >>> 8) & 0xfff) | ((device >>> 32) & ~0xfffL);
    long minor = (device & 0xff) | ((device >>> 12) & ~0xffL);
    Path statistics = Path.of("/sys/dev/block", major + ":" + minor, "stat");
    if (!Files.exists(statistics)) {
      throw new IOException(
          folder
              + " is not on a disk that counts what it writes (device "
              + major
              + ":"
              + minor
              + "): name a folder that is, JAVA_TOOL_OPTIONS=-Djava.io.tmpdir=FOLDER");
    }
    return new DiskSpeed(statistics);
  }

  long writtenBytes() throws IOException {
    String[] fields = Files.readString(statistics).strip().split("\\s+", -1);
    return Long.parseLong(fields[SECTORS_WRITTEN]) * SECTOR_BYTES;
  }
}
