package dev.reprise.cli;

import dev.reprise.server.serve.Service;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import java.nio.file.Path;
import java.time.Duration;

/** A service in this process, for tests: no keys, endpoints on this machine, one shard. */
public final class DevService {
  private DevService() {}

  /** Starts a service at a free port, with its data in this folder. */
  public static Service start(Path data) {
    return Service.start(
        ServeSettings.in(data)
            .with(Settings.PORT, 0)
            .with(Settings.DEV, true)
            .with(Settings.SHARDS, 1)
            .with(Settings.HISTORY, Duration.ofHours(1))
            .with(Settings.GRACE, Duration.ZERO));
  }
}
