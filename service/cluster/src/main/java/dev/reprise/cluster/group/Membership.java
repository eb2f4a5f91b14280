package dev.reprise.cluster.group;

import java.util.List;

/** Connects the consumer of a node, which is a member of the group, with the node. */
public interface Membership {
  /** Returns what the group is to know of this node; asked whenever the member joins anew. */
  MemberInfo self();

  /**
   * Receives what the group agreed on. Shards that this node gives up are revoked by then; those
   * that it takes over are handed to the consumer's listener afterwards.
   *
   * @param map all nodes and the owners of the shards
   * @param followed the shards that this node copies without owning them, in ascending order
   */
  void assigned(ShardMap map, List<Integer> followed);
}
