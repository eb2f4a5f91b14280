package dev.reprise.delivery.salvage;

import dev.reprise.delivery.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * The files of which a store consists, by its manifest. Others may lie beside them whose records
 * were deleted since, so without the manifest it is not known which records are still valid.
 */
final class FileList {
  /** Fields that a reader may pass over have this bit, and stand behind their length. */
  private static final int MAY_BE_IGNORED = 1 << 13;

  private final Path folder;
  private final Map<Long, Table> tables = new TreeMap<>();
  private long firstLog;
  private long lastSequence;

  /**
   * A table.
   *
   * @param from its first key
   * @param to its last key
   * @param newest the greatest number of a write in it
   */
  record Table(Path file, byte[] from, byte[] to, long newest) {
    String name() {
      return String.valueOf(file.getFileName());
    }

    /** Nothing of it can be read. */
    Damage damage(long bytes, String why) {
      return new Damage(name(), 0, bytes, from, to, newest, why);
    }
  }

  /** A log, whose writes are in no table yet, or also in one. */
  record Log(Path file, long number) {
    String name() {
      return String.valueOf(file.getFileName());
    }
  }

  private FileList(Path folder) {
    this.folder = folder;
  }

  /**
   * Reads the manifest of a store.
   *
   * @param knownBytes the length that the manifest had at least; 0 if that is not known
   * @throws StoreException if it is damaged
   */
  static FileList read(Path folder, long knownManifest, long knownBytes) throws IOException {
    FileList list = new FileList(folder);
    Path manifest = manifest(folder);
    boolean[] damaged = {false};
    long whole =
        LogRecords.read(
            manifest,
            0,
            new LogRecords.Receiver() {
              @Override
              public void record(long offset, byte[] record) {
                try {
                  list.apply(new ByteReader(record));
                } catch (RuntimeException e) {
                  damaged[0] = true;
                }
              }

              @Override
              public void damaged(long from, long to) {
                damaged[0] = true;
              }
            });
    boolean isKnown = manifest.endsWith(String.format(Locale.ROOT, "MANIFEST-%06d", knownManifest));
    if (damaged[0] || whole == 0 || (isKnown && whole < knownBytes)) {
      throw new StoreException(
          "data folder "
              + folder
              + " cannot be salvaged: "
              + manifest
              + ", the list of its tables and logs, is damaged, and without it deleted records"
              + " would come back. Nothing was changed. Restore the folder from a backup",
          false,
          null);
    }
    return list;
  }

  private static Path manifest(Path folder) throws IOException {
    String name;
    try {
      name = Files.readString(folder.resolve("CURRENT"), StandardCharsets.ISO_8859_1).strip();
    } catch (IOException e) {
      name = "";
    }
    Path named = folder.resolve(name);
    if (name.matches("MANIFEST-\\d+") && Files.exists(named)) {
      return named;
    }
    // RocksDB deletes the old one once the new one is in use.
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "MANIFEST-*")) {
      Path newest = null;
      for (Path each : found) {
        if (newest == null || each.compareTo(newest) > 0) {
          newest = each;
        }
      }
      if (newest != null) {
        return newest;
      }
    }
    throw new StoreException(
        "data folder " + folder + " cannot be salvaged: it has no MANIFEST. Nothing was changed",
        false,
        null);
  }

  /** Takes in one change of the list. */
  private void apply(ByteReader in) {
    while (in.hasMore()) {
      int field = (int) in.varint();
      switch (field) {
        case 1, 201 -> in.slice();
        case 2 -> firstLog = Math.max(firstLog, in.varint());
        case 10 -> in.varint();
        case 4 -> lastSequence = Math.max(lastSequence, in.varint());
        case 3, 9, 200, 203, 300 -> in.varint();
        case 202 -> {}
        case 5 -> {
          in.varint();
          in.slice();
        }
        case 6 -> {
          in.varint();
          tables.remove(in.varint());
        }
        case 100, 103 -> add(in, field == 103);
        default -> {
          if ((field & MAY_BE_IGNORED) == 0) {
            throw new IllegalStateException("the manifest has the unknown field " + field);
          }
          in.slice();
        }
      }
    }
  }

  private void add(ByteReader in, boolean withMore) {
    in.varint();
    long number = in.varint();
    in.varint();
    byte[] from = SalvageEntry.userKey(in.slice());
    byte[] to = SalvageEntry.userKey(in.slice());
    in.varint();
    long newest = in.varint();
    if (withMore) {
      while (in.varint() != 1) {
        in.slice();
      }
    }
    Path file = folder.resolve(String.format(Locale.ROOT, "%06d.sst", number));
    tables.put(number, new Table(file, from, to, newest));
  }

  /** Returns the tables in use. */
  List<Table> tables() {
    return List.copyOf(tables.values());
  }

  /** Returns the logs whose writes may be in no table, in the order of their writes. */
  List<Log> logs() throws IOException {
    List<Log> logs = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "*.log")) {
      for (Path each : found) {
        String name = String.valueOf(each.getFileName());
        if (name.matches("\\d+\\.log")) {
          long number = Long.parseLong(name.substring(0, name.length() - 4));
          if (number >= firstLog) {
            logs.add(new Log(each, number));
          }
        }
      }
    }
    logs.sort(Comparator.comparingLong(Log::number));
    return logs;
  }

  /** Returns a number that a write in a table has, or one before it. */
  long lastSequence() {
    return Math.max(
        lastSequence, tables.values().stream().mapToLong(Table::newest).max().orElse(0));
  }
}
