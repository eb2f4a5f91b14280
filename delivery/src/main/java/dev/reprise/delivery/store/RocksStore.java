package dev.reprise.delivery.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;
import org.rocksdb.TableProperties;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * A store in a folder of its own, on RocksDB. A process opens one and gives each user a {@link
 * #view}; all views share its log, so their concurrent writes share one sync.
 *
 * <p><b>Full disk.</b> A write that finds the disk full fails as {@link StoreException#full}, and
 * so do all that follow until RocksDB finds space again: it looks every five seconds and wants as
 * much as one memtable, half of {@link RocksSettings#memtableBytes}. Reads go on. A batch that
 * failed may be written again as it is. {@link #hasSpaceFor}, asked early, keeps it from coming to
 * that. While less than the reserve is free, the store compacts itself; half as much again is held
 * by a {@link Ballast}, which is released before the disk is full and before a start on a full one.
 *
 * <p>Safe for use by many threads. After {@link #close} every call throws {@link StoreException}.
 */
public final class RocksStore implements Store {
  /** Views are numbered from 0 to this. */
  public static final int MAX_VIEW = 0xffff;

  private static final byte[] NO_PREFIX = {};

  private final Path folder;
  private final RocksSettings settings;
  private final FolderLock lock;
  private final RocksTuning tuning;
  private final RocksDB db;
  private final WriteOptions synced = new WriteOptions().setSync(true);
  private final FreeSpace freeSpace;
  private final SyncedMark mark;
  private final SpaceKeeper keeper;
  private final PrefixedStore whole = new PrefixedStore(this, NO_PREFIX);

  /** Held shared during each native call, exclusively while the database closes. */
  private final StampedLock gate = new StampedLock();

  private final Set<RocksCursor> cursors = ConcurrentHashMap.newKeySet();
  private boolean closed;

  private RocksStore(
      Path folder,
      RocksSettings settings,
      FolderLock lock,
      RocksTuning tuning,
      RocksDB db,
      SyncedMark mark,
      Ballast ballast,
      boolean nearlyFull) {
    this.folder = folder;
    this.settings = settings;
    this.lock = lock;
    this.tuning = tuning;
    this.db = db;
    this.mark = mark;
    this.freeSpace = new FreeSpace(folder);
    this.keeper = new SpaceKeeper(this, settings.reserveBytes(), ballast, nearlyFull);
  }

  /**
   * Opens the store in {@code folder}, which is created if absent.
   *
   * @throws StoreException if the folder is in use, cannot be written, or holds a damaged file; the
   *     message says which and what to do, and nothing was changed
   */
  public static RocksStore open(Path folder, RocksSettings settings) {
    NativeLibrary.load();
    Deque<AutoCloseable> opened = new ArrayDeque<>();
    try {
      Files.createDirectories(folder);
      FolderLock lock = push(opened, FolderLock.of(folder));
      OpenFailure.requireWhole(folder);
      Ballast ballast = new Ballast(folder, SpaceKeeper.ballastBytes(settings.reserveBytes()));
      boolean nearlyFull = folder.toFile().getUsableSpace() < settings.reserveBytes() / 2;
      if (nearlyFull) {
        // Opening moves the logs' writes to tables, and must be able to.
        ballast.release();
      }
      SyncedMark mark = push(opened, SyncedMark.open(folder));
      OpenFailure.requireWholeManifest(folder, mark.manifest());
      RocksTuning tuning = push(opened, new RocksTuning(settings));
      tuning.options().setDisableAutoCompactions(nearlyFull);
      if (mark.sequence() > 0) {
        // Read first: opening for writing drops what follows a damaged record for good.
        try (RocksDB reader = RocksDB.openReadOnly(tuning.options(), folder.toString())) {
          OpenFailure.requireWrites(folder, reader.getLatestSequenceNumber(), mark.sequence());
        }
      }
      RocksDB db = push(opened, RocksDB.open(tuning.options(), folder.toString()));
      RocksStore store =
          new RocksStore(folder, settings, lock, tuning, db, mark, ballast, nearlyFull);
      store.keeper.start();
      return store;
    } catch (IOException | RocksDBException | RuntimeException e) {
      StoreException failure = OpenFailure.explain(folder, e);
      closeAll(opened, failure);
      throw failure;
    }
  }

  private static <T extends AutoCloseable> T push(Deque<AutoCloseable> opened, T resource) {
    opened.push(resource);
    return resource;
  }

  private static void closeAll(Deque<AutoCloseable> opened, StoreException failure) {
    for (AutoCloseable resource : opened) {
      try {
        resource.close();
      } catch (Exception e) {
        failure.addSuppressed(e);
      }
    }
  }

  /**
   * A store of its own inside this one: what is written through it is seen through it alone, and
   * its keys are those that its user gave. Closing it does nothing.
   *
   * @param number from 0 to {@link #MAX_VIEW}; the same number is the same view, also after
   *     reopening
   */
  public Store view(int number) {
    if (number < 0 || number > MAX_VIEW) {
      throw new IllegalArgumentException(
          "view number is " + number + ": must be from 0 to " + MAX_VIEW);
    }
    return new PrefixedStore(this, new byte[] {(byte) (number >>> 8), (byte) number});
  }

  // --- the whole key space -----------------------------------------------------------------

  @Override
  public byte @Nullable [] get(byte[] key) {
    return whole.get(key);
  }

  @Override
  public Cursor range(byte[] from, byte[] to) {
    return whole.range(from, to);
  }

  @Override
  public Cursor reverseRange(byte[] from, byte[] to) {
    return whole.reverseRange(from, to);
  }

  @Override
  public void write(Batch batch) {
    whole.write(batch);
  }

  // --- for the views -----------------------------------------------------------------------

  byte @Nullable [] get(byte[] prefix, byte[] key) {
    byte[] full = PrefixedStore.join(prefix, key);
    long stamp = enter();
    try {
      return db.get(full);
    } catch (RocksDBException e) {
      throw failure("cannot read", e);
    } finally {
      leave(stamp);
    }
  }

  Cursor cursor(byte[] prefix, byte[] from, byte[] to, boolean reverse) {
    long stamp = enter();
    try {
      if (Arrays.compareUnsigned(from, to) >= 0) {
        return EmptyCursor.EMPTY;
      }
      byte[] lower = PrefixedStore.join(prefix, from);
      byte[] upper = PrefixedStore.join(prefix, to);
      RocksCursor cursor = new RocksCursor(this, db, prefix.length, lower, upper, reverse);
      cursors.add(cursor);
      return cursor;
    } finally {
      leave(stamp);
    }
  }

  void write(byte[] prefix, Batch batch) {
    byte[] bytes = BatchBytes.of(prefix, batch);
    long stamp = enter();
    try {
      if (!batch.isEmpty()) {
        try (WriteBatch nativeBatch = new WriteBatch(bytes)) {
          db.write(synced, nativeBatch);
        }
        mark.advance(db.getLatestSequenceNumber());
      }
    } catch (RocksDBException e) {
      throw failure("cannot write", e);
    } finally {
      leave(stamp);
    }
  }

  void release(RocksCursor cursor) {
    // Taken off the list under the gate: a close in between would leave it open for good.
    long stamp = gate.readLock();
    try {
      if (cursors.remove(cursor)) {
        cursor.free();
      }
    } finally {
      leave(stamp);
    }
  }

  /** Opens the gate to native code, which must be left with {@link #leave}. Does not nest. */
  long enter() {
    long stamp = gate.readLock();
    if (closed) {
      gate.unlockRead(stamp);
      throw new StoreException("the store in " + folder + " is closed", false, null);
    }
    return stamp;
  }

  void leave(long stamp) {
    gate.unlockRead(stamp);
  }

  StoreException failure(String what, RocksDBException cause) {
    boolean full = isFull(cause);
    String reason = full ? "the disk is full" : String.valueOf(cause.getMessage());
    return new StoreException(what + " in " + folder + ": " + reason, full, cause);
  }

  static boolean isFull(RocksDBException e) {
    Status status = e.getStatus();
    if (status != null && status.getSubCode() == Status.SubCode.NoSpace) {
      return true;
    }
    String message = String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT);
    return message.contains("no space left") || message.contains("disk quota exceeded");
  }

  // --- disk and memory ---------------------------------------------------------------------

  /** Free bytes of the disk as of at most 200 ms ago. */
  public long usableBytes() {
    return freeSpace.bytes();
  }

  /**
   * Whether {@code bytes} more can be written without touching the reserve. Asked before work is
   * accepted, it leaves room for finishing what was accepted. Costs nothing most of the time.
   */
  public boolean hasSpaceFor(long bytes) {
    return freeSpace.bytes() - bytes >= settings.reserveBytes();
  }

  /** The size of the disk in bytes. */
  public long diskSizeBytes() {
    return folder.toFile().getTotalSpace();
  }

  /**
   * Whether free space has fallen below the reserve and has not been a quarter more since. As of at
   * most a second ago.
   */
  public boolean spaceIsShort() {
    return keeper.spaceIsShort();
  }

  /**
   * What the tables hold.
   *
   * @param bytes their size
   * @param entries their entries, deletions included
   * @param deletions how many of the entries delete another
   */
  record Tables(long bytes, long entries, long deletions) {}

  /** Begins to move all writes to tables, and tells what those hold already. */
  Tables flush() {
    long stamp = enter();
    try (FlushOptions begin = new FlushOptions().setWaitForFlush(false).setAllowWriteStall(true)) {
      db.flush(begin);
      long entries = 0;
      long deletions = 0;
      for (TableProperties table : db.getPropertiesOfAllTables().values()) {
        entries += table.getNumEntries();
        deletions += table.getNumDeletions();
      }
      return new Tables(db.getLongProperty("rocksdb.total-sst-files-size"), entries, deletions);
    } catch (RocksDBException e) {
      throw failure("cannot write tables", e);
    } finally {
      leave(stamp);
    }
  }

  /** Whether RocksDB may compact when it thinks fit. */
  void compactByItself(boolean may) {
    long stamp = enter();
    try {
      db.setOptions(MutableColumnFamilyOptions.builder().setDisableAutoCompactions(!may).build());
    } catch (RocksDBException e) {
      throw failure("cannot write", e);
    } finally {
      leave(stamp);
    }
  }

  /** Ends a flush or compaction under way, even one that waits for space. */
  void cancelBackgroundWork() {
    long stamp = enter();
    try {
      db.cancelAllBackgroundWork(false);
    } finally {
      leave(stamp);
    }
  }

  /** Turns what was deleted into free space; returns at the end, or when it is cancelled. */
  void compact(CompactRangeOptions options) {
    long stamp = enter();
    try {
      db.compactRange(db.getDefaultColumnFamily(), null, null, options);
    } catch (RocksDBException e) {
      throw failure("cannot compact", e);
    } finally {
      leave(stamp);
    }
  }

  /** Bytes on disk: tables, logs and everything else in the folder. Takes about 0.1 ms. */
  public long diskBytes() {
    long bytes = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        bytes += size(file);
      }
    } catch (IOException e) {
      throw new StoreException("cannot list " + folder + ": " + e, false, e);
    }
    return bytes;
  }

  /** RocksDB removes files at any time. */
  private static long size(Path file) throws IOException {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return 0;
    }
  }

  /** Bytes of native memory: cached blocks, indexes and filters, memtables, open tables. */
  public long nativeBytes() {
    long stamp = enter();
    try {
      // The memtables are charged to the block cache.
      return db.getLongProperty("rocksdb.block-cache-usage")
          + db.getLongProperty("rocksdb.estimate-table-readers-mem");
    } catch (RocksDBException e) {
      throw failure("cannot read", e);
    } finally {
      leave(stamp);
    }
  }

  /** Waits for calls under way, closes open cursors, and gives the folder free. */
  @Override
  public void close() {
    // Before the gate: a compaction holds it open.
    keeper.close();
    long stamp = gate.writeLock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      cursors.forEach(RocksCursor::free);
      cursors.clear();
      db.close();
      mark.seal();
      mark.close();
      synced.close();
      tuning.close();
      lock.close();
    } finally {
      gate.unlockWrite(stamp);
    }
  }
}
