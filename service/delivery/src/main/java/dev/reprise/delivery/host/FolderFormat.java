package dev.reprise.delivery.host;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.reprise.delivery.store.StoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * The version of what a data folder holds, in a file of its own, so that a program asks before it
 * touches anything. Raised with every change that an older program would misread: of a record, a
 * key, or a document of the catalog.
 *
 * <p>Format 1 had no such file. Format 2 has more in each subscription's ledger record. Format 3
 * has the ids under which receipts will come, receipts in the history, and their numbers in the
 * ledger record. Format 4 has suspensions, what was moved and the bytes of dead letters in the
 * ledger record, further kinds of events, figures of minutes, the trace in a message that was
 * published in one, topics of projects, and API keys that may not do everything. Format 5 has
 * idempotency keys that know their shards, and may have more than 127 shards. Format 6 has
 * subscriptions that are spread over several shards; an older program would discard what it finds
 * in all of them but the first. Format 7 has in each ledger record, and in a record of its own for
 * hosts and carriers, what was refused one after the other, deliveries that wait for that, and for
 * deliveries why they may have been taken and which are under way. Older formats are read, and each
 * record is written anew when it changes.
 */
public final class FolderFormat {
  /** The format that this version writes. */
  public static final int CURRENT = 7;

  /** The name of the file in the folder. */
  public static final String FILE = "reprise.format";

  private static final int WITHOUT_FILE = 1;
  private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");

  private FolderFormat() {}

  /**
   * Refuses a folder that a newer version has written. Changes nothing.
   *
   * @throws StoreException if this version cannot read the folder
   */
  static void check(Path folder) {
    int format = read(folder);
    if (format > CURRENT) {
      throw new StoreException(
          "data folder "
              + folder
              + " was written by a newer version of Reprise (format "
              + format
              + "; this one reads up to "
              + CURRENT
              + "). Nothing was changed. Start it with that version, or restore a backup from"
              + " before the upgrade",
          false,
          null);
    }
  }

  /** Notes that this version writes the folder now, before it writes anything else. */
  public static void note(Path folder) {
    if (!Files.exists(folder.resolve(FILE)) || read(folder) != CURRENT) {
      FolderMarks.write(folder, FILE, Integer.toString(CURRENT));
    }
  }

  private static int read(Path folder) {
    Path file = folder.resolve(FILE);
    String text;
    try {
      text = Files.readString(file, US_ASCII).strip();
    } catch (NoSuchFileException | NotDirectoryException e) {
      return WITHOUT_FILE;
    } catch (IOException e) {
      if (!Files.isDirectory(folder)) {
        return WITHOUT_FILE; // Opening it tells what is wrong.
      }
      throw new StoreException("cannot read " + file + ": " + e, false, e);
    }
    if (!NUMBER.matcher(text).matches()) {
      throw new StoreException(
          "data folder "
              + folder
              + " is damaged, in "
              + file
              + ": it must hold the number of a format. Nothing was changed. Restore the file from"
              + " a backup",
          false,
          null);
    }
    return Integer.parseInt(text);
  }
}
