package dev.reprise.delivery.store;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reopens a store that refuses writes. RocksDB takes no more writes after an error of its log or of
 * its background work until it is opened again, even if the error came once and never again; a full
 * disk is the only one that it gets over by itself.
 *
 * <p>A thread of its own tries until the store has taken a write, for {@link #PATIENCE_MILLIS}. If
 * that does not help, the store has failed for good. Safe for use by many threads.
 */
final class StoreRepair {
  /** Long enough for a shortage of descriptors to pass, short enough for an operator to wait. */
  static final long PATIENCE_MILLIS = TimeUnit.SECONDS.toMillis(30);

  private static final Logger LOG = LoggerFactory.getLogger(StoreRepair.class);
  private static final long FIRST_PAUSE_MILLIS = 50;

  /** An error while reading may look like damage; damage looks so every time. */
  private static final int DAMAGED_TIMES = 3;

  private static final long MAX_PAUSE_MILLIS = 1000;

  private final Path folder;
  private final Repair repair;
  private boolean underWay;
  private boolean damageSeen;
  private volatile @Nullable StoreException failure;
  private volatile boolean full;

  /** Closes the database that refuses writes, opens it anew, and writes to it. */
  interface Repair {
    /**
     * Does nothing if {@code refusing} is not the open one any more, or the store was closed.
     *
     * @throws StoreException if it did not help; {@link StoreException#lasting} if nothing will
     */
    void run(RocksDB refusing);
  }

  StoreRepair(Path folder, Repair repair) {
    this.folder = folder;
    this.repair = repair;
  }

  /** Why the store has failed for good; null if it has not. */
  @Nullable StoreException failure() {
    return failure;
  }

  /** Whether the store stays closed for now because the disk is full. */
  boolean full() {
    return full;
  }

  /** Begins unless that is under way; does not wait. */
  synchronized void begin(RocksDB refusing, StoreException why) {
    if (underWay || failure != null) {
      return;
    }
    if (why.lasting() && damageSeen) {
      // Reopening has not helped the last time: background work reads the same block again.
      fail(why);
      return;
    }
    damageSeen |= why.lasting();
    underWay = true;
    LOG.warn("{}; the store is being reopened", why.getMessage());
    Thread thread = new Thread(() -> mend(refusing), "reprise-store-repair");
    thread.setDaemon(true);
    thread.start();
  }

  private void mend(RocksDB refusing) {
    long began = System.nanoTime();
    long pause = FIRST_PAUSE_MILLIS;
    int damaged = 0;
    while (true) {
      StoreException failed = attempt(refusing);
      full = failed != null && failed.full();
      long tookMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
      if (failed == null) {
        LOG.info("the store in {} takes writes again, after {} ms", folder, tookMillis);
        end();
        return;
      }
      // Only the operator can free a full disk, and everything goes on by itself then.
      damaged = failed.lasting() ? damaged + 1 : 0;
      boolean patient = tookMillis < PATIENCE_MILLIS || failed.full();
      if (damaged == DAMAGED_TIMES || !patient) {
        fail(failed);
        return;
      }
      try {
        Thread.sleep(pause);
      } catch (InterruptedException e) {
        fail(failed);
        return;
      }
      pause = Math.min(MAX_PAUSE_MILLIS, 2 * pause);
    }
  }

  private @Nullable StoreException attempt(RocksDB refusing) {
    try {
      repair.run(refusing);
      return null;
    } catch (StoreException e) {
      return e;
    } catch (RuntimeException | Error e) {
      return StoreException.lasting("the store in " + folder + " cannot be reopened: " + e, e);
    }
  }

  private synchronized void end() {
    underWay = false;
  }

  private synchronized void fail(StoreException why) {
    underWay = false;
    failure = StoreException.lasting(String.valueOf(why.getMessage()), why);
    LOG.error(
        StoreException.isDamage(why)
            ? "the store has failed, and would after a restart: {}"
            : "the store has failed; restart the process once this is mended: {}",
        why.getMessage());
  }
}
