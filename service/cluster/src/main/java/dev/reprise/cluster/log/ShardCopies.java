package dev.reprise.cluster.log;

import dev.reprise.delivery.shard.Shard;
import dev.reprise.delivery.store.LogCopy;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The copies of shards that are in the store of this node. Safe for use by many threads. */
public final class ShardCopies implements IntFunction<LogCopy> {
  private static final Logger LOG = LoggerFactory.getLogger(ShardCopies.class);

  private final RocksStore store;
  private final int shards;
  private final ConcurrentMap<Integer, LogCopy> copies = new ConcurrentHashMap<>();

  public ShardCopies(RocksStore store, int shards) {
    this.store = store;
    this.shards = shards;
  }

  /** Returns the copy of a shard, which may be empty. */
  @Override
  public LogCopy apply(int shard) {
    return copies.computeIfAbsent(shard, number -> new LogCopy(store.view(view(number))));
  }

  /** Returns the number of the view that has the copy of a shard. */
  public static int view(int shard) {
    return 1 + shard;
  }

  /** Returns the position of each copy that can go on. */
  public Map<Integer, Long> positions() {
    Map<Integer, Long> positions = new TreeMap<>();
    for (int shard = 0; shard < shards; shard++) {
      long position = apply(shard).position();
      if (position > 0) {
        positions.put(shard, position);
      }
    }
    return positions;
  }

  int shards() {
    return shards;
  }

  /** Tells whether there is anything of a shard. */
  boolean holds(int shard) {
    return apply(shard).position() != 0;
  }

  /**
   * Removes the copy of a shard. A holder that is left, such as a take-over that was given back and
   * has not ended, writes nothing more.
   */
  public void drop(int shard) {
    apply(shard).drop(Shard::isShortLived);
    copies.remove(shard);
  }

  /** Gives the disk back what was dropped, on a thread of its own. Ends when the store closes. */
  void reclaim(Iterable<Integer> dropped) {
    Thread thread =
        new Thread(
            () -> {
              try {
                dropped.forEach(shard -> store.compactView(view(shard)));
              } catch (StoreException e) {
                // It is free after the next compactions of the store itself.
                LOG.debug("the space of dropped copies is not free yet", e);
              }
            },
            "reprise-copies");
    thread.setDaemon(true);
    thread.start();
  }
}
