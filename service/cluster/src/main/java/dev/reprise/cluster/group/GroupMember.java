package dev.reprise.cluster.group;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A member of the group as its leader sees it.
 *
 * @param id the id that Kafka gave it
 * @param info what it has sent of itself
 * @param claims the shards that it claims to own
 * @param generation the generation of the group in which it was given them
 */
record GroupMember(String id, MemberInfo info, List<Integer> claims, int generation) {
  /** The order in which members are considered, the same whichever node leads the group. */
  static final Comparator<GroupMember> ORDER =
      Comparator.comparing(GroupMember::name).thenComparing(GroupMember::id);

  String name() {
    return info.name();
  }

  boolean holds(int shard) {
    return info.copies().containsKey(shard);
  }

  /** Returns the offset up to which the member has copied a shard; -1 if it has no copy. */
  long copiedTo(int shard) {
    return info.copies().getOrDefault(shard, -1L);
  }

  /** Tells whether two members are one node, as when a node restarts before its session ended. */
  boolean isOnNodeOf(GroupMember other) {
    return name().equals(other.name());
  }

  /** Returns the indexes of the members that have a copy of a shard, in the members' order. */
  static List<Integer> holders(List<GroupMember> members, int shard) {
    return IntStream.range(0, members.size())
        .filter(member -> members.get(member).holds(shard))
        .boxed()
        .toList();
  }
}
