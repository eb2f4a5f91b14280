package dev.reprise.delivery.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a data folder from other users of the machine: it holds what is delivered. What decides is
 * the folder, 0700; RocksDB makes its files by the umask. Where a file system knows no POSIX
 * permissions, this does nothing.
 */
final class Privacy {
  private static final Logger LOG = LoggerFactory.getLogger(Privacy.class);
  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");

  private Privacy() {}

  /** Creates the folder if it is absent. */
  static void createFolder(Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      return;
    }
    Path parent = folder.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    Files.createDirectories(folder, attributes(folder, FOLDER));
  }

  /** Returns the attributes with which a file in {@code folder} is created. */
  static FileAttribute<?>[] ofFile(Path folder) {
    return attributes(folder, FILE);
  }

  private static FileAttribute<?>[] attributes(Path path, Set<PosixFilePermission> permissions) {
    return path.getFileSystem().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }

  /** Takes from others what an earlier version or a copy has left to them in a folder of ours. */
  static void tighten(Path folder) {
    try {
      tighten(folder, FOLDER);
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
        for (Path file : files) {
          if (Files.isRegularFile(file)) {
            tighten(file, FILE);
          }
        }
      }
    } catch (UnsupportedOperationException e) {
      // No POSIX permissions here.
    } catch (IOException e) {
      LOG.warn("other users may be able to read {}: {}", folder, e.toString());
    }
  }

  private static void tighten(Path path, Set<PosixFilePermission> most) throws IOException {
    try {
      if (!most.containsAll(Files.getPosixFilePermissions(path))) {
        Files.setPosixFilePermissions(path, most);
      }
    } catch (NoSuchFileException e) {
      // RocksDB removes files at any time.
    }
  }
}
