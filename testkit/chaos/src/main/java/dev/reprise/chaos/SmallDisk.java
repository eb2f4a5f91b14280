package dev.reprise.chaos;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A small disk of its own for a folder of a node or a broker, in memory. Needs the right to mount.
 */
final class SmallDisk implements AutoCloseable {
  /** Somebody may write between the look at what is used and the change. */
  private static final int TRIES = 100;

  private final Path folder;
  private final long bytes;

  private SmallDisk(Path folder, long bytes) {
    this.folder = folder;
    this.bytes = bytes;
  }

  /** Mounts one on a folder, which is made. */
  static SmallDisk mount(Path folder, long bytes) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    ChaosCommand.run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "tmpfs", folder.toString());
    return new SmallDisk(folder, bytes);
  }

  /** Leaves no room: it becomes as small as what is on it. */
  void fill() throws IOException, InterruptedException {
    FileStore store = Files.getFileStore(folder);
    String refusal = "";
    for (int i = 0; i < TRIES; i++) {
      refusal = resize(store.getTotalSpace() - store.getUnallocatedSpace());
      if (refusal.isEmpty()) {
        return;
      }
    }
    throw new IOException(refusal);
  }

  /** Gives back the room that {@link #fill} has taken. */
  void free() throws IOException, InterruptedException {
    String refusal = resize(bytes);
    if (!refusal.isEmpty()) {
      throw new IOException(refusal);
    }
  }

  /** Returns why it could not be done; empty if it was. */
  private String resize(long size) throws InterruptedException {
    return ChaosCommand.attempt("mount", "-o", "remount,size=" + size, folder.toString());
  }

  @Override
  public void close() {
    try {
      // Lazily: whoever still has a file open is about to end.
      ChaosCommand.attempt("umount", "-l", folder.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
