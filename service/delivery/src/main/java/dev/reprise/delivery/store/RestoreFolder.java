package dev.reprise.delivery.store;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * A data folder that is being restored, file by file. Until {@link #finish}, the store in it is
 * taken for a damaged one, never for a new or a whole one: the file that RocksDB begins with is
 * there at last. If that is not reached, {@link #close} leaves the folder as it was. Not safe for
 * use by several threads.
 */
public final class RestoreFolder implements AutoCloseable {
  private static final String FIRST_READ = "CURRENT";
  private static final String WAITING = "CURRENT.restored";

  /** The root of a file system may have it. */
  private static final String LOST_AND_FOUND = "lost+found";

  private static final int NAMED = 3;

  private final Path folder;
  private final boolean created;
  private final List<Path> written = new ArrayList<>();
  private long bytes;
  private boolean finished;

  private RestoreFolder(Path folder, boolean created) {
    this.folder = folder;
    this.created = created;
  }

  /**
   * Begins to restore into a folder.
   *
   * @throws StoreException if it is not empty, or cannot be made
   */
  public static RestoreFolder begin(Path folder) {
    boolean created = !Files.exists(folder);
    try {
      if (!created) {
        requireEmpty(folder);
      }
      Privacy.createFolder(folder);
      Privacy.tighten(folder);
      return new RestoreFolder(folder, created);
    } catch (IOException e) {
      throw OpenFailure.explain(folder, e);
    }
  }

  private static void requireEmpty(Path folder) throws IOException {
    List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        String name = Objects.requireNonNull(file.getFileName()).toString();
        if (!name.equals(LOST_AND_FOUND) && found.size() <= NAMED) {
          found.add(name);
        }
      }
    }
    if (!found.isEmpty()) {
      boolean more = found.size() > NAMED;
      throw new StoreException(
          "data folder "
              + folder
              + " is not empty, it has "
              + String.join(", ", more ? found.subList(0, NAMED) : found)
              + (more ? " and more" : "")
              + ": restore into a folder that is empty or does not exist. Nothing was changed",
          false,
          null);
    }
  }

  /** Refuses what the disk has no room for. */
  public void requireSpace(long needed) {
    long free = folder.toFile().getUsableSpace();
    if (free < needed) {
      throw new StoreException(
          "the disk of "
              + folder
              + " has "
              + free
              + " bytes left, and the backup has "
              + needed
              + ". Nothing was changed",
          true,
          null);
    }
  }

  /** Returns where to write a file of the folder; closing it makes it durable. */
  public OutputStream file(String name) throws IOException {
    Path file = folder.resolve(name.equals(FIRST_READ) ? WAITING : name);
    FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            Privacy.ofFile(folder));
    written.add(file);
    OutputStream out = Channels.newOutputStream(channel);
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        out.write(one);
        bytes++;
      }

      @Override
      public void write(byte[] buffer, int from, int length) throws IOException {
        out.write(buffer, from, length);
        bytes += length;
      }

      @Override
      public void close() throws IOException {
        if (channel.isOpen()) {
          try (channel) {
            channel.force(true);
          }
        }
      }
    };
  }

  /** Returns the bytes that were written. */
  public long bytes() {
    return bytes;
  }

  /** Makes a store of it: all files are there. */
  public void finish() throws IOException {
    sync(folder);
    Files.move(folder.resolve(WAITING), folder.resolve(FIRST_READ), StandardCopyOption.ATOMIC_MOVE);
    sync(folder);
    finished = true;
  }

  private static void sync(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder)) {
      channel.force(true);
    }
  }

  @Override
  public void close() throws IOException {
    if (finished) {
      return;
    }
    for (Path file : written) {
      Files.deleteIfExists(file);
    }
    if (created) {
      Files.deleteIfExists(folder);
    }
  }
}
