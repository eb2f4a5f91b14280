package dev.reprise.delivery.host;

import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.shard.ClockReset;
import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.store.Batch;
import dev.reprise.delivery.store.RepeatingStore;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One data folder that has everything. */
final class EmbeddedHost implements EngineHost {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedHost.class);
  private static final byte[] SHARD_COUNT = {'#'};

  private final RocksStore store;
  private final SteadyClock clock;

  /** The stores of all shards. */
  private final List<RepeatingStore> stores = new ArrayList<>();

  /**
   * A host.
   *
   * @param wantedShards how many shards a new folder gets
   * @param clockFromSystem as in {@link DataFolder#open(EngineSettings, boolean)}
   */
  EmbeddedHost(
      RocksStore store, int wantedShards, boolean clockFromSystem, LongSupplier wallMillis) {
    this.store = store;
    int count = shardCount(view(0), wantedShards);
    long floor = 0;
    for (int i = 0; i < count; i++) {
      RepeatingStore view = RepeatingStore.ofReads(store.view(EmbeddedShards.viewOf(i)));
      stores.add(view);
      floor = Math.max(floor, Shard.storedClockMillis(view));
    }
    floor = checkedFloor(floor, wallMillis.getAsLong(), clockFromSystem);
    this.clock = new SteadyClock(wallMillis, System::nanoTime, floor);
  }

  /** The time before which the clock must not begin: the latest that was stored, if it is right. */
  private long checkedFloor(long floor, long wall, boolean clockFromSystem) {
    if (floor - wall <= SteadyClock.FAR_MILLIS) {
      return floor;
    }
    if (clockFromSystem) {
      LOG.warn(
          "the data folder has seen the time {}, the system clock says {}: what was stored by the"
              + " other clock is moved to the system's",
          Instant.ofEpochMilli(floor),
          Instant.ofEpochMilli(wall));
      stores.forEach(shard -> ClockReset.run(shard, wall, floor));
      return wall;
    }
    LOG.warn(
        "the data folder has seen the time {}, the system clock says {}: delivery goes on by the"
            + " later one. If the system clock is right, start once with --clock-from-system",
        Instant.ofEpochMilli(floor),
        Instant.ofEpochMilli(wall));
    return floor;
  }

  /** A data folder keeps its number of shards: subscriptions are spread by it. */
  private static int shardCount(Store catalogStore, int wanted) {
    int stored = storedShards(catalogStore);
    if (stored > 0) {
      return stored;
    }
    Batch batch = new Batch();
    batch.put(SHARD_COUNT, new byte[] {(byte) (wanted >>> 8), (byte) wanted});
    catalogStore.write(batch);
    return wanted;
  }

  /** Returns how many shards a data folder has; 0 for a new one. */
  static int storedShards(Store catalogStore) {
    byte[] stored = catalogStore.get(SHARD_COUNT);
    int count = 0;
    // Up to format 4 it was one byte.
    for (byte digit : stored == null ? new byte[0] : stored) {
      count = count << 8 | (digit & 0xff);
    }
    return count;
  }

  @Override
  public RocksStore store() {
    return store;
  }

  @Override
  public int shardCount() {
    return stores.size();
  }

  @Override
  public Store view(int number) {
    return RepeatingStore.ofReadsAndWrites(store.view(number));
  }

  @Override
  public SteadyClock clock() {
    return clock;
  }

  @Override
  public Shards shards(Catalog catalog, ShardOpener opener, LongConsumer deleted) {
    return new EmbeddedShards(store, stores, opener);
  }
}
