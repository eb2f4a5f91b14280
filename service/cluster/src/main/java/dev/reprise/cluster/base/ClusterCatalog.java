package dev.reprise.cluster.base;

import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.ReplicatedStore;
import dev.reprise.delivery.store.Store;
import dev.reprise.delivery.store.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The store of the catalog and of everything else that all shards share: a copy of its log, which
 * one node at a time writes. The others follow, and notify their catalog of what has changed.
 *
 * <p>Safe for use by many threads.
 */
public final class ClusterCatalog implements Store {
  private final LogCopy copy;
  private volatile @Nullable ReplicatedStore owned;
  private volatile @Nullable Listener listener;

  /** The version up to which the listener was notified. */
  private volatile long version;

  /** The position in the log up to which the listener was notified of everything. */
  private volatile long reached;

  /** Is notified of what has changed. */
  public interface Listener {
    /**
     * Something was written elsewhere, and is in the store.
     *
     * @param number as in {@code EngineHost.view}
     * @param keys the keys of that view
     */
    void changed(int number, List<byte[]> keys);

    /** Returns the catalog, whose changes here are finished while its monitor is free. */
    Catalog catalog();
  }

  public ClusterCatalog(LogCopy copy) {
    this.copy = copy;
  }

  public LogCopy copy() {
    return copy;
  }

  /** Returns the part with a number, as {@code EngineHost.view} has it. */
  public Store view(int number) {
    return new NumberedStore(this, number);
  }

  /** From now on the listener is notified of changes; it has read everything up to now. */
  public synchronized void tell(Listener hearing) {
    listener = hearing;
    version = copy.position();
  }

  /** Something was written elsewhere: it is in the copy. */
  public synchronized void changed(List<byte[]> keys) {
    Listener hearing = listener;
    if (hearing == null) {
      return;
    }
    Map<Integer, List<byte[]>> byNumber = new TreeMap<>();
    for (byte[] key : keys) {
      if (key.length > NumberedStore.NUMBER_BYTES) {
        byNumber
            .computeIfAbsent(NumberedStore.numberOf(key), number -> new ArrayList<>())
            .add(NumberedStore.rest(key));
      }
    }
    byNumber.forEach(hearing::changed);
    version = copy.position();
  }

  /** Returns a version that every reader of the catalog sees from now on at least. */
  public long version() {
    return owned == null ? version : copy.position();
  }

  /** Returns whether every shard here knows the catalog up to a version. */
  public boolean knows(long wanted) {
    if (version >= wanted) {
      return true;
    }
    Listener hearing = listener;
    if (owned == null || hearing == null || copy.position() < wanted) {
      return false;
    }
    // A change that is in the log is known once its method has ended, which holds the monitor.
    version = hearing.catalog().whileUnchanged(copy::position);
    return version >= wanted;
  }

  /** Everything in the log before this position is known. */
  public void reached(long position) {
    reached = position;
  }

  /** Returns whether everything in the log before this position is known here. */
  public boolean hasReached(long position) {
    return owned != null || reached >= position;
  }

  /** Returns whether this node writes the catalog. */
  public boolean isOwned() {
    return owned != null;
  }

  /** This node may write from now on: the copy has everything. */
  public void own(ReplicatedStore store) {
    owned = store;
  }

  /** Another node may write from now on; what was written here until now is known here. */
  public void disown() {
    Listener hearing = listener;
    if (owned != null && hearing != null) {
      version = hearing.catalog().whileUnchanged(copy::position);
      reached = version;
    }
    owned = null;
  }

  /**
   * Returns what an operator has begun and not ended, so that nodes may do nothing yet; null if
   * they may.
   *
   * @param cluster the name of the cluster
   */
  public @Nullable String unfinished(String cluster) {
    String migration = MigrationMark.unfinished(this, cluster);
    return migration == null ? RestoreMark.unfinished(this, cluster) : migration;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return copy.store().get(key);
  }

  @Override
  public Cursor range(byte[] from, byte[] to) {
    return copy.store().range(from, to);
  }

  @Override
  public Cursor reverseRange(byte[] from, byte[] to) {
    return copy.store().reverseRange(from, to);
  }

  @Override
  public synchronized void write(Batch batch) {
    ReplicatedStore store = owned;
    if (store == null) {
      throw new StoreException("the catalog is written by another node just now", false, null);
    }
    store.finish();
    store.write(batch);
  }

  @Override
  public void close() {}
}
