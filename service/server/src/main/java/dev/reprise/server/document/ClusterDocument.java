package dev.reprise.server.document;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.reprise.server.schema.Described;
import dev.reprise.server.schema.Kind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The cluster at a glance, as one node sees it.
 *
 * @param nodes by name
 * @param shards by number
 */
@Described(name = "Cluster")
public record ClusterDocument(
    @Described("False of a single service.") boolean clustered,
    @Described("The name of the cluster.") @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String name,
    @Described("The node that was asked.") @JsonInclude(JsonInclude.Include.NON_NULL)
        @Nullable String answeredBy,
    @Described(
            "Whether all nodes answer and are well, and every shard is at work and takes"
                + " what is accepted for it.")
        boolean healthy,
    List<Node> nodes,
    List<Shard> shards,
    @Described("The shards that stand.") List<Standing> standing) {
  /** The result of acknowledging what was lost. */
  @Described(name = "Acknowledged")
  public record Acknowledged(
      @Described("Whether there was a loss that had not been acknowledged.")
          boolean acknowledged) {}

  /** A node. */
  @Described(name = "ClusterNode")
  public record Node(
      String name,
      @Described("Where the other nodes reach it.") String url,
      @Described(value = "Why it does not answer, or what is wrong with it.", orNull = true)
          @Nullable String problem,
      @Described("Absent if it does not answer. Counts are those since it was started.")
          @JsonInclude(JsonInclude.Include.NON_NULL)
          @Nullable Figures figures) {}

  /**
   * The figures of a node.
   *
   * @param version the version that runs there
   */
  public record Figures(
      String version,
      @Described("How many shards are given to it.") int owned,
      @Described("Of how many shards it keeps a copy.") int followed,
      @Described(
              value =
                  "How many records the copy lacks that is behind most; null if that is not known"
                      + " yet.",
              orNull = true)
          @Nullable Long maxLag,
      @Described(
              value =
                  "By how much its clock is certainly ahead of the brokers'; less than 0 if it is"
                      + " behind. Beyond 10,000 it owns nothing.",
              signed = true)
          long clockOffMillis,
      @Described("How many shards it has taken over.") long takeovers,
      @Described(value = "How long the last take-over took.", orNull = true)
          @Nullable Long lastTakeoverMillis,
      @Described("How many shards it has lost without giving them back.") long lostShards,
      @Described("How many transactions the brokers took of it.") long commits,
      @Described(value = "How long one takes on average.", orNull = true)
          @Nullable Double commitMillis,
      @Described("What its shards have not taken together, as far as that is known.")
          NotTakenDocument notTaken) {
    /** Replaces what is absent by what is not known. */
    @SuppressWarnings("NullAway") // JSON may lack anything
    public Figures {
      notTaken = notTaken == null ? NotTakenDocument.UNKNOWN : notTaken;
    }
  }

  /** A shard. */
  @Described(name = "ClusterShard")
  public record Shard(
      @Described("Its number, from 0. The owner of the first one has the catalog.") int shard,
      @Described(value = "The node that the group has given it to.", orNull = true)
          @Nullable String owner,
      @Described(
              value =
                  "waiting-for-brokers if the brokers do not answer its owner, or do not take its"
                      + " turn; unknown if its owner does not answer.",
              oneOf = "running, waiting-for-brokers, taking-over, lost, unowned, unknown")
          String state,
      @Described(
              "Whether it may start attempts just now. One that has none to start lets its"
                  + " lease run out, and renews it first.")
          boolean leaseHeld,
      @Described("The nodes that keep a copy.") List<Follower> followers,
      @Described(
              "What was accepted for it and it has not taken. If no node owns it, an upper"
                  + " bound, by the copy that is behind least.")
          NotTakenDocument notTaken,
      @Described(
              value = "Since when a turn of it is not committed; null if none is under way.",
              kind = Kind.TIME,
              orNull = true)
          @Nullable String turnSince,
      @Described(
              value = "Why it is not at work, or takes nothing; null if nothing is wrong or known.",
              orNull = true)
          @Nullable String problem,
      @Described(
              value =
                  "Since when that is so, as far as its node has seen it; of a shard that stands,"
                      + " when the oldest record that it has not taken was appended.",
              kind = Kind.TIME,
              orNull = true)
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

  /** A shard that stands. */
  @Described(
      name = "StandingShard",
      value = "A shard that has taken nothing for a minute or more, although something waits.")
  public record Standing(
      int shard,
      @Described(
              "How much waits, since when and why, for people: the same words as in the log,"
                  + " in /health/ready and of the command cluster.")
          String text) {}

  /** A node that keeps a copy of a shard. */
  public record Follower(
      String node,
      @Described(
              value = "How many records the copy lacks; null if that is not known yet.",
              orNull = true)
          @Nullable Long lag) {}
}
