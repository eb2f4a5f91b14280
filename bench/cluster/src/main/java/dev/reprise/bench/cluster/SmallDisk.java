package dev.reprise.bench.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small disk of its own for the folder of a node, in memory. Needs the right to mount. */
final class SmallDisk implements AutoCloseable {
  /** More than a store needs and keeps in reserve, and little enough to be filled at once. */
  private static final String SIZE = "420m";

  private final Path folder;

  private SmallDisk(Path folder) {
    this.folder = folder;
  }

  /** Mounts one on a folder, which is made. */
  static SmallDisk mount(Path folder) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Command.run("mount", "-t", "tmpfs", "-o", "size=" + SIZE, "tmpfs", folder.toString());
    return new SmallDisk(folder);
  }

  /** Takes all of it that is free. */
  void fill() throws InterruptedException {
    // Ends where the disk does.
    String unused = Command.attempt("dd", "if=/dev/zero", "of=" + filler(), "bs=1M");
  }

  /** Gives back what {@link #fill} has taken. */
  void free() throws IOException {
    Files.deleteIfExists(filler());
  }

  private Path filler() {
    return folder.resolve("filler");
  }

  @Override
  public void close() {
    try {
      // Lazily: whoever still has a file open is about to end.
      Command.attempt("umount", "-l", folder.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
