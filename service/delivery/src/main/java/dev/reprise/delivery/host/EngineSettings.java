package dev.reprise.delivery.host;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.delivery.ShardSettings;
import dev.reprise.delivery.store.RocksSettings;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings of an engine.
 *
 * @param folder where the data is kept; created if it does not exist
 * @param shards how many shards a new data folder gets, 1 to {@value #MAX_SHARDS}; an existing
 *     folder keeps its own
 * @param shard the bounds of each shard; but its bytes of history are shared by all shards, and 0
 *     of them stands for a tenth of the disk, or a quarter of the store's bound, at most 4 GiB
 * @param store how much memory and disk the store may use
 * @param grace how long a stop waits for attempts under way
 */
public record EngineSettings(
    Path folder, int shards, ShardSettings shard, RocksSettings store, Duration grace) {
  /** The most shards that a data folder may have. */
  public static final int MAX_SHARDS = 1024;

  /** Checks the ranges. */
  public EngineSettings {
    if (shards < 1 || shards > MAX_SHARDS) {
      throw new InvalidSettingException("shards", shards, "must be between 1 and " + MAX_SHARDS);
    }
  }

  /** The usual settings: one shard for each two processors, ten seconds of grace. */
  public static EngineSettings in(Path folder) {
    int processors = Runtime.getRuntime().availableProcessors();
    int shards = Math.max(1, Math.min(16, processors / 2));
    return new EngineSettings(
        folder, shards, ShardSettings.DEFAULT, RocksSettings.defaults(), Duration.ofSeconds(10));
  }
}
