package dev.reprise.delivery.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;

/**
 * Keeps every other process, and every other store of this process, out of a data folder. The lock
 * is the operating system's, so it ends with the process however that ends; the file that stays
 * behind means nothing by itself.
 */
final class FolderLock implements AutoCloseable {
  private static final String FILE = "reprise.lock";

  /**
   * Folders locked by this process. Asked first: closing any channel of a locked file would end the
   * lock of this process's other channel (POSIX).
   */
  private static final Set<Path> HELD = new HashSet<>();

  private final Path folder;
  private final FileChannel channel;

  private FolderLock(Path folder, FileChannel channel) {
    this.folder = folder;
    this.channel = channel;
  }

  /** Locks {@code folder}, which exists. */
  static FolderLock of(Path folder) throws IOException {
    Path real = folder.toRealPath();
    synchronized (HELD) {
      if (!HELD.add(real)) {
        throw inUse(folder, "this very process");
      }
      try {
        return new FolderLock(real, lock(folder));
      } catch (IOException | RuntimeException e) {
        HELD.remove(real);
        throw e;
      }
    }
  }

  private static FileChannel lock(Path folder) throws IOException {
    Path file = folder.resolve(FILE);
    FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
            Privacy.ofFile(folder));
    try {
      FileLock lock = channel.tryLock();
      if (lock == null) {
        throw inUse(folder, "another process" + holder(file));
      }
      channel.truncate(0);
      channel.write(ByteBuffer.wrap(ownPid().getBytes(StandardCharsets.US_ASCII)), 0);
      return channel;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static String ownPid() {
    return ProcessHandle.current().pid() + "\n";
  }

  private static String holder(Path file) {
    try {
      String pid = Files.readString(file, StandardCharsets.US_ASCII).strip();
      return pid.isEmpty() ? "" : " (pid " + pid + ")";
    } catch (IOException e) {
      return "";
    }
  }

  private static StoreException inUse(Path folder, String holder) {
    return new StoreException(
        "data folder "
            + folder
            + " is in use by "
            + holder
            + ": stop that one, or choose another folder",
        false,
        null);
  }

  @Override
  public void close() {
    synchronized (HELD) {
      try {
        channel.close();
      } catch (IOException e) {
        // The descriptor is gone all the same, and the lock with it.
      }
      HELD.remove(folder);
    }
  }
}
