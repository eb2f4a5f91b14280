package dev.reprise.device.queue;

import java.io.IOException;
import java.nio.file.Path;

/** Keeps a copy of a damaged file for inspection. Nothing deletes it. */
final class DamagedFile {
  private static final String SUFFIX = ".damaged";

  private DamagedFile() {}

  /** Returns the name of the copy. */
  static Path of(Segment segment) {
    return Journal.beside(segment.log, SUFFIX);
  }

  static void write(Disk disk, Path folder, Segment segment, byte[] content) throws IOException {
    try (DiskFile file = disk.create(of(segment))) {
      file.truncate(0);
      file.write(0, content, content.length);
      file.force();
    }
    disk.force(folder);
  }
}
