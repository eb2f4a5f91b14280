package dev.reprise.common.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.HashSet;
import java.util.Set;

/**
 * Keeps every other process, and every other owner in this process, out of a folder. The lock is
 * the operating system's, so it ends with the process however that ends; the file that stays behind
 * means nothing by itself. Thread-safe.
 */
public final class FolderLock implements AutoCloseable {
  /**
   * Lock files held by this process. Asked first: closing any channel of a locked file would end
   * the lock of this process's other channel (POSIX, fcntl: F_SETLK).
   */
  private static final Set<Path> HELD = new HashSet<>();

  private final Path file;
  private final RandomAccessFile open;

  private FolderLock(Path file, RandomAccessFile open) {
    this.file = file;
    this.open = open;
  }

  /**
   * Locks a folder, which exists.
   *
   * @param fileName the name of the lock file in the folder; it holds the id of the process
   * @param attributes what the lock file is created with, such as permissions
   * @throws FolderInUseException when it is locked already, by this process or another
   * @throws IOException when the lock file cannot be opened or written
   */
  public static FolderLock of(Path folder, String fileName, FileAttribute<?>... attributes)
      throws IOException {
    Path file = folder.toRealPath().resolve(fileName);
    synchronized (HELD) {
      if (!HELD.add(file)) {
        throw new FolderInUseException(folder, "this very process");
      }
      try {
        return new FolderLock(file, lock(folder, file, attributes));
      } catch (IOException | RuntimeException e) {
        HELD.remove(file);
        throw e;
      }
    }
  }

  private static RandomAccessFile lock(Path folder, Path file, FileAttribute<?>... attributes)
      throws IOException {
    if (!Files.exists(file)) {
      create(file, attributes);
    }
    // Not a channel: an interrupted thread cannot write to one, and would close it.
    RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw");
    try {
      if (open.getChannel().tryLock() == null) {
        throw new FolderInUseException(folder, "another process" + pidIn(file));
      }
      open.setLength(0);
      open.write(ownPid().getBytes(StandardCharsets.US_ASCII));
      return open;
    } catch (IOException | RuntimeException e) {
      open.close();
      throw e;
    }
  }

  private static void create(Path file, FileAttribute<?>... attributes) throws IOException {
    try {
      Files.createFile(file, attributes);
    } catch (FileAlreadyExistsException e) {
      // Another process created the file first; the lock itself decides.
    }
  }

  private static String ownPid() {
    return ProcessHandle.current().pid() + "\n";
  }

  private static String pidIn(Path file) {
    try {
      String pid = Files.readString(file, StandardCharsets.US_ASCII).strip();
      return pid.isEmpty() ? "" : " (pid " + pid + ")";
    } catch (IOException e) {
      return "";
    }
  }

  @Override
  public void close() {
    synchronized (HELD) {
      try {
        open.close();
      } catch (IOException e) {
        // The descriptor is gone all the same, and the lock with it.
      }
      HELD.remove(file);
    }
  }
}
