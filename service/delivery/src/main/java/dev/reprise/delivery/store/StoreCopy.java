package dev.reprise.delivery.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.rocksdb.Checkpoint;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Makes a copy of a store that is open, as it is at one moment, in a folder of the same disk. The
 * tables are linked, so that this takes no space and little time; but while the copy is there, what
 * the store deletes of them takes space.
 */
final class StoreCopy {
  /** The folder of a copy, in the data folder. There is one at a time. */
  static final String FOLDER = "reprise.copy";

  private StoreCopy() {}

  /**
   * Makes the copy in {@code target}, which must be absent.
   *
   * @param acknowledged the number of the last write that must be in it
   */
  static void make(RocksDB open, Path target, Options options, long acknowledged)
      throws IOException, RocksDBException {
    open.disableFileDeletions();
    try (Checkpoint checkpoint = Checkpoint.create(open)) {
      checkpoint.createCheckpoint(target.toString());
      ownLogs(target);
    } finally {
      open.enableFileDeletions();
    }
    try (RocksDB reader = RocksDB.openReadOnly(options, target.toString())) {
      OpenFailure.requireWrites(target, reader.getLatestSequenceNumber(), acknowledged);
    }
    try (SyncedMark mark = SyncedMark.open(target)) {
      mark.advance(acknowledged);
      mark.seal();
    }
    Privacy.tighten(target);
  }

  /**
   * Replaces logs that are linked by copies: the store writes into old logs again, and would change
   * those of the copy as well. It does neither that nor delete them while deletions are disabled.
   */
  private static void ownLogs(Path target) throws IOException {
    try (DirectoryStream<Path> logs = Files.newDirectoryStream(target, "*.log")) {
      for (Path log : logs) {
        Path own = target.resolve(log.getFileName() + ".own");
        Files.copy(log, own);
        Files.move(own, log, StandardCopyOption.REPLACE_EXISTING);
      }
    }
  }

  /** Deletes the copy in a data folder, whole or begun; does nothing if there is none. */
  static void delete(Path folder) throws IOException {
    // RocksDB makes it under the second name.
    for (String name : List.of(FOLDER, FOLDER + ".tmp")) {
      deleteAll(folder.resolve(name));
    }
  }

  private static void deleteAll(Path copy) throws IOException {
    try (Stream<Path> files = Files.walk(copy)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (NoSuchFileException e) {
      // There is none.
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }
}
