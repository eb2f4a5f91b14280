package dev.reprise.server.cli.node;

import dev.reprise.cluster.base.ClusterSettings;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.server.cli.base.Failure;
import dev.reprise.server.cli.base.Section;
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

/** Options of a service that is a node of a cluster. */
@Section("Cluster")
final class ClusterOptions {
  private static final int DEFAULT_SHARDS = 16;
  private static final int SHARDS_ALONE = 4;

  @Option(
      names = "--cluster",
      paramLabel = "BROKERS",
      description =
          "Be a node of a cluster over Kafka: HOST:PORT of a broker, or of several, separated by"
              + " commas. What was accepted is on the brokers then, and the data folder has copies"
              + " of a part of it. Waits a minute for brokers that do not answer. For trying out:"
              + " embedded, a broker in this process.")
  private @Nullable String brokers;

  @Option(
      names = "--cluster-name",
      paramLabel = "NAME",
      defaultValue = "reprise",
      description =
          "The name of the cluster, with which the names of its topics, ids and group begin."
              + " Default: ${DEFAULT-VALUE}.")
  private String name = "";

  @Option(
      names = "--cluster-properties",
      paramLabel = "FILE",
      description =
          "Settings of Kafka's clients under their own names, such as security.protocol and"
              + " sasl.jaas.config; those that a node depends on cannot be changed.")
  private @Nullable Path properties;

  @Option(
      names = "--node",
      paramLabel = "NAME",
      description = "The name of this node, which no other has. Default: the name of the machine.")
  private @Nullable String node;

  @Option(
      names = "--node-url",
      paramLabel = "URL",
      description =
          "Where other nodes reach the API of this one, such as https://10.0.0.3:8080. A node"
              + " whose URL is https sends nothing to one whose URL is not. Default: http, or https"
              + " with --tls-certificate, --host and --port.")
  private @Nullable String nodeUrl;

  @Option(
      names = "--node-ca",
      paramLabel = "FILE",
      description =
          "Trust the certificates of other nodes if the authorities in this file, in PEM, have"
              + " issued them. Default: the authorities that Java trusts.")
  private @Nullable Path nodeAuthority;

  @Option(
      names = "--replication",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "On how many brokers a new cluster has each record; 1 if there is one only. Default:"
              + " ${DEFAULT-VALUE}.")
  private short replication;

  @Option(
      names = "--followers",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "How many other nodes keep a copy of each shard, so that one of them takes over at once."
              + " Default: ${DEFAULT-VALUE}.")
  private int followers;

  @Option(
      names = "--session",
      paramLabel = "SPAN",
      defaultValue = "6s",
      description =
          "After how long a node that is not heard of has lost its shards; the brokers bound it."
              + " Default: ${DEFAULT-VALUE}.")
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
      requireAbsent("node", node);
      requireAbsent("node-url", nodeUrl);
      requireAbsent("node-ca", nodeAuthority);
      requireAbsent("cluster-properties", properties);
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
      String address = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
      url = (tls ? "https://" : "http://") + address + ":" + port;
    } else if (tls && !url.startsWith("https://")) {
      throw new InvalidSettingException(
          "node-url", url, "must begin with https:// where --tls-certificate is given");
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

  /** The file with the authorities of other nodes' certificates; null for those of Java. */
  @Nullable Path nodeAuthority() {
    return nodeAuthority;
  }

  private static void requireAbsent(String option, @Nullable Object value) {
    if (value != null) {
      throw new InvalidSettingException(option, value, "must be absent without --cluster");
    }
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
    clients.put(ClusterSettings.CLIENTS_FILE, file.toAbsolutePath().toString());
    return clients;
  }
}
