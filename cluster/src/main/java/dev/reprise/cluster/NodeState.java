package dev.reprise.cluster;

import java.util.List;

/**
 * A node, as it sees itself.
 *
 * @param owned the shards that the group has given to it, at work or on their way in
 * @param followed the shards of which it keeps a copy
 * @param clockOffMillis by how much its clock is certainly ahead of the brokers'; less than 0 if it
 *     is behind
 */
public record NodeState(List<Owned> owned, List<Followed> followed, long clockOffMillis) {
  /** Copies the lists. */
  public NodeState {
    owned = List.copyOf(owned);
    followed = List.copyOf(followed);
  }

  /** The phase of a shard that the group has given to a node. */
  public enum Phase {
    /** Its last owner is fenced, and the copy is brought up to date. */
    TAKING_OVER,
    /** It is at work. */
    RUNNING,
    /** It can do nothing more here, until the group has agreed anew. */
    LOST
  }

  /**
   * A shard that the group has given to the node.
   *
   * @param leaseHeld whether it may start attempts just now; one that has none to start lets its
   *     lease run out, and renews it first
   */
  public record Owned(int shard, Phase phase, boolean leaseHeld) {}

  /**
   * A shard of which the node keeps a copy.
   *
   * @param lag how many records of its log the copy lacks; -1 as long as that is not known
   */
  public record Followed(int shard, long lag) {}
}
