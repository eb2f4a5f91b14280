package dev.reprise.server.cli.service;

import dev.reprise.cluster.ClusterSettings;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.server.cli.base.Failure;
import java.io.IOException;
import java.io.Reader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * Options of a service that is a node of a cluster. They are hidden until a cluster has been proven
 * as the rest of the service is.
 */
final class ClusterOptions {
  private static final int DEFAULT_SHARDS = 16;
  private static final int SHARDS_ALONE = 4;

  @Option(
      names = "--cluster",
      hidden = true,
      paramLabel = "BROKERS",
      description =
          "Be a node of a cluster over Kafka, whose brokers these are: HOST:PORT,... The data"
              + " folder has copies then; what was accepted is on the brokers. For trying out:"
              + " embedded, a broker in this process.")
  private @Nullable String brokers;

  @Option(
      names = "--cluster-name",
      hidden = true,
      paramLabel = "NAME",
      defaultValue = "reprise",
      description =
          "What the names of the cluster's topics, ids and group begin with. Default:"
              + " ${DEFAULT-VALUE}.")
  private String name = "";

  @Option(
      names = "--cluster-properties",
      hidden = true,
      paramLabel = "FILE",
      description =
          "Settings for all clients of Kafka under its own names, such as security.protocol and"
              + " sasl.jaas.config.")
  private @Nullable Path properties;

  @Option(
      names = "--node",
      hidden = true,
      paramLabel = "NAME",
      description = "The name of this node, which no other has. Default: the name of the machine.")
  private @Nullable String node;

  @Option(
      names = "--node-url",
      hidden = true,
      paramLabel = "URL",
      description =
          "Where other nodes reach the API of this one. Default: http or https, --host and --port.")
  private @Nullable String nodeUrl;

  @Option(
      names = "--replication",
      hidden = true,
      paramLabel = "N",
      defaultValue = "3",
      description = "On how many brokers a new cluster has each record. Default: ${DEFAULT-VALUE}.")
  private short replication;

  @Option(
      names = "--followers",
      hidden = true,
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How many other nodes keep a copy of each shard, so that they take over at once."
              + " Default: ${DEFAULT-VALUE}.")
  private int followers;

  @Option(
      names = "--session",
      hidden = true,
      paramLabel = "SPAN",
      defaultValue = "6s",
      description =
          "After how long a node that is not heard of has lost its shards. Default:"
              + " ${DEFAULT-VALUE}.")
  private String session = "";

  /** Reads a span of time that an option has. */
  interface Spans {
    Duration read(String option, String text);
  }

  /**
   * Returns the settings; null if this is no node of a cluster.
   *
   * @param shards 0 for the usual number
   */
  @Nullable ClusterSettings settings(String host, int port, boolean tls, int shards, Spans spans) {
    String given = brokers;
    if (given == null) {
      return null;
    }
    boolean alone = given.equals(ClusterSettings.EMBEDDED);
    String url = nodeUrl;
    if (alone) {
      url = "";
    } else if (url == null) {
      if (port == 0 || host.equals("0.0.0.0") || host.equals("::")) {
        throw new InvalidSettingException(
            "node-url",
            "absent",
            "must be given where --port is 0 or --host is every address: other nodes need it");
      }
      url = (tls ? "https://" : "http://") + host + ":" + port;
    }
    return new ClusterSettings(
        given,
        name,
        node != null ? node : alone ? ClusterSettings.EMBEDDED : machine(),
        url,
        clients(properties),
        shards != 0 ? shards : alone ? SHARDS_ALONE : DEFAULT_SHARDS,
        alone ? 1 : replication,
        followers,
        spans.read("--session", session),
        Duration.ofSeconds(1));
  }

  private static String machine() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new InvalidSettingException(
          "node", "absent", "must be given: this machine has no name");
    }
  }

  /** Reads the settings of clients of Kafka; there are none without a file. */
  static Map<String, String> clients(@Nullable Path file) {
    Map<String, String> clients = new HashMap<>();
    if (file == null) {
      return clients;
    }
    Properties read = new Properties();
    try (Reader in = Files.newBufferedReader(file)) {
      read.load(in);
    } catch (IOException | IllegalArgumentException e) {
      throw Failure.failed("--cluster-properties: cannot read " + file + ": " + e.getMessage());
    }
    read.stringPropertyNames().forEach(key -> clients.put(key, read.getProperty(key)));
    return clients;
  }
}
