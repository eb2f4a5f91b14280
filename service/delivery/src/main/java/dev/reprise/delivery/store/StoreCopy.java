package dev.reprise.delivery.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.rocksdb.Checkpoint;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Makes a copy of a store that is open, as it is at one moment, in a folder of the same disk. The
 * tables are linked, so that this takes no space and little time (where there are no hard links
 * they are copied); but while the copy is there, what the store deletes of them takes space.
 */
final class StoreCopy {
  /** The folder of a copy, in the data folder. There is one at a time. */
  static final String FOLDER = "reprise.copy";

  private StoreCopy() {}

  /**
   * Makes the copy in {@code target}, which must be absent.
   *
   * @param acknowledged the number of the last write that must be in it
   * @param hasSpaceFor asked with the bytes of the tables if these have to be copied
   */
  static void make(
      RocksDB open, Path target, Options options, long acknowledged, LongPredicate hasSpaceFor)
      throws IOException, RocksDBException {
    open.disableFileDeletions();
    try (Checkpoint checkpoint = Checkpoint.create(open)) {
      checkpoint.createCheckpoint(target.toString());
      ownLogs(target);
    } catch (RocksDBException e) {
      if (!refusesLinks(e)) {
        throw e;
      }
      Path folder = Objects.requireNonNull(target.getParent());
      delete(folder);
      copyAll(open, folder, target, hasSpaceFor);
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

  /** Where links cannot be, RocksDB copies by itself, but not where they may not be (vfat, SMB). */
  private static boolean refusesLinks(RocksDBException e) {
    return String.valueOf(e.getMessage()).startsWith("while link file to");
  }

  /** The caller has disabled deletions. */
  private static void copyAll(RocksDB open, Path folder, Path target, LongPredicate hasSpaceFor)
      throws IOException, RocksDBException {
    long bytes = open.getLongProperty("rocksdb.total-sst-files-size");
    if (!hasSpaceFor.test(bytes)) {
      throw new StoreException(
          "a copy needs " + bytes + " bytes, since " + folder + " takes no hard links", true, null);
    }
    RocksDB.LiveFiles live = open.getLiveFiles(true);
    // Before any is copied: of two that are listed, the older one gets no more writes, so that
    // none is missing between them.
    List<Path> logs = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, "*.log")) {
      all.forEach(logs::add);
    }
    Files.createDirectory(target);
    for (String file : live.files) {
      String name = file.substring(file.lastIndexOf('/') + 1);
      if (name.startsWith("MANIFEST-")) {
        copyStart(folder.resolve(name), target.resolve(name), live.manifestFileSize);
        // The store may have another by now.
        Files.writeString(target.resolve("CURRENT"), name + "\n");
      } else if (!name.equals("CURRENT")) {
        Files.copy(folder.resolve(name), target.resolve(name));
      }
    }
    for (Path log : logs) {
      Files.copy(log, target.resolve(log.getFileName()));
    }
  }

  private static void copyStart(Path from, Path to, long bytes) throws IOException {
    try (FileChannel in = FileChannel.open(from, StandardOpenOption.READ);
        FileChannel out =
            FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (long at = 0; at < bytes; ) {
        at += in.transferTo(at, bytes - at, out);
      }
    }
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
