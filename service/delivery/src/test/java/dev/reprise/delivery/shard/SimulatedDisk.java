package dev.reprise.delivery.shard;

import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.Store;
import dev.reprise.delivery.store.StoreException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The disk of a node. A write may fail with or without having been made, or be the last that its
 * process does; after a crash of the machine the last writes may be gone, and so may be the disk.
 */
final class SimulatedDisk implements Store {
  private static final int MAX_UNSYNCED = 12;

  private final ClusterFaults faults;
  private final Deque<List<SimulatedStore.Change>> unsynced = new ArrayDeque<>();
  private SimulatedStore store = new SimulatedStore();

  /** Kills the process that writes; throws. */
  private final Runnable kill;

  SimulatedDisk(ClusterFaults faults, Runnable kill) {
    this.faults = faults;
    this.kill = kill;
  }

  /** The machine has stopped, and begins again with what is left. */
  void crash() {
    switch (faults.nextInt(4)) {
      case 0 -> {
        for (int lost = faults.nextInt(MAX_UNSYNCED); lost > 0 && !unsynced.isEmpty(); lost--) {
          store.undo(unsynced.removeLast());
        }
      }
      case 1 -> {
        if (faults.nextInt(3) == 0) {
          store = new SimulatedStore();
        }
      }
      default -> {}
    }
    unsynced.clear();
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return store.get(key);
  }

  @Override
  public Cursor range(byte[] from, byte[] to) {
    return store.range(from, to);
  }

  @Override
  public Cursor reverseRange(byte[] from, byte[] to) {
    return store.reverseRange(from, to);
  }

  @Override
  public void write(Batch batch) {
    if (faults.strikes(8)) {
      kill.run();
    }
    if (faults.strikes(3)) {
      throw new StoreException("cannot write: Input/output error", false, null);
    }
    store.write(batch);
    unsynced.add(store.lastChanges());
    if (unsynced.size() > MAX_UNSYNCED) {
      unsynced.removeFirst();
    }
    if (faults.strikes(8)) {
      kill.run();
    }
    if (faults.strikes(3)) {
      throw new StoreException("cannot sync: Input/output error", false, null);
    }
  }

  @Override
  public void close() {}
}
