package dev.reprise.server.api;

import dev.reprise.cluster.broker.Brokers;
import dev.reprise.server.serve.Service;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Services in this process that are the nodes of one cluster, each with a client. */
final class ClusterNodes implements AutoCloseable {
  static final int SHARDS = 4;

  private final Brokers brokers;
  private final String prefix;
  private final Path folder;
  private final List<Socket> ports = new ArrayList<>();
  private final List<Service> services = new ArrayList<>();
  private String key = "";
  private UnaryOperator<ServeSettings> change = settings -> settings;
  private Path secretKeys;
  private Duration standsAfter = Duration.ofMinutes(1);

  ClusterNodes(Brokers brokers, String prefix, Path folder) {
    this.brokers = brokers;
    this.prefix = prefix;
    this.folder = folder;
  }

  /** Changes the settings of nodes that are started from here on. */
  ClusterNodes with(UnaryOperator<ServeSettings> change) {
    this.change = change;
    return this;
  }

  /** The file with the secret keys of nodes that are started from here on. */
  ClusterNodes withSecretKeys(Path file) {
    secretKeys = file;
    return this;
  }

  /** After how long nodes that are started from here on tell of a shard that takes nothing. */
  ClusterNodes withStandsAfter(Duration time) {
    standsAfter = time;
    return this;
  }

  /** Starts a node, whose client has the first key of the cluster. */
  RunningService start(String name) {
    Socket port = held();
    ports.add(port);
    ServeSettings settings =
        ServeSettings.in(folder.resolve(name))
            .with(Settings.PORT, port.getLocalPort())
            .with(Settings.ALLOW, List.of("127.0.0.0/8"))
            .with(Settings.ATTEMPT_TIMEOUT, Duration.ofMinutes(10))
            .with(Settings.GRACE, Duration.ofSeconds(2))
            .with(Settings.DRAIN, Duration.ZERO)
            .with(Settings.SHARDS, SHARDS)
            .with(Settings.CLUSTER, brokers.bootstrap())
            .with(Settings.CLUSTER_NAME, prefix)
            .with(Settings.NODE, name)
            .with(Settings.REPLICATION, 1)
            .with(Settings.STANDS_AFTER, standsAfter);
    if (secretKeys != null) {
      settings = settings.with(Settings.SECRET_KEYS, secretKeys);
    }
    Service service = Service.start(change.apply(settings));
    services.add(service);
    key = service.firstKey().orElse(key);
    return RunningService.of(service, key);
  }

  String key() {
    return key;
  }

  /** A port that nobody else is given, and at which a server may listen all the same. */
  private static Socket held() {
    Socket holder = new Socket();
    try {
      holder.setReuseAddress(true);
      holder.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return holder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    for (int i = services.size() - 1; i >= 0; i--) {
      services.get(i).close();
    }
    for (Socket port : ports) {
      try {
        port.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
