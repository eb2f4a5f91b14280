package dev.reprise.device.queue;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Keeps a folder to one queue. The operating system lets go of it when the process dies. */
record FolderLock(FileChannel channel) implements Closeable {
  private static final String FILE = "lock";

  /**
   * Locks the folder.
   *
   * @throws IOException when somebody else has it, in this process or another
   */
  static FolderLock of(Path folder) throws IOException {
    FileChannel channel =
        FileChannel.open(folder.resolve(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (tryLock(channel) == null) {
      channel.close();
      throw new IOException(
          "folder "
              + folder
              + " is in use: another client, maybe of another process, has this"
              + " queue open; each client needs a folder of its own");
    }
    return new FolderLock(channel);
  }

  private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
    try {
      return channel.tryLock();
    } catch (OverlappingFileLockException e) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
