package dev.reprise.cluster.ownership;

import dev.reprise.cluster.log.ShardBacklog;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node, as it sees itself.
 *
 * @param owned the shards that the group has given to it, at work or on their way in
 * @param followed the shards of which it keeps a copy
 * @param unowned the shards without an owner, as this node sees them
 * @param clockOffMillis by how much its clock is certainly ahead of the brokers'; less than 0 if it
 *     is behind
 */
public record NodeState(
    List<Owned> owned, List<Followed> followed, List<Unowned> unowned, long clockOffMillis) {
  /** Copies the lists. */
  public NodeState {
    owned = List.copyOf(owned);
    followed = List.copyOf(followed);
    unowned = List.copyOf(unowned);
  }

  /** The phase of a shard that the group has given to a node. */
  public enum Phase {
    /** Its last owner is fenced, and the copy is brought up to date. */
    TAKING_OVER,
    /** It is at work. */
    RUNNING,
    /** It would be at work, but the brokers do not answer this node, or do not take its turn. */
    WAITING_FOR_BROKERS,
    /** It can do nothing more here, until the group has agreed anew. */
    LOST
  }

  /**
   * A shard that the group has given to the node.
   *
   * @param leaseHeld whether it may start attempts just now; one that has none to start lets its
   *     lease run out, and renews it first
   */
  public record Owned(int shard, Phase phase, boolean leaseHeld, ShardBacklog backlog) {
    /** Returns why something is not taken in for a shard at work, on one line; null if all is. */
    public @Nullable String trouble() {
      return phase == Phase.RUNNING ? backlog.problem() : null;
    }
  }

  /**
   * A shard without an owner.
   *
   * @param backlog what waits for it, by this node's copy of the shard, which may be behind: so it
   *     is as much as that at the most
   */
  public record Unowned(int shard, ShardBacklog backlog) {}

  /**
   * A shard of which the node keeps a copy.
   *
   * @param lag how many records of its log the copy lacks; -1 as long as that is not known
   */
  public record Followed(int shard, long lag) {}
}
