package dev.reprise.delivery.store;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.rocksdb.CompactRangeOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches the free space of a store's disk, and the space that the store takes, on a thread of its
 * own. While space is short, or the store is near its bound, it is compacted as soon as that brings
 * something, because only compaction makes free space of what was deleted; RocksDB's own
 * compactions are off while the next would find no room. When hardly anything is left on the disk,
 * the {@link Ballast} is released; it is made again when there is room.
 */
final class SpaceKeeper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SpaceKeeper.class);

  private static final long LOOK_MILLIS = 250;

  /** A compaction writes a few MiB meanwhile at the most. */
  private static final long WATCH_MILLIS = 1;

  private static final long TRY_AGAIN_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long PAUSE_NANOS = Duration.ofSeconds(2).toNanos();

  /** A compaction is worth its while when one entry of this many deletes another. */
  private static final int ENTRIES_PER_DELETION = 20;

  /** With this many times the reserve free there is room for every compaction. */
  private static final int AMPLE_RESERVES = 8;

  /** From this part of its bound on, the store gives up what may go. */
  private static final double LARGE = 0.9;

  /** It does no more once it takes no more than this part. */
  private static final double FINE = 0.8;

  /** A store near its bound is compacted for a fifth of the time at the most. */
  private static final int REST = 4;

  private final RocksStore store;
  private final long reserveBytes;
  private final long maxBytes;
  private final Ballast ballast;

  /**
   * It flushes first. RocksDB would wait with that while it slows writes down, which is for ever
   * when its own compactions find no room.
   */
  private final CompactRangeOptions compaction =
      new CompactRangeOptions().setExclusiveManualCompaction(false).setAllowWriteStall(true);

  private final Thread thread = new Thread(this::run, "reprise-space");
  private final CountDownLatch closed = new CountDownLatch(1);

  private volatile boolean diskIsShort;

  /** Wall time. */
  private volatile long diskShortSinceMillis;

  private volatile boolean storeIsLarge;

  /** RocksDB's own compactions are off: they would take the last bytes, which the log needs. */
  private volatile boolean nearlyFull;

  /**
   * A compaction has found no room although the estimate had: RocksDB's own wait until there is as
   * much as they read. Also after a start on a disk that is short of space.
   */
  private volatile boolean misjudged;

  private long failures;
  private long compactAtNanos;

  /** When a compaction may be tried that has no room by the estimate. */
  private long tryAtNanos = System.nanoTime();

  /**
   * @param freeBytes the free space of the disk before the database was opened
   */
  SpaceKeeper(RocksStore store, RocksSettings settings, Ballast ballast, long freeBytes) {
    this.store = store;
    this.reserveBytes = settings.reserveBytes();
    this.maxBytes = settings.maxBytes();
    this.ballast = ballast;
    this.nearlyFull = !isAmple(freeBytes, reserveBytes);
    this.misjudged = freeBytes < reserveBytes;
    thread.setDaemon(true);
  }

  /** Returns the bytes that a store with this reserve keeps for the worst case. */
  static long ballastBytes(long reserveBytes) {
    return reserveBytes / 2;
  }

  /** Whether there is room for every compaction. */
  static boolean isAmple(long freeBytes, long reserveBytes) {
    return freeBytes >= AMPLE_RESERVES * reserveBytes;
  }

  /** Below this much free space the ballast is released. */
  static long lowBytes(long reserveBytes) {
    return reserveBytes / 4;
  }

  /**
   * With this much free space a disk that was short is not any more. The ballast leaves as much:
   * the next log, whose space is taken beforehand, would else make the disk short again.
   */
  private long enoughBytes() {
    return reserveBytes + reserveBytes / 4;
  }

  void start() {
    if (reserveBytes > 0 || maxBytes > 0) {
      thread.start();
    }
  }

  private void run() {
    try {
      boolean open = true;
      while (open && !closed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        open = lookWhileOpen();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** False once the store was closed, or has failed. */
  private boolean lookWhileOpen() {
    try {
      look();
      return true;
    } catch (StoreException e) {
      // It may be that it is being reopened just now.
      return !e.lasting();
    }
  }

  boolean isNearlyFull() {
    return nearlyFull;
  }

  /** Whether the disk has less free space than the reserve, or has just had. */
  boolean diskIsShort() {
    return diskIsShort;
  }

  /** Returns since when it has, wall time; 0 if it has not. */
  long diskShortSinceMillis() {
    return diskIsShort ? diskShortSinceMillis : 0;
  }

  /** Whether the store is near its bound, or has just been. */
  boolean storeIsLarge() {
    return storeIsLarge;
  }

  private void look() {
    long free = store.usableBytes();
    adjustBallast(free);
    lookAtFailures();
    adjustCompactions(free);
    if (!diskIsShort && free < reserveBytes) {
      diskShortSinceMillis = System.currentTimeMillis();
      diskIsShort = true;
      compactAtNanos = System.nanoTime();
      LOG.warn(
          "the disk has {} bytes left: below {}, publishes are refused and old history is removed",
          free,
          reserveBytes);
    } else if (diskIsShort && free >= enoughBytes()) {
      diskIsShort = false;
      LOG.info("the disk has {} bytes left again", free);
    }
    if (maxBytes > 0) {
      lookAtSize(store.takenBytes());
    }
    if ((diskIsShort || storeIsLarge) && System.nanoTime() - compactAtNanos >= 0) {
      compactAtNanos = System.nanoTime() + PAUSE_NANOS;
      long began = System.nanoTime();
      compact(free);
      long rest = diskIsShort ? 0 : REST * (System.nanoTime() - began);
      compactAtNanos = System.nanoTime() + Math.max(PAUSE_NANOS, rest);
    }
  }

  /** RocksDB begins a compaction that has failed again each second. */
  private void lookAtFailures() {
    long now = store.backgroundFailures();
    if (now > failures) {
      misjudged = true;
    }
    failures = now;
  }

  private void lookAtSize(long taken) {
    if (!storeIsLarge && taken > LARGE * maxBytes) {
      storeIsLarge = true;
      compactAtNanos = System.nanoTime();
      LOG.info("the store has {} bytes of {}: old history is removed", taken, maxBytes);
    } else if (storeIsLarge && taken <= FINE * maxBytes) {
      storeIsLarge = false;
      LOG.info("the store has {} bytes of {} again", taken, maxBytes);
    }
  }

  /**
   * RocksDB begins a compaction without asking whether it has room. One that has none takes the
   * last bytes from the log, fails, and is begun again as soon as what it had written is deleted.
   */
  private void adjustCompactions(long free) {
    boolean full = free < (nearlyFull ? 2 : 1) * lowBytes(reserveBytes) || !hasRoomForNext(free);
    if (full != nearlyFull) {
      store.compactByItself(!full);
      nearlyFull = full;
    }
  }

  private boolean hasRoomForNext(long free) {
    if (isAmple(free, reserveBytes)) {
      return true;
    }
    RocksStore.Tables next = store.nextMerge();
    return isRoom(misjudged ? next.bytes() : neededBytes(next), free);
  }

  private boolean isRoom(double bytes, long free) {
    return bytes < free - lowBytes(reserveBytes) / 2;
  }

  private void adjustBallast(long free) {
    try {
      if (free < lowBytes(reserveBytes)) {
        if (ballast.release()) {
          LOG.warn(
              "the disk is nearly full: released {} bytes that were kept for this",
              ballastBytes(reserveBytes));
        }
      } else if (free >= enoughBytes() + ballastBytes(reserveBytes)
          && free < 4 * reserveBytes
          && !ballast.isWhole()) {
        ballast.make();
      }
    } catch (IOException e) {
      LOG.warn("cannot change the ballast", e);
    }
  }

  private void compact(long free) {
    RocksStore.Tables tables = store.flush();
    if (tables.deletions() <= tables.entries() / ENTRIES_PER_DELETION) {
      return;
    }
    if (isRoom(neededBytes(tables), free)) {
      compact();
    } else if (free >= 2 * lowBytes(reserveBytes) && System.nanoTime() - tryAtNanos >= 0) {
      long began = System.nanoTime();
      long pause = tryToCompact() ? 0 : TRY_AGAIN_NANOS + REST * (System.nanoTime() - began);
      tryAtNanos = System.nanoTime() + pause;
    }
  }

  /**
   * Compacts although the estimate finds no room for it, and gives up before the last bytes are
   * taken: the estimate does not know how much was written over, and if it errs, nothing else would
   * ever make space. False if it had to give up.
   */
  private boolean tryToCompact() {
    CompletableFuture<Void> compacting =
        CompletableFuture.runAsync(
            this::compact,
            task -> {
              Thread compactor = new Thread(task, "reprise-compaction");
              compactor.setDaemon(true);
              compactor.start();
            });
    boolean hasRoom = true;
    try {
      while (!isDone(compacting)) {
        if (hasRoom && store.usableBytesNow() < lowBytes(reserveBytes)) {
          hasRoom = false;
          compaction.setCanceled(true);
        }
      }
      compacting.join();
      return true;
    } catch (CompletionException e) {
      if (hasRoom) {
        throw e.getCause() instanceof StoreException refused ? refused : e;
      }
      LOG.info("the disk has no room to compact the store; that is tried again");
      return false;
    } finally {
      if (closed.getCount() > 0) {
        compaction.setCanceled(false);
      }
    }
  }

  /** Waits for a moment; returns whether it has ended. */
  private static boolean isDone(CompletableFuture<Void> compacting) {
    try {
      TimeUnit.MILLISECONDS.sleep(WATCH_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return compacting.isDone();
  }

  private void compact() {
    try {
      store.compact(compaction);
      misjudged = false;
    } catch (StoreException e) {
      if (closed.getCount() > 0) {
        store.reopenAfterBackgroundError();
      }
      throw e;
    }
  }

  /**
   * Writes what stays anew before the rest goes: a deletion, which has next to no bytes, takes one
   * entry with it. Entries differ in size, so a quarter more.
   */
  static double neededBytes(RocksStore.Tables tables) {
    double puts = tables.entries() - tables.deletions();
    double staying = Math.max(0, puts - tables.deletions());
    return puts <= 0 ? 0 : 1.25 * tables.bytes() * staying / puts;
  }

  /** Ends the thread and what it is doing. */
  @Override
  public synchronized void close() {
    if (closed.getCount() == 0) {
      return;
    }
    closed.countDown();
    compaction.setCanceled(true);
    store.cancelBackgroundWork();
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    compaction.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
