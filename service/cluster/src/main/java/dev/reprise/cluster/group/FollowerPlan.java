package dev.reprise.cluster.group;

import static dev.reprise.cluster.group.ShardMap.NOBODY;

import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The nodes that are to copy each shard besides its owner. Members with a copy go on with it, the
 * freshest first, as long as the work is spread evenly enough.
 */
final class FollowerPlan {
  private final List<GroupMember> members;
  private final OwnerPlan owners;
  private final int shards;

  /** The number of followers that each shard is to have. */
  private final int wanted;

  /** The number of shards that a member follows unless no other can. */
  private final int limit;

  /** For each member the shards that it follows. */
  private final List<BitSet> followed;

  private final int[] loads;

  /**
   * The number of shards of each member that each other one follows: what was a dead node's goes to
   * many.
   */
  private final int[][] pairs;

  FollowerPlan(List<GroupMember> members, OwnerPlan owners, int shards, int followers) {
    this.members = members;
    this.owners = owners;
    this.shards = shards;
    int nodes = (int) members.stream().map(GroupMember::name).distinct().count();
    wanted = Math.min(followers, nodes - 1);
    limit = (shards * wanted + members.size() - 1) / members.size() + 1;
    followed = members.stream().map(member -> new BitSet(shards)).toList();
    loads = new int[members.size()];
    pairs = new int[members.size()][members.size()];
    keepCopies();
    fill();
    relieve();
  }

  /** Returns the shards that a member is to follow, in ascending order. */
  List<Integer> followed(int member) {
    return followed.get(member).stream().boxed().toList();
  }

  private void keepCopies() {
    IntStream.range(0, shards)
        .boxed()
        .sorted(Comparator.comparingInt(shard -> GroupMember.holders(members, shard).size()))
        .forEach(this::keepCopies);
  }

  private void keepCopies(int shard) {
    List<Integer> freshestFirst =
        GroupMember.holders(members, shard).stream()
            .sorted(
                Comparator.<Integer>comparingLong(member -> -members.get(member).copiedTo(shard))
                    .thenComparingInt(member -> loads[member]))
            .toList();
    for (int member : freshestFirst) {
      if (missing(shard) > 0 && loads[member] < limit && mayFollow(member, shard, NOBODY)) {
        follow(member, shard);
      }
    }
  }

  /** Gives the shards that lack followers to the members that follow fewest. */
  private void fill() {
    for (int shard = 0; shard < shards; shard++) {
      int[] withOwner = pairs[owners.owner(shard)];
      while (missing(shard) > 0) {
        int lacking = shard;
        IntStream.range(0, members.size())
            .filter(member -> mayFollow(member, lacking, NOBODY))
            .boxed()
            .min(
                Comparator.<Integer>comparingInt(member -> loads[member])
                    .thenComparingInt(member -> withOwner[member]))
            .ifPresent(member -> follow(member, lacking));
      }
    }
  }

  /** Takes shards from members above the limit: filling had no choice where others kept copies. */
  private void relieve() {
    for (int from = 0; from < members.size(); from++) {
      for (int excess = loads[from] - limit; excess > 0; excess--) {
        bestMove(from).ifPresent(this::apply);
      }
    }
  }

  private record Move(int shard, int from, int to) {}

  private Optional<Move> bestMove(int from) {
    return followed.get(from).stream()
        .boxed()
        .flatMap(shard -> movesOf(shard, from))
        .min(
            Comparator.<Move>comparingInt(move -> members.get(move.to).holds(move.shard) ? 0 : 1)
                .thenComparingInt(move -> loads[move.to]));
  }

  private Stream<Move> movesOf(int shard, int from) {
    return IntStream.range(0, members.size())
        .filter(to -> loads[to] < limit && mayFollow(to, shard, from))
        .mapToObj(to -> new Move(shard, from, to));
  }

  private void apply(Move move) {
    followed.get(move.from).clear(move.shard);
    loads[move.from]--;
    pairs[owners.owner(move.shard)][move.from]--;
    follow(move.to, move.shard);
  }

  private void follow(int member, int shard) {
    followed.get(member).set(shard);
    loads[member]++;
    pairs[owners.owner(shard)][member]++;
  }

  private int missing(int shard) {
    int followers = 0;
    for (BitSet shardsOfMember : followed) {
      followers += shardsOfMember.get(shard) ? 1 : 0;
    }
    return wanted - followers;
  }

  /** Tells whether a node has no part in a shard yet, apart from a follower that it may replace. */
  private boolean mayFollow(int member, int shard, int instead) {
    for (int other = 0; other < members.size(); other++) {
      boolean takesPart =
          other == owners.owner(shard) || (other != instead && followed.get(other).get(shard));
      if (takesPart && members.get(member).isOnNodeOf(members.get(other))) {
        return false;
      }
    }
    return true;
  }
}
