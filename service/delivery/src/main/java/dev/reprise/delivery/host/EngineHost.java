package dev.reprise.delivery.host;

import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.Store;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The surroundings of an engine: how many shards there are, where the catalog is kept, and where
 * shards run.
 */
public interface EngineHost {
  /** The store of this process, for its figures. The engine closes it after {@link Shards#stop}. */
  RocksStore store();

  /** The number of shards, which never changes. */
  int shardCount();

  /**
   * Returns a store of its own for something that all shards share: the catalog has number 0.
   *
   * @param number as in {@link RocksStore#view}
   */
  Store view(int number);

  /** Returns whether views can be written by this process now. */
  default boolean isWritable() {
    return true;
  }

  /**
   * Sets the listener that is notified of what other processes write into a view; there is none by
   * default. To be called before the engine is used.
   *
   * @param listener is given the keys, once they are in the view
   */
  default void watch(int number, Consumer<List<byte[]>> listener) {}

  /** The clock by which the engine works. */
  SteadyClock clock();

  /**
   * Opens the shards, which do nothing before {@link Shards#start}; called once.
   *
   * @param deleted is given the number of a subscription that another process has deleted
   */
  Shards shards(Catalog catalog, ShardOpener opener, LongConsumer deleted);
}
