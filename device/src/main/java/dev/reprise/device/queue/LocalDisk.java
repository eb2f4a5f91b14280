package dev.reprise.device.queue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The file system. Files are not read and written through channels: a channel closes itself when
 * its thread is interrupted, and the thread belongs to the application.
 */
final class LocalDisk implements Disk {
  /** Folders cannot be opened there, and need not be: the file system logs its changes. */
  private static final boolean WINDOWS =
      System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");

  @Override
  public DiskFile open(Path path) throws IOException {
    if (!Files.exists(path)) {
      throw new NoSuchFileException(path.toString());
    }
    return create(path);
  }

  @Override
  public DiskFile create(Path path) throws IOException {
    return new LocalFile(new RandomAccessFile(path.toFile(), "rw"));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  @Override
  public void delete(Path path) throws IOException {
    Files.deleteIfExists(path);
  }

  @Override
  public List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  @Override
  public void force(Path folder) throws IOException {
    if (WINDOWS) {
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      forceOnce(folder);
    } catch (ClosedByInterruptException e) {
      interrupted = Thread.interrupted();
      forceOnce(folder);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static void forceOnce(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private record LocalFile(RandomAccessFile file) implements DiskFile {
    @Override
    public long size() throws IOException {
      return file.length();
    }

    @Override
    public byte[] read(long position, int length) throws IOException {
      byte[] bytes = new byte[length];
      file.seek(position);
      file.readFully(bytes);
      return bytes;
    }

    @Override
    public void write(long position, byte[] buffer, int length) throws IOException {
      file.seek(position);
      file.write(buffer, 0, length);
    }

    @Override
    public void truncate(long size) throws IOException {
      file.setLength(size);
    }

    @Override
    public void force() throws IOException {
      file.getFD().sync();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
