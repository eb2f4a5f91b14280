package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster at a glance, as one node sees it.
 *
 * @param clustered whether there is one; a single service has no nodes and no shards here
 * @param name of the cluster; absent if there is none
 * @param answeredBy the node that was asked; absent if there is no cluster
 * @param healthy whether all nodes answer, are well, and every shard is at work and takes
 *     everything in
 * @param nodes by name
 * @param shards by number
 */
public record ClusterDocument(
    boolean clustered,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String name,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String answeredBy,
    boolean healthy,
    List<Node> nodes,
    List<Shard> shards) {
  /**
   * A node.
   *
   * @param url where the others reach it
   * @param problem why it does not answer, or what is wrong with it; null if nothing is
   * @param figures null for one that does not answer
   */
  public record Node(
      String name,
      String url,
      @Nullable String problem,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Figures figures) {}

  /**
   * The figures of a node.
   *
   * @param version the version that runs there
   * @param owned how many shards are given to it
   * @param followed of how many it keeps a copy
   * @param maxLag how many records the copy lacks that is behind most; null if that is not known
   * @param clockOffMillis by how much its clock is certainly ahead of the brokers'; less than 0 if
   *     it is behind
   * @param takeovers how many shards it has taken over since it was started
   * @param lastTakeoverMillis how long the last one took; null before the first
   * @param lostShards how many it has lost since then
   * @param commits how many transactions the brokers took of it since then
   * @param commitMillis how long one takes on average; null before the first
   */
  public record Figures(
      String version,
      int owned,
      int followed,
      @Nullable Long maxLag,
      long clockOffMillis,
      long takeovers,
      @Nullable Long lastTakeoverMillis,
      long lostShards,
      long commits,
      @Nullable Double commitMillis) {}

  /**
   * A shard.
   *
   * @param owner the node that the group has given it to; null if there is none
   * @param state {@code running}, {@code taking-over}, {@code lost}, {@code unowned}, or {@code
   *     unknown} if its owner does not answer
   * @param leaseHeld whether it may start attempts just now: one that has none to start lets its
   *     lease run out
   * @param problem why something is not taken in for it, such as a record at which it stands;
   *     absent if everything is
   * @param followers those that keep a copy
   */
  public record Shard(
      int shard,
      @Nullable String owner,
      String state,
      boolean leaseHeld,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String problem,
      List<Follower> followers) {}

  /**
   * A node that keeps a copy of a shard.
   *
   * @param lag how many records the copy lacks; null if that is not known
   */
  public record Follower(String node, @Nullable Long lag) {}
}
