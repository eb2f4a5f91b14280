package dev.reprise.server.settings;

import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.common.text.WrongUrl;
import dev.reprise.core.InvalidSettingException;
import java.io.IOException;
import java.io.Reader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Makes the settings of a node of a cluster from those of a service. */
public final class NodeSettings {
  private static final int DEFAULT_SHARDS = 16;
  private static final int SHARDS_ALONE = 4;
  private static final Duration LEASE = Duration.ofSeconds(1);

  /** Those that only a node has, and that would be without effect elsewhere. */
  private static final List<Setting<?>> OF_NODES_ALONE =
      List.of(Settings.NODE, Settings.NODE_URL, Settings.NODE_CA, Settings.CLUSTER_PROPERTIES);

  private NodeSettings() {}

  /** Returns the settings of the node; null if the service is none. */
  static @Nullable ClusterSettings of(ServeSettings settings) {
    String brokers = settings.find(Settings.CLUSTER);
    if (brokers == null) {
      for (Setting<?> setting : OF_NODES_ALONE) {
        String value = settings.text(setting);
        if (value != null) {
          throw new InvalidSettingException(
              setting.name(), WrongUrl.shown(value), "must be absent without --cluster");
        }
      }
      return null;
    }
    boolean alone = brokers.equals(ClusterSettings.EMBEDDED);
    String node = settings.find(Settings.NODE);
    int shards = (int) settings.orZero(Settings.SHARDS);
    return new ClusterSettings(
        brokers,
        settings.get(Settings.CLUSTER_NAME),
        node != null ? node : alone ? ClusterSettings.EMBEDDED : machine(),
        alone && settings.find(Settings.NODE_URL) == null ? "" : url(settings),
        clients(settings.find(Settings.CLUSTER_PROPERTIES)),
        shards != 0 ? shards : alone ? SHARDS_ALONE : DEFAULT_SHARDS,
        alone ? 1 : settings.get(Settings.REPLICATION).shortValue(),
        settings.get(Settings.FOLLOWERS),
        settings.get(Settings.SESSION),
        LEASE,
        settings.get(Settings.STANDS_AFTER));
  }

  private static String url(ServeSettings settings) {
    String url = settings.find(Settings.NODE_URL);
    if (url != null) {
      if (settings.tls() && !url.startsWith("https://")) {
        throw new InvalidSettingException(
            "node-url",
            WrongUrl.shown(url),
            "must begin with https:// where --tls-certificate is given");
      }
      return url;
    }
    String host = settings.get(Settings.HOST);
    int port = settings.get(Settings.PORT);
    if (port == 0 || host.equals("0.0.0.0") || host.equals("::")) {
      throw new InvalidSettingException(
          "node-url",
          "absent",
          "must be given where --port is 0 or --host is every address: other nodes need it");
    }
    String address = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return (settings.tls() ? "https://" : "http://") + address + ":" + port;
  }

  private static String machine() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new InvalidSettingException(
          "node", "absent", "must be given: this machine has no name");
    }
  }

  /**
   * Reads the settings of clients of Kafka; there are none without a file.
   *
   * @throws InvalidSettingException if the file cannot be read
   */
  public static Map<String, String> clients(@Nullable Path file) {
    Map<String, String> clients = new HashMap<>();
    if (file == null) {
      return clients;
    }
    Properties read = new Properties();
    try (Reader in = Files.newBufferedReader(file)) {
      read.load(in);
    } catch (IOException | IllegalArgumentException e) {
      throw new InvalidSettingException(
          "cluster-properties", file, "cannot be read: " + e.getMessage());
    }
    read.stringPropertyNames().forEach(key -> clients.put(key, read.getProperty(key)));
    clients.put(ClusterSettings.CLIENTS_FILE, file.toAbsolutePath().toString());
    return clients;
  }
}
