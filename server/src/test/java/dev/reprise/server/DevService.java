package dev.reprise.server;

import dev.reprise.server.serve.ServeSettings;
import dev.reprise.server.serve.Service;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A service in this process, for tests: no keys, endpoints on this machine, one shard. */
public final class DevService {
  private DevService() {}

  /** Starts a service at a free port, with its data in this folder. */
  public static Service start(Path data) {
    return Service.start(
        new ServeSettings(
            data,
            "127.0.0.1",
            0,
            true,
            List.of(),
            1,
            Duration.ofHours(1),
            Duration.ofSeconds(15),
            Duration.ZERO));
  }
}
