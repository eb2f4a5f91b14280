package dev.reprise.delivery.store;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Up to where the store has acknowledged writes, kept beside the database. After a power loss the
 * newest log may end in half a record, which was never acknowledged and is dropped. RocksDB cannot
 * tell that from a log that was damaged or cut short later, and would drop acknowledged writes
 * without a word; this mark can. The same holds for the manifest, RocksDB's list of its files.
 *
 * <p>The mark is written after the sync of what it speaks of, without a sync of its own: what
 * survives of it is never ahead of what was synced.
 */
final class SyncedMark implements AutoCloseable {
  static final String FILE = "reprise.synced";

  private static final int BYTES = 3 * Long.BYTES;
  private static final long MANIFEST_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** The manifest in use and its length. It only grows; a new one has a higher number. */
  record Manifest(long number, long bytes) {
    static Manifest of(Path folder) throws IOException {
      String name =
          Files.readString(folder.resolve("CURRENT"), StandardCharsets.ISO_8859_1).strip();
      if (!name.matches("MANIFEST-\\d{1,18}")) {
        return new Manifest(0, 0);
      }
      long number = Long.parseLong(name.substring(name.indexOf('-') + 1));
      return new Manifest(number, folder.resolve(name).toFile().length());
    }
  }

  private final Path folder;

  // Not a channel: an interrupt of the writing thread would close that.
  private final RandomAccessFile file;
  private final ByteBuffer bytes = ByteBuffer.allocate(BYTES);
  private long sequence;
  private Manifest manifest;
  private Manifest manifestSeen;
  private long manifestSeenAtNanos = System.nanoTime();

  private SyncedMark(Path folder, RandomAccessFile file, long sequence, Manifest manifest) {
    this.folder = folder;
    this.file = file;
    this.sequence = sequence;
    this.manifest = manifest;
    this.manifestSeen = manifest;
  }

  /** Opens the mark of {@code folder}; one that never was is 0. */
  static SyncedMark open(Path folder) throws IOException {
    RandomAccessFile file = new RandomAccessFile(folder.resolve(FILE).toFile(), "rw");
    try {
      if (file.length() < BYTES) {
        // Its space is taken now, so that a full disk later is no matter.
        file.seek(0);
        file.write(new byte[BYTES]);
      }
      file.seek(0);
      return new SyncedMark(
          folder, file, file.readLong(), new Manifest(file.readLong(), file.readLong()));
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  synchronized long sequence() {
    return sequence;
  }

  synchronized Manifest manifest() {
    return manifest;
  }

  synchronized void advance(long syncedSequence) {
    if (syncedSequence <= sequence) {
      return;
    }
    sequence = syncedSequence;
    if (System.nanoTime() - manifestSeenAtNanos > MANIFEST_INTERVAL_NANOS) {
      // What was there two seconds ago has been synced since.
      manifest = manifestSeen;
      seeManifest();
    }
    write();
  }

  private void seeManifest() {
    manifestSeenAtNanos = System.nanoTime();
    try {
      manifestSeen = Manifest.of(folder);
    } catch (IOException e) {
      // RocksDB was just replacing it; there is a next time.
    }
  }

  private void write() {
    bytes.clear().putLong(sequence).putLong(manifest.number()).putLong(manifest.bytes());
    try {
      file.seek(0);
      file.write(bytes.array());
    } catch (IOException e) {
      // The write itself is durable. A mark that lags behind only notices less.
    }
  }

  /** Called when the database is closed and the manifest synced. */
  synchronized void seal() {
    seeManifest();
    manifest = manifestSeen;
    write();
  }

  @Override
  public synchronized void close() {
    try {
      file.close();
    } catch (IOException e) {
      // As above.
    }
  }
}
