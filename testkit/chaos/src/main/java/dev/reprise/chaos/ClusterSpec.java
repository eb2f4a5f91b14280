package dev.reprise.chaos;

import dev.reprise.fixtures.StartedProcess;
import java.time.Duration;
import java.util.List;

/**
 * The options that all nodes of a cluster are started with.
 *
 * @param brokers their addresses, as {@code --cluster} has them
 * @param name what the names of the topics begin with
 * @param shards how many a new cluster gets
 * @param replication on how many brokers each record is
 * @param followers how many other nodes have a copy of each shard
 * @param session after how long a silent node has lost its shards
 * @param flags of the virtual machine
 * @param options more options of {@code serve}
 */
public record ClusterSpec(
    String brokers,
    String name,
    int shards,
    int replication,
    int followers,
    Duration session,
    List<String> flags,
    List<String> options) {
  /** Those of a small cluster, whose nodes live for a minute or so. */
  public static ClusterSpec of(String brokers, String name, int replication) {
    return new ClusterSpec(
        brokers,
        name,
        4,
        replication,
        1,
        Duration.ofSeconds(6),
        StartedProcess.quick("-Xmx256m"),
        List.of("--dev"));
  }

  /** The same with another number of shards. */
  public ClusterSpec withShards(int wanted) {
    return new ClusterSpec(brokers, name, wanted, replication, followers, session, flags, options);
  }

  /** The same with another number of followers. */
  public ClusterSpec withFollowers(int wanted) {
    return new ClusterSpec(brokers, name, shards, replication, wanted, session, flags, options);
  }

  /** The same with other flags of the virtual machine. */
  public ClusterSpec withFlags(String... wanted) {
    return new ClusterSpec(
        brokers, name, shards, replication, followers, session, List.of(wanted), options);
  }

  /** The same with other options of {@code serve} beside those of the cluster. */
  public ClusterSpec withOptions(String... wanted) {
    return new ClusterSpec(
        brokers, name, shards, replication, followers, session, flags, List.of(wanted));
  }

  /** Returns the name of one of the cluster's topics, such as {@code events}. */
  public String topic(String part) {
    return name + "." + part;
  }
}
