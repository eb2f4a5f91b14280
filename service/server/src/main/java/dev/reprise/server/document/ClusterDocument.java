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
 * @param healthy whether all nodes answer, are well, and every shard is at work and takes what is
 *     accepted for it
 * @param nodes by name
 * @param shards by number
 * @param standing the shards that have taken nothing for a minute or more, although something waits
 */
public record ClusterDocument(
    boolean clustered,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String name,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String answeredBy,
    boolean healthy,
    List<Node> nodes,
    List<Shard> shards,
    List<Standing> standing) {
  /**
   * The result of acknowledging what was lost.
   *
   * @param acknowledged whether there was a loss that was not acknowledged yet
   */
  public record Acknowledged(boolean acknowledged) {}

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
   * @param notTaken what its shards have not taken
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
      @Nullable Double commitMillis,
      NotTakenDocument notTaken) {
    /** Replaces what is absent by what is not known. */
    @SuppressWarnings("NullAway") // JSON may lack anything
    public Figures {
      notTaken = notTaken == null ? NotTakenDocument.UNKNOWN : notTaken;
    }
  }

  /**
   * A shard.
   *
   * @param owner the node that the group has given it to; null if there is none
   * @param state {@code running}, {@code waiting-for-brokers}, {@code taking-over}, {@code lost},
   *     {@code unowned}, or {@code unknown} if its owner does not answer
   * @param leaseHeld whether it may start attempts just now: one that has none to start lets its
   *     lease run out
   * @param followers those that keep a copy
   * @param notTaken what was accepted for it, and it has not taken
   * @param turnSince since when a turn of it is not committed, in RFC 3339; null if none is under
   *     way
   * @param problem why it is not at work, or takes nothing; null if nothing is wrong or known
   * @param since when that was first seen, in RFC 3339; null if nothing is wrong or known
   */
  public record Shard(
      int shard,
      @Nullable String owner,
      String state,
      boolean leaseHeld,
      List<Follower> followers,
      NotTakenDocument notTaken,
      @Nullable String turnSince,
      @Nullable String problem,
      @Nullable String since) {
    /** Replaces what is absent by what is not known, and empty texts by none. */
    @SuppressWarnings("NullAway") // JSON may lack anything
    public Shard {
      notTaken = notTaken == null ? NotTakenDocument.UNKNOWN : notTaken;
      turnSince = turnSince == null || turnSince.isEmpty() ? null : turnSince;
      problem = problem == null || problem.isEmpty() ? null : problem;
      since = since == null || since.isEmpty() ? null : since;
    }
  }

  /**
   * A shard that stands.
   *
   * @param text how much waits, since when and why, for people
   */
  public record Standing(int shard, String text) {}

  /**
   * A node that keeps a copy of a shard.
   *
   * @param lag how many records the copy lacks; null if that is not known
   */
  public record Follower(String node, @Nullable Long lag) {}
}
