package dev.reprise.cli.service;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.terminal.Words;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/**
 * A file that a backup is written to. It has another name until it is whole and durable, so that
 * whatever has the name of a backup is one. What a command that was killed has left of such a file
 * is written over by the next one.
 */
final class BackupFile extends OutputStream {
  private static final String UNFINISHED = ".part";
  private static final String IN_FOLDER = "reprise-backup" + UNFINISHED;

  private final Path target;
  private final boolean folder;
  private final Path part;
  private final FileChannel channel;
  private boolean finished;

  private BackupFile(Path target, boolean folder, Path part, FileChannel channel) {
    this.target = target;
    this.folder = folder;
    this.part = part;
    this.channel = channel;
  }

  /**
   * Opens a file.
   *
   * @param target its name, or a folder in which it gets one of its own
   * @throws CommandFailure if it exists, or cannot be written
   */
  static BackupFile open(Path target) {
    boolean folder = Files.isDirectory(target);
    if (!folder && Files.exists(target)) {
      throw CommandFailure.failed(
          target
              + " exists already, and is left as it is: name another file, or a folder, in which"
              + " each backup gets a name of its own");
    }
    Path part =
        folder
            ? target.resolve(IN_FOLDER)
            : target.resolveSibling(target.getFileName() + UNFINISHED);
    try {
      FileChannel channel =
          FileChannel.open(
              part, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), ownersAlone());
      if (!isMine(channel)) {
        channel.close();
        throw CommandFailure.failed(
            part + " is being written by another backup: wait until that has ended");
      }
      channel.truncate(0);
      return new BackupFile(target, folder, part, channel);
    } catch (IOException e) {
      throw cannotWrite(part, e);
    }
  }

  private static boolean isMine(FileChannel channel) throws IOException {
    try {
      // Held until the channel is closed.
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      return false;
    }
  }

  private static FileAttribute<?>[] ownersAlone() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  private static CommandFailure cannotWrite(Path file, IOException e) {
    if (e instanceof NoSuchFileException) {
      return CommandFailure.failed("there is no folder " + file.toAbsolutePath().getParent());
    }
    String reason = String.valueOf(e.getMessage());
    return CommandFailure.failed(
        reason.contains("No space left")
            ? "the disk of " + file + " is full; there is no backup"
            : file + " cannot be written: " + e);
  }

  /** Refuses what the disk has no room for. */
  void requireSpace(long bytes) {
    long free = part.toAbsolutePath().toFile().getUsableSpace();
    if (free < bytes) {
      throw CommandFailure.failed(
          "the disk of "
              + target
              + " has "
              + Words.bytes(free)
              + " left, and the backup has "
              + Words.bytes(bytes));
    }
  }

  @Override
  public void write(int one) throws IOException {
    write(new byte[] {(byte) one}, 0, 1);
  }

  /** Distinguishes an error of this file from one of what is written to it. */
  @Override
  public void write(byte[] bytes, int from, int length) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes, from, length);
    try {
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    } catch (IOException e) {
      throw cannotWrite(part, e);
    }
  }

  /**
   * Gives the file its name: it is whole.
   *
   * @param name the name that it gets in a folder
   * @return the file
   */
  Path finish(String name) {
    try {
      channel.force(true);
      Path named = folder ? free(name) : target;
      Files.move(part, named);
      sync(named);
      finished = true;
      return named;
    } catch (IOException e) {
      throw cannotWrite(part, e);
    }
  }

  /** Two backups of one second have different names. */
  private Path free(String name) {
    Path named = target.resolve(name);
    for (int i = 2; Files.exists(named); i++) {
      named = target.resolve(name.replace(".tar", "-" + i + ".tar"));
    }
    return named;
  }

  private static void sync(Path file) throws IOException {
    try (FileChannel parent =
        FileChannel.open(Objects.requireNonNull(file.toAbsolutePath().getParent()))) {
      parent.force(true);
    }
  }

  /** Ends it; what is not finished is deleted. */
  @Override
  public void close() {
    try (channel) {
      if (!finished) {
        // While it is locked: afterwards it may be another one's.
        Files.deleteIfExists(part);
      }
    } catch (IOException e) {
      throw cannotWrite(part, e);
    }
  }
}
