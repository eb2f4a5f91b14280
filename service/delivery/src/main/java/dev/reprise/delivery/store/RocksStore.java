package dev.reprise.delivery.store;

import dev.reprise.common.file.FolderInUseException;
import dev.reprise.common.file.FolderLock;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.StampedLock;
import org.jspecify.annotations.Nullable;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.LiveFileMetaData;
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
 * <p><b>Other errors.</b> After any other failed write the store is reopened in the background
 * ({@link StoreRepair}), and its writes up to the last acknowledged one are proved to be there as
 * at the start. Calls meanwhile wait or fail; cursors that were open fail and can be opened again.
 * Whether the batch of the failed write was applied is not known: its record may have reached the
 * log, and be read back from it. Puts and deletes of the same keys give the same result twice, so
 * the batch may be written again by the only writer of those keys. If reopening does not help,
 * {@link #failure} says so, and so does every call.
 *
 * <p>Safe for use by many threads. After {@link #close} every call throws {@link StoreException}.
 */
public final class RocksStore implements Store {
  /** Views are numbered from 0 to this. */
  public static final int MAX_VIEW = 0xffff;

  private static final byte[] NO_PREFIX = {};

  /** RocksDB looks for space every five seconds. */
  private static final long ROOM_NANOS = TimeUnit.SECONDS.toNanos(8);

  /** RocksDB counts each millisecond anew how much may be written while it is behind. */
  private static final long STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Path folder;
  private final RocksSettings settings;
  private final FolderLock lock;
  private final RocksTuning tuning;
  private final WriteOptions writing;
  private final SampledBytes freeSpace;
  private final SampledBytes takenSpace;
  private final SyncedMark mark;
  private final SpaceKeeper keeper;
  private final PrefixedStore whole = new PrefixedStore(this, NO_PREFIX);

  private final StoreRepair repair;

  /** Held shared during each native call, exclusively while the database closes or opens. */
  private final StampedLock gate = new StampedLock();

  private final Set<RocksCursor> cursors = ConcurrentHashMap.newKeySet();

  /** Null while it is not open. */
  private @Nullable RocksDB db;

  private boolean closed;

  /** Since when writes have been refused for want of space that is there; 0: they are not. */
  private volatile long roomSinceNanos;

  private RocksStore(
      Path folder,
      RocksSettings settings,
      FolderLock lock,
      RocksTuning tuning,
      RocksDB db,
      SyncedMark mark,
      Ballast ballast,
      long freeBytes) {
    this.folder = folder;
    this.settings = settings;
    this.lock = lock;
    // A write that waits inside RocksDB keeps it from recovering from a flush that found the disk
    // full, and would wait for that for ever: so each waits here.
    this.writing = new WriteOptions().setSync(settings.synced()).setNoSlowdown(true);
    this.tuning = tuning;
    this.db = db;
    this.mark = mark;
    this.freeSpace = new SampledBytes(this::usableBytesNow);
    this.takenSpace = new SampledBytes(this::countTaken);
    this.keeper = new SpaceKeeper(this, settings, ballast, freeBytes);
    this.repair = new StoreRepair(folder, this::reopen);
  }

  private static FolderLock lock(Path folder) throws IOException {
    try {
      return FolderLock.of(folder, "reprise.lock", Privacy.ofFile(folder));
    } catch (FolderInUseException e) {
      throw new StoreException(
          "data folder "
              + folder
              + " is in use by "
              + e.holder()
              + ": stop that one, or choose another folder",
          false,
          e);
    }
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
      Privacy.createFolder(folder);
      FolderLock lock = push(opened, lock(folder));
      // Of a process that was killed; what it holds takes space.
      StoreCopy.delete(folder);
      OpenFailure.requireWhole(folder);
      Ballast ballast = new Ballast(folder, SpaceKeeper.ballastBytes(settings.reserveBytes()));
      long free = folder.toFile().getUsableSpace();
      if (free < settings.reserveBytes() / 2) {
        // Opening moves the logs' writes to tables, and must be able to.
        ballast.release();
      }
      SyncedMark mark = push(opened, SyncedMark.open(folder));
      RocksTuning tuning = push(opened, new RocksTuning(settings));
      // It would begin as it opens; the keeper asks first whether there is room.
      tuning
          .options()
          .setDisableAutoCompactions(!SpaceKeeper.isAmple(free, settings.reserveBytes()));
      RocksDB db = push(opened, openDatabase(folder, tuning, mark));
      Privacy.tighten(folder);
      RocksStore store = new RocksStore(folder, settings, lock, tuning, db, mark, ballast, free);
      store.keeper.start();
      return store;
    } catch (IOException | RocksDBException | RuntimeException e) {
      StoreException failure = OpenFailure.explain(folder, e);
      closeAll(opened, failure);
      throw failure;
    }
  }

  /** Opens the database if everything that was acknowledged is there. */
  private static RocksDB openDatabase(Path folder, RocksTuning tuning, SyncedMark mark)
      throws IOException, RocksDBException {
    OpenFailure.requireWholeManifest(folder, mark.manifest());
    if (mark.sequence() > 0) {
      // Read first: opening for writing drops what follows a damaged record for good.
      try (RocksDB reader = RocksDB.openReadOnly(tuning.options(), folder.toString())) {
        OpenFailure.requireWrites(folder, reader.getLatestSequenceNumber(), mark.sequence());
      }
    }
    return RocksDB.open(tuning.options(), folder.toString());
  }

  /** See {@link StoreRepair.Repair}. */
  void reopen(RocksDB refusing) {
    cancelBackgroundWorkOf(refusing);
    long stamp = gate.writeLock();
    try {
      if (closed || (db != null && db != refusing)) {
        return;
      }
      cursors.forEach(RocksCursor::lose);
      cursors.clear();
      closeDatabase();
      OpenFailure.requireWhole(folder);
      tuning.options().setDisableAutoCompactions(!compactsByItself());
      db = openDatabase(folder, tuning, mark);
      roomSinceNanos = 0;
      probe(db);
    } catch (IOException | RocksDBException | RuntimeException e) {
      closeDatabase();
      throw OpenFailure.explain(folder, e);
    } finally {
      gate.unlockWrite(stamp);
    }
  }

  /** A compaction for space is one long call, which holds the gate. */
  private void cancelBackgroundWorkOf(RocksDB refusing) {
    long stamp = gate.readLock();
    try {
      if (db == refusing) {
        refusing.cancelAllBackgroundWork(false);
      }
    } finally {
      leave(stamp);
    }
  }

  /** A store that opens may still not be able to write: the same disk, the same descriptors. */
  private void probe(RocksDB open) throws RocksDBException {
    try (WriteBatch nothing = new WriteBatch()) {
      nothing.delete(NO_PREFIX);
      open.write(writing, nothing);
    } catch (RocksDBException e) {
      if (!isFull(e) && !isStall(e)) {
        throw e;
      }
      // Reads go on. The next write finds the disk full as well, and says so.
    }
  }

  private void closeDatabase() {
    RocksDB open = db;
    db = null;
    if (open != null) {
      open.close();
    }
  }

  /** Returns the folder of this store. */
  public Path folder() {
    return folder;
  }

  /**
   * Why this store has failed for good; null if it has not. Only a new process can open the folder
   * again, once the cause has been repaired.
   */
  public @Nullable StoreException failure() {
    return repair.failure();
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
    requireView(number);
    return new PrefixedStore(this, new byte[] {(byte) (number >>> 8), (byte) number});
  }

  private static void requireView(int number) {
    if (number < 0 || number > MAX_VIEW) {
      throw new IllegalArgumentException(
          "view number is " + number + ": must be from 0 to " + MAX_VIEW);
    }
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

  @Override
  public boolean deleteRange(byte[] from, byte[] to) {
    return whole.deleteRange(from, to);
  }

  // --- for the views -----------------------------------------------------------------------

  byte @Nullable [] get(byte[] prefix, byte[] key) {
    byte[] full = PrefixedStore.join(prefix, key);
    long stamp = enter();
    try {
      return db().get(full);
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
      RocksCursor cursor = new RocksCursor(this, db(), prefix.length, lower, upper, reverse);
      cursors.add(cursor);
      return cursor;
    } finally {
      leave(stamp);
    }
  }

  void write(byte[] prefix, Batch batch) {
    write(BatchBytes.of(prefix, batch), batch.isEmpty());
  }

  void deleteRange(byte[] prefix, byte[] from, byte[] to) {
    if (Arrays.compareUnsigned(from, to) < 0) {
      byte[] first = PrefixedStore.join(prefix, from);
      write(BatchBytes.ofRange(first, PrefixedStore.join(prefix, to)), false);
    }
  }

  private void write(byte[] bytes, boolean empty) {
    long stalledNanos = 0;
    boolean interrupted = false;
    try {
      while (!tryWrite(bytes, empty, stalledNanos)) {
        if (stalledNanos == 0) {
          stalledNanos = System.nanoTime() | 1; // Odd, and so never 0.
        }
        LockSupport.parkNanos(STALL_NANOS);
        interrupted |= Thread.interrupted();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Returns whether it is done; otherwise RocksDB is behind with its tables, and it was not.
   *
   * @param stalledNanos since when that has been so; 0 at the first try
   */
  private boolean tryWrite(byte[] bytes, boolean empty, long stalledNanos) {
    long stamp = enter();
    RocksDB open = db();
    try {
      if (!empty) {
        try (WriteBatch nativeBatch = new WriteBatch(bytes)) {
          open.write(writing, nativeBatch);
        }
        if (settings.synced()) {
          mark.advance(open.getLatestSequenceNumber());
        }
        if (roomSinceNanos != 0) {
          roomSinceNanos = 0;
        }
      }
      return true;
    } catch (RocksDBException e) {
      StoreException failure =
          isStall(e) ? stalled(open, stalledNanos, e) : failure("cannot write", e);
      if (failure == null) {
        return false;
      }
      if (!failure.full() || refusesThoughThereIsRoom()) {
        repair.begin(open, failure);
      }
      // Even damage, found by background work, may be gone once the store is reopened.
      throw new StoreException(String.valueOf(failure.getMessage()), failure.full(), e);
    } finally {
      leave(stamp);
    }
  }

  private static boolean isStall(RocksDBException e) {
    Status status = e.getStatus();
    // The same code has other errors, with their own texts.
    return status != null
        && status.getCode() == Status.Code.Incomplete
        && "Write stall".equals(status.getState());
  }

  /** Why a write that RocksDB holds up has failed; null if it is to be tried again. */
  private @Nullable StoreException stalled(RocksDB open, long sinceNanos, RocksDBException e) {
    if (!hasFailedInBackground(open)) {
      return null;
    }
    if (usableBytesNow() < settings.memtableBytes()) {
      return new StoreException("cannot write in " + folder + ": the disk is full", true, e);
    }
    // RocksDB is recovering, perhaps in vain.
    return sinceNanos == 0 || System.nanoTime() - sinceNanos < ROOM_NANOS
        ? null
        : new StoreException(
            "cannot write in " + folder + ": RocksDB does not recover from an error", false, e);
  }

  private static boolean hasFailedInBackground(RocksDB open) {
    return backgroundFailures(open) > 0;
  }

  private static long backgroundFailures(RocksDB open) {
    try {
      return open.getLongProperty("rocksdb.background-errors");
    } catch (RocksDBException e) {
      return 0;
    }
  }

  /** RocksDB gets over most full disks by itself, but not over one that it meets opening a log. */
  private boolean refusesThoughThereIsRoom() {
    // What RocksDB itself wants, and what opening it may take.
    if (freeSpace.bytes() < settings.memtableBytes() + settings.maxWalBytes()) {
      roomSinceNanos = 0;
      return false;
    }
    long now = System.nanoTime() | 1; // Odd, and so never 0.
    if (roomSinceNanos == 0) {
      roomSinceNanos = now;
    }
    return now - roomSinceNanos > ROOM_NANOS;
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
    if (closed || db == null || repair.failure() != null) {
      StoreException unusable = unusable();
      gate.unlockRead(stamp);
      throw unusable;
    }
    return stamp;
  }

  private StoreException unusable() {
    if (closed) {
      return StoreException.lasting("the store in " + folder + " is closed", null);
    }
    StoreException failure = repair.failure();
    return failure == null
        ? new StoreException("the store in " + folder + " is being reopened", repair.full(), null)
        : StoreException.lasting(String.valueOf(failure.getMessage()), failure);
  }

  /** The database. The caller is inside the gate. */
  RocksDB db() {
    return Objects.requireNonNull(db);
  }

  void leave(long stamp) {
    gate.unlockRead(stamp);
  }

  StoreException failure(String what, RocksDBException cause) {
    return OpenFailure.explain(folder, what, cause);
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

  /** Free bytes of the disk as of now. */
  long usableBytesNow() {
    return folder.toFile().getUsableSpace();
  }

  /**
   * Whether {@code bytes} more can be written without touching the reserve, and within the store's
   * own bound. Asked before work is accepted, it leaves room for finishing what was accepted. Costs
   * nothing most of the time.
   */
  public boolean hasSpaceFor(long bytes) {
    return diskHasSpaceFor(bytes)
        && (settings.maxBytes() == 0 || takenSpace.bytes() + bytes <= settings.maxBytes());
  }

  private boolean diskHasSpaceFor(long bytes) {
    return freeSpace.bytes() - bytes >= settings.reserveBytes();
  }

  /** Returns the space as {@link #hasSpaceFor} sees it. */
  public StoreSpace space() {
    return new StoreSpace(
        freeSpace.bytes(),
        settings.reserveBytes(),
        settings.maxBytes() == 0 ? 0 : takenSpace.bytes(),
        settings.maxBytes());
  }

  /** Returns the refusal of work that wants so many bytes: what is missing, and what helps. */
  public StoreException refusal(long bytes) {
    StoreSpace space = space();
    return new StoreException(space.text(bytes) + ". " + space.action(), true, null);
  }

  /** Bytes on disk that count for the bound, as of at most 200 ms ago. */
  long takenBytes() {
    return takenSpace.bytes();
  }

  private long countTaken() {
    try {
      return diskBytes() - size(folder.resolve(Ballast.FILE));
    } catch (IOException e) {
      throw new StoreException("cannot list " + folder + ": " + e, false, e);
    }
  }

  /** The size of the disk in bytes. */
  public long diskSizeBytes() {
    return folder.toFile().getTotalSpace();
  }

  /**
   * Whether what may go should go: free space has fallen below the reserve and has not been a
   * quarter more since, or the store has nearly come to its own bound. As of at most a second ago.
   */
  public boolean spaceIsShort() {
    return keeper.diskIsShort() || keeper.storeIsLarge();
  }

  /** Whether that is for want of free space on the disk. */
  public boolean diskIsShort() {
    return keeper.diskIsShort();
  }

  /** Returns since when the disk is short, as far as it was seen, wall time; 0 if it is not. */
  public long diskShortSinceMillis() {
    return keeper.diskShortSinceMillis();
  }

  /**
   * The contents of the tables.
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
      RocksDB open = db();
      open.flush(begin);
      long entries = 0;
      long deletions = 0;
      for (TableProperties table : open.getPropertiesOfAllTables().values()) {
        entries += table.getNumEntries();
        deletions += table.getNumDeletions();
      }
      return new Tables(open.getLongProperty("rocksdb.total-sst-files-size"), entries, deletions);
    } catch (RocksDBException e) {
      throw failure("cannot write tables", e);
    } finally {
      leave(stamp);
    }
  }

  /**
   * Returns the contents of the tables that RocksDB reads at once when it merges the newest: all of
   * level 0, and at worst all of the first level below that has any. Nothing if level 0 is empty.
   */
  Tables nextMerge() {
    long stamp = enter();
    try {
      long bytes = 0;
      long entries = 0;
      long deletions = 0;
      List<LiveFileMetaData> tables = db().getLiveFilesMetaData();
      if (tables.stream().noneMatch(table -> table.level() == 0)) {
        return new Tables(0, 0, 0);
      }
      int below =
          tables.stream().mapToInt(LiveFileMetaData::level).filter(n -> n > 0).min().orElse(0);
      for (LiveFileMetaData table : tables) {
        if (table.level() == 0 || table.level() == below) {
          bytes += table.size();
          entries += table.numEntries();
          deletions += table.numDeletions();
        }
      }
      return new Tables(bytes, entries, deletions);
    } finally {
      leave(stamp);
    }
  }

  /**
   * Begins to reopen the database if its background work has failed. After a compaction that found
   * the disk full RocksDB refuses each that reads more than is free, even if it would write next to
   * nothing. Does nothing unless all writes could be moved to tables: opening does that.
   */
  void reopenAfterBackgroundError() {
    long stamp = enter();
    try (FlushOptions whole = new FlushOptions().setWaitForFlush(true).setAllowWriteStall(true)) {
      RocksDB open = db();
      if (hasFailedInBackground(open)) {
        open.flush(whole);
        repair.begin(open, new StoreException("RocksDB does not compact " + folder, true, null));
      }
    } catch (RocksDBException e) {
      throw failure("cannot write tables", e);
    } finally {
      leave(stamp);
    }
  }

  /** Counts the flushes and compactions that have failed since the database was opened. */
  long backgroundFailures() {
    long stamp = enter();
    try {
      return backgroundFailures(db());
    } finally {
      leave(stamp);
    }
  }

  /** Returns whether RocksDB compacts when it thinks fit. */
  boolean compactsByItself() {
    return !keeper.isNearlyFull();
  }

  /**
   * Sets {@link #compactsByItself}, also while the disk is full: RocksDB obeys before it notes its
   * options in a file, and nothing reads that note. Each opening sets them anew.
   */
  void compactByItself(boolean may) {
    long stamp = enter();
    try {
      db().setOptions(MutableColumnFamilyOptions.builder().setDisableAutoCompactions(!may).build());
    } catch (RocksDBException e) {
      if (!isFull(e)) {
        throw failure("cannot write", e);
      }
    } finally {
      leave(stamp);
    }
  }

  /** Ends a flush or compaction under way, even one that waits for space. */
  void cancelBackgroundWork() {
    long stamp = gate.readLock();
    try {
      if (db != null) {
        db.cancelAllBackgroundWork(false);
      }
    } finally {
      leave(stamp);
    }
  }

  /** Turns what was deleted into free space; returns at the end, or when it is cancelled. */
  void compact(CompactRangeOptions options) {
    long stamp = enter();
    try {
      RocksDB open = db();
      open.compactRange(open.getDefaultColumnFamily(), null, null, options);
    } catch (RocksDBException e) {
      throw failure("cannot compact", e);
    } finally {
      leave(stamp);
    }
  }

  /**
   * Gives the disk back what was deleted of a view. Blocks for as long as it takes to read the
   * tables that have it; ends early when the store is closed.
   *
   * @throws StoreException if that was not possible; the space is free later all the same
   */
  public void compactView(int number) {
    requireView(number);
    byte[] first = {(byte) (number >>> 8), (byte) number};
    byte @Nullable [] next =
        number == MAX_VIEW ? null : new byte[] {(byte) ((number + 1) >>> 8), (byte) (number + 1)};
    long stamp = enter();
    try (CompactRangeOptions options =
        new CompactRangeOptions().setExclusiveManualCompaction(false).setAllowWriteStall(true)) {
      RocksDB open = db();
      open.compactRange(open.getDefaultColumnFamily(), first, next, options);
    } catch (RocksDBException e) {
      throw failure("cannot compact", e);
    } finally {
      leave(stamp);
    }
  }

  /**
   * Returns the file descriptors that a store may have open at once: its tables, two logs and those
   * kept for reuse, manifest, locks, its own diary, and what compactions and a check at the start
   * open besides. Code that opens descriptors for other uses must leave these free.
   */
  public static int maxDescriptors() {
    return RocksTuning.maxOpenTables() + 64;
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

  /**
   * Makes a copy of the store in a folder inside its own: as it is at one moment of this call, with
   * every write that was acknowledged before. Takes about as long as it takes to write a memtable.
   * The caller deletes it by {@link #deleteCopy}; while it is there, tables that the store deletes
   * still take their space.
   *
   * @return the folder, with all files that make a store
   * @throws StoreException if there is a copy already, if space is short, or if the store cannot
   *     write
   */
  public Path copy() {
    Path target = folder.resolve(StoreCopy.FOLDER);
    long stamp = enter();
    try {
      if (Files.exists(target)) {
        throw new StoreException("there is a copy already, in " + target, false, null);
      }
      // What is in memory is written, and the logs are copied.
      if (!diskHasSpaceFor(settings.memtableBytes() + settings.maxWalBytes())) {
        throw new StoreException(
            "the disk has " + usableBytes() + " bytes left: a copy needs more", true, null);
      }
      StoreCopy.make(db(), target, tuning.options(), mark.sequence(), this::diskHasSpaceFor);
      return target;
    } catch (RocksDBException e) {
      deleteCopy();
      throw failure("cannot copy the store", e);
    } catch (IOException e) {
      deleteCopy();
      throw new StoreException("cannot copy the store to " + target + ": " + e, false, e);
    } finally {
      leave(stamp);
    }
  }

  /** Deletes the copy; does nothing if there is none. */
  public void deleteCopy() {
    try {
      StoreCopy.delete(folder);
    } catch (IOException e) {
      throw new StoreException(
          "cannot delete " + folder.resolve(StoreCopy.FOLDER) + ": " + e, false, e);
    }
  }

  /** Bytes of native memory: cached blocks, indexes and filters, memtables, open tables. */
  public long nativeBytes() {
    long stamp = enter();
    try {
      // The memtables are charged to the block cache.
      return db().getLongProperty("rocksdb.block-cache-usage")
          + db().getLongProperty("rocksdb.estimate-table-readers-mem");
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
      if (db != null) {
        closeDatabase();
        mark.seal();
      }
      mark.close();
      writing.close();
      tuning.close();
      lock.close();
    } finally {
      gate.unlockWrite(stamp);
    }
  }
}
