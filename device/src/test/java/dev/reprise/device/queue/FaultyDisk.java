package dev.reprise.device.queue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The real disk, until it is told to be full: then it writes half, and fails. */
final class FaultyDisk implements Disk {
  private final Disk disk = new LocalDisk();
  private int writesLeft = Integer.MAX_VALUE;
  private int bytesOfTheLast;
  private boolean forceFails;
  private boolean truncateFails;
  private int forces;

  /** After so many writes more, the next one writes at most so many bytes and fails, as do all. */
  void failAfterWrites(int writes, int bytesOfTheLast) {
    writesLeft = writes;
    this.bytesOfTheLast = bytesOfTheLast;
  }

  void failToForce() {
    forceFails = true;
  }

  void failToTruncate() {
    truncateFails = true;
  }

  /** Returns how often a file was made durable. */
  int forces() {
    return forces;
  }

  void heal() {
    writesLeft = Integer.MAX_VALUE;
    forceFails = false;
    truncateFails = false;
  }

  @Override
  public DiskFile open(Path path) throws IOException {
    return new FaultyFile(disk.open(path));
  }

  @Override
  public DiskFile create(Path path) throws IOException {
    return new FaultyFile(disk.create(path));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    disk.rename(from, to);
  }

  @Override
  public void delete(Path path) throws IOException {
    disk.delete(path);
  }

  @Override
  public List<Path> list(Path folder) throws IOException {
    return disk.list(folder);
  }

  @Override
  public void force(Path folder) throws IOException {
    // As for files.
  }

  private final class FaultyFile implements DiskFile {
    private final DiskFile file;

    FaultyFile(DiskFile file) {
      this.file = file;
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public byte[] read(long position, int length) throws IOException {
      return file.read(position, length);
    }

    @Override
    public void write(long position, byte[] buffer, int length) throws IOException {
      if (writesLeft == 0) {
        file.write(position, buffer, Math.min(length, bytesOfTheLast));
        bytesOfTheLast = 0;
        throw new IOException("No space left on device");
      }
      writesLeft--;
      file.write(position, buffer, length);
    }

    @Override
    public void truncate(long size) throws IOException {
      if (truncateFails) {
        throw new IOException("Input/output error");
      }
      file.truncate(size);
    }

    @Override
    public void force() throws IOException {
      if (forceFails) {
        throw new IOException("Input/output error");
      }
      forces++;
      // Tests kill processes, not machines: there is nothing to wait for.
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
