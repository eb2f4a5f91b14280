package dev.reprise.delivery.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Says what keeps a data folder from being opened or read, and what to do about it. */
final class OpenFailure {
  private static final Pattern FILE_NAME =
      Pattern.compile("\\b(\\d{6,}\\.(?:sst|log)|MANIFEST-\\d+|CURRENT)\\b");

  /** The mark of a folder that has copies of what a cluster has. */
  private static final String COPY = "reprise.cluster";

  private OpenFailure() {}

  /**
   * Refuses a folder that RocksDB would take for a new one although it holds the rest of a store.
   */
  static void requireWhole(Path folder) throws IOException {
    Path current = folder.resolve("CURRENT");
    if (Files.exists(current)) {
      return;
    }
    boolean remains = Files.exists(folder.resolve(SyncedMark.FILE));
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        remains |= FILE_NAME.matcher(file.getFileName().toString()).matches();
      }
    }
    if (remains) {
      throw damaged(folder, current, "the file is missing, others of the store are there", null);
    }
  }

  /** Refuses a list of files that is shorter than it was: RocksDB would drop what is not listed. */
  static void requireWholeManifest(Path folder, SyncedMark.Manifest known) throws IOException {
    Path current = folder.resolve("CURRENT");
    if (!Files.exists(current)) {
      return;
    }
    SyncedMark.Manifest found = SyncedMark.Manifest.of(folder);
    if (found.number() == known.number() && found.bytes() < known.bytes()) {
      throw damaged(
          folder,
          fileOf(folder, ""),
          "it has " + found.bytes() + " bytes and had " + known.bytes(),
          null);
    }
  }

  /** Refuses a store that has fewer writes than were acknowledged. */
  static void requireWrites(Path folder, long found, long acknowledged) throws IOException {
    if (found >= acknowledged) {
      return;
    }
    throw StoreException.damaged(
        "data folder "
            + folder
            + " is damaged: of its writes up to number "
            + acknowledged
            + ", all of which were acknowledged, only those up to "
            + found
            + " are left, so its newest log "
            + newestLog(folder)
            + " is damaged or was cut short. "
            + remedy(folder)
            + "; or, to go on without those writes, delete "
            + folder.resolve(SyncedMark.FILE),
        null);
  }

  /** Explains an error of a store that is open. */
  static StoreException explain(Path folder, String what, RocksDBException cause) {
    String reason = String.valueOf(cause.getMessage());
    if (RocksStore.isFull(cause)) {
      return new StoreException(what + " in " + folder + ": the disk is full", true, cause);
    }
    if (isDamage(cause)) {
      return isDamaged(folder, fileOf(folder, reason), reason + ". " + remedy(folder), cause);
    }
    return new StoreException(what + " in " + folder + ": " + reason, false, cause);
  }

  static StoreException explain(Path folder, Exception cause) {
    if (cause instanceof StoreException explained) {
      return explained;
    }
    String reason = String.valueOf(cause.getMessage());
    if (cause instanceof RocksDBException e) {
      if (RocksStore.isFull(e)) {
        return full(folder, cause);
      }
      if (isDamage(e)) {
        return damaged(folder, fileOf(folder, reason), reason, cause);
      }
    }
    if (reason.toLowerCase(Locale.ROOT).contains("no space left")) {
      return full(folder, cause);
    }
    if (Files.exists(folder) && !Files.isDirectory(folder)) {
      return failure(folder, "is not a folder: choose another", cause);
    }
    if (cause instanceof AccessDeniedException || isReadOnly(cause)) {
      return failure(
          folder, "cannot be written (" + reason + "): give this user the right to", cause);
    }
    return failure(folder, "cannot be opened: " + reason, cause);
  }

  private static boolean isReadOnly(Exception cause) {
    String message = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
    return (cause instanceof FileSystemException || cause instanceof IOException)
        && (message.contains("read-only file system") || message.contains("permission denied"));
  }

  private static boolean isDamage(RocksDBException e) {
    Status status = e.getStatus();
    String message = String.valueOf(e.getMessage());
    return (status != null && status.getCode() == Status.Code.Corruption)
        || message.contains("No such file or directory");
  }

  private static StoreException full(Path folder, Exception cause) {
    return new StoreException(
        "data folder "
            + folder
            + " cannot be opened: the disk is full. Nothing is lost; free some space and start"
            + " again",
        true,
        cause);
  }

  private static StoreException damaged(
      Path folder, @Nullable Path file, String reason, @Nullable Exception cause) {
    return isDamaged(folder, file, reason + ". Nothing was changed. " + remedy(folder), cause);
  }

  private static StoreException isDamaged(
      Path folder, @Nullable Path file, String reason, @Nullable Exception cause) {
    String what = file == null ? "" : ", in " + file;
    return StoreException.damaged(
        "data folder " + folder + " is damaged" + what + ": " + reason, cause);
  }

  /** A damaged file does not become whole by a restart. */
  private static String remedy(Path folder) {
    return Files.exists(folder.resolve(COPY))
        ? "The folder has copies alone: stop the node, empty the folder, and start the node again,"
            + " which copies everything anew"
        : "Restore the folder from a backup, or stop the service and make another folder of what"
            + " can be read: ./reprise salvage --data "
            + folder
            + " --to NEW_FOLDER";
  }

  private static StoreException failure(Path folder, String what, @Nullable Exception cause) {
    return new StoreException("data folder " + folder + " " + what, false, cause);
  }

  /** The file that RocksDB speaks of. Where it names none, the one that lists all others. */
  private static @Nullable Path fileOf(Path folder, String message) {
    Matcher name = FILE_NAME.matcher(message);
    if (name.find()) {
      return folder.resolve(name.group());
    }
    Path current = folder.resolve("CURRENT");
    try {
      String manifest = Files.readString(current, StandardCharsets.ISO_8859_1).strip();
      return FILE_NAME.matcher(manifest).matches() ? folder.resolve(manifest) : current;
    } catch (IOException e) {
      return Files.exists(current) ? current : null;
    }
  }

  private static String newestLog(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .max(Comparator.comparing(Path::getFileName))
          .map(Path::toString)
          .orElse("(missing)");
    }
  }
}
