package dev.reprise.cluster;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

  /** The same with what else is wrong with shards, by number. */
  NodeState withTroubles(Map<Integer, String> troubles) {
    List<Owned> all = owned.stream().map(each -> each.with(troubles.get(each.shard()))).toList();
    return new NodeState(all, followed, clockOffMillis);
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
   * @param trouble why something is not taken in for it, on one line; null if all is
   */
  public record Owned(int shard, Phase phase, boolean leaseHeld, @Nullable String trouble) {
    private Owned with(@Nullable String another) {
      return another == null
          ? this
          : new Owned(
              shard, phase, leaseHeld, trouble == null ? another : trouble + "; " + another);
    }
  }

  /**
   * A shard of which the node keeps a copy.
   *
   * @param lag how many records of its log the copy lacks; -1 as long as that is not known
   */
  public record Followed(int shard, long lag) {}
}
