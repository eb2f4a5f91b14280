package dev.reprise.delivery.host;

import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.delivery.store.RocksStore;
import dev.reprise.delivery.store.StoreException;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * An open data folder: its store and its catalog, from which an engine delivers. What needs the
 * catalog, such as a sender of attempts, is made before the engine.
 */
public final class DataFolder implements AutoCloseable {
  private final EngineSettings settings;
  private final EngineHost host;
  private final Catalog catalog;

  private DataFolder(EngineSettings settings, EngineHost host) {
    this.settings = settings;
    this.host = host;
    this.catalog = new Catalog(host.view(0));
  }

  /**
   * Opens a folder whose shards all run in this process.
   *
   * @param clockFromSystem takes a folder that has seen a clock more than an hour ahead of the
   *     system's back to the system's ({@link dev.reprise.delivery.shard.ClockReset})
   * @throws StoreException if the folder is in use, damaged, of a newer version or not usable; the
   *     message says what to do
   */
  public static DataFolder open(EngineSettings settings, boolean clockFromSystem) {
    return open(settings, clockFromSystem, System::currentTimeMillis);
  }

  /**
   * The same, by another clock than the system's.
   *
   * @param wallMillis the wall clock, in milliseconds since 1970
   */
  public static DataFolder open(
      EngineSettings settings, boolean clockFromSystem, LongSupplier wallMillis) {
    FolderMarks.requireEmbedded(settings.folder());
    return open(
        settings, store -> new EmbeddedHost(store, settings.shards(), clockFromSystem, wallMillis));
  }

  /**
   * Opens a folder for an engine in other surroundings.
   *
   * @param hosts makes them, over the store of this process
   * @throws StoreException as {@link #open(EngineSettings, boolean)}
   */
  public static DataFolder open(EngineSettings settings, Function<RocksStore, EngineHost> hosts) {
    FolderFormat.check(settings.folder());
    RocksStore store = RocksStore.open(settings.folder(), settings.store());
    try {
      FolderFormat.note(settings.folder());
      return new DataFolder(settings, hosts.apply(store));
    } catch (RuntimeException | Error e) {
      store.close();
      throw e;
    }
  }

  /** Topics, subscriptions and carriers as they are. Changes go through the engine. */
  public Catalog catalog() {
    return catalog;
  }

  /** Returns the settings that it was opened with. */
  public EngineSettings settings() {
    return settings;
  }

  /** Returns the surroundings in which its shards run. */
  public EngineHost host() {
    return host;
  }

  /** Closes the store; an engine that delivers from it is closed first. */
  @Override
  public void close() {
    host.store().close();
  }
}
