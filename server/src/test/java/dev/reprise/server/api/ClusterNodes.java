package dev.reprise.server.api;

import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.cluster.broker.Brokers;
import dev.reprise.server.serve.ApiSettings;
import dev.reprise.server.serve.ServeSettings;
import dev.reprise.server.serve.Service;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Services in this process that are the nodes of one cluster, each with a client. */
final class ClusterNodes implements AutoCloseable {
  static final int SHARDS = 4;

  private final Brokers brokers;
  private final String prefix;
  private final Path folder;
  private final List<Socket> ports = new ArrayList<>();
  private final List<Service> services = new ArrayList<>();
  private String key = "";
  private ApiSettings api = ApiSettings.DEFAULT;
  private Path secretKeys;
  private Duration standsAfter = Duration.ofMinutes(1);

  ClusterNodes(Brokers brokers, String prefix, Path folder) {
    this.brokers = brokers;
    this.prefix = prefix;
    this.folder = folder;
  }

  /** The API of nodes that are started from here on. */
  ClusterNodes withApi(ApiSettings settings) {
    api = settings;
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
        new ServeSettings(
            folder.resolve(name),
            "127.0.0.1",
            port.getLocalPort(),
            false,
            List.of("127.0.0.0/8"),
            0,
            Duration.ofDays(1),
            Duration.ofMinutes(10),
            Duration.ofSeconds(2),
            api,
            0,
            ServeSettings.DEAD_LETTER_RETENTION,
            0,
            0,
            secretKeys,
            clustered(name, port.getLocalPort()));
    Service service = Service.start(settings);
    services.add(service);
    key = service.firstKey().orElse(key);
    return RunningService.of(service, key);
  }

  private ClusterSettings clustered(String name, int port) {
    return new ClusterSettings(
            brokers.bootstrap(),
            prefix,
            name,
            (api.tls() ? "https" : "http") + "://127.0.0.1:" + port,
            Map.of(),
            SHARDS,
            (short) 1,
            1,
            Duration.ofSeconds(6),
            Duration.ofSeconds(1))
        .withStandsAfter(standsAfter);
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
