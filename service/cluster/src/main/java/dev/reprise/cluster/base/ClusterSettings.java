package dev.reprise.cluster.base;

import dev.reprise.common.text.WrongUrl;
import dev.reprise.core.InvalidSettingException;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The settings of a node of a cluster.
 *
 * @param brokers the brokers to begin with, as {@code HOST:PORT,…}; {@link #EMBEDDED} for one that
 *     the caller starts in this process
 * @param prefix what the names of topics, ids and the group begin with, 1 to 100 letters, digits
 *     and {@code - _}; clusters with different prefixes do not know each other
 * @param node the name of this node, 1 to 100 letters, digits and {@code - _ .}; no other has it
 * @param url where other nodes reach the API of this one, such as {@code http://10.0.0.3:8080};
 *     empty if it has none
 * @param clients settings for all clients of Kafka, such as those of security, under Kafka's names
 * @param shards how many shards a new cluster gets, 1 to 1,024; an existing one keeps its own
 * @param replication on how many brokers each record of a new cluster is, from 1; 3 for production
 * @param followers how many other nodes keep a copy of each shard, from 0
 * @param session after how long a node that sends nothing has lost its shards, from 1 s; the
 *     brokers bound it by {@code group.min.session.timeout.ms}, 6 s by default
 * @param lease for how long after its last confirmed turn a shard may start attempts, from 100 ms
 * @param standsAfter how long records that were accepted may wait for a shard that takes none until
 *     that is reported, from 1 s
 */
public record ClusterSettings(
    String brokers,
    String prefix,
    String node,
    String url,
    Map<String, String> clients,
    int shards,
    short replication,
    int followers,
    Duration session,
    Duration lease,
    Duration standsAfter) {
  /** In place of brokers: one in this process, for trying out. */
  public static final String EMBEDDED = "embedded";

  /** In the settings of clients: the file that they were read from, which Kafka is not given. */
  public static final String CLIENTS_FILE = "reprise.clients.file";

  private static final Pattern BROKERS =
      Pattern.compile(
          "(?:\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+):[0-9]{1,5}"
              + "(?:,(?:\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+):[0-9]{1,5})*");
  private static final Pattern URL =
      Pattern.compile("https?://(?:\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(?::[0-9]{1,5})?");
  private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9_-]{1,100}");
  private static final Pattern NODE = Pattern.compile("[A-Za-z0-9_.-]{1,100}");

  /** Checks the ranges. */
  public ClusterSettings {
    clients = Map.copyOf(clients);
    if (!brokers.equals(EMBEDDED) && !BROKERS.matcher(brokers).matches()) {
      throw new InvalidSettingException(
          "cluster",
          WrongUrl.shown(brokers),
          "must be HOST:PORT of a broker, or of several, separated by commas");
    }
    if (!url.isEmpty() && !URL.matcher(url).matches()) {
      throw new InvalidSettingException(
          "node-url", WrongUrl.shown(url), "must be such as https://10.0.0.3:8080, without a path");
    }
    if (replication < 1) {
      throw new InvalidSettingException("replication", replication, "must be 1 or more");
    }
    if (!PREFIX.matcher(prefix).matches()) {
      throw new InvalidSettingException(
          "cluster-name", prefix, "must be 1 to 100 letters, digits and - _");
    }
    if (!NODE.matcher(node).matches()) {
      throw new InvalidSettingException("node", node, "must be 1 to 100 letters, digits and - _ .");
    }
    if (followers < 0) {
      throw new InvalidSettingException("followers", followers, "must be 0 or more");
    }
    if (session.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new InvalidSettingException("session", session, "must be at least PT1S");
    }
    if (lease.compareTo(Duration.ofMillis(100)) < 0) {
      throw new InvalidSettingException("lease", lease, "must be at least PT0.1S");
    }
    if (standsAfter.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new InvalidSettingException("standsAfter", standsAfter, "must be at least PT1S");
    }
  }

  /** Settings of a node that after a minute reports a shard that takes nothing. */
  public ClusterSettings(
      String brokers,
      String prefix,
      String node,
      String url,
      Map<String, String> clients,
      int shards,
      short replication,
      int followers,
      Duration session,
      Duration lease) {
    this(
        brokers,
        prefix,
        node,
        url,
        clients,
        shards,
        replication,
        followers,
        session,
        lease,
        Duration.ofMinutes(1));
  }

  /** The usual settings of a node: 16 shards, three copies of each record, one follower. */
  public static ClusterSettings of(String brokers, String node, String url) {
    return new ClusterSettings(
        brokers,
        "reprise",
        node,
        url,
        Map.of(),
        16,
        (short) 3,
        1,
        Duration.ofSeconds(6),
        Duration.ofSeconds(1));
  }

  /** Returns the same settings over other brokers. */
  public ClusterSettings withBrokers(String other) {
    return new ClusterSettings(
        other,
        prefix,
        node,
        url,
        clients,
        shards,
        replication,
        followers,
        session,
        lease,
        standsAfter);
  }
}
