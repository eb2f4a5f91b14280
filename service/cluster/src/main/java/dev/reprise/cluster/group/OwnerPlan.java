package dev.reprise.cluster.group;

import static dev.reprise.cluster.group.ShardMap.NOBODY;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The members that are to own each shard. Members keep what they own up to a fair share; the rest
 * goes to members below their share, those with the freshest copies first.
 */
final class OwnerPlan {
  private final List<GroupMember> members;

  /** For each shard the member that owns it as the round begins. */
  private final int[] before;

  /** For each shard the member that is to own it. */
  private final int[] after;

  private final boolean[] claimed;
  private final int[] loads;
  private final int share;

  /** For each member how many shards it may own: the share or one more. */
  private final int[] limits;

  /** The number of members that may still own one more than the share. */
  private int larger;

  OwnerPlan(List<GroupMember> members, int shards) {
    this.members = members;
    before = new int[shards];
    claimed = new boolean[shards];
    loads = new int[members.size()];
    share = shards / members.size();
    larger = shards % members.size();
    limits = new int[members.size()];
    Arrays.fill(limits, share);
    settleClaims();
    after = before.clone();
    distribute();
  }

  /** Returns the index of the member that is to own a shard. */
  int owner(int shard) {
    return after[shard];
  }

  /**
   * Tells whether a shard stays without owner for this round, because a member may still work on
   * it. Losing it makes that member join again, and the next round hands the shard over.
   */
  boolean isWithheld(int shard) {
    return claimed[shard] && before[shard] != after[shard];
  }

  private void settleClaims() {
    Arrays.fill(before, NOBODY);
    int[] generations = new int[before.length];
    for (int member = 0; member < members.size(); member++) {
      int generation = members.get(member).generation();
      for (int shard : members.get(member).claims()) {
        if (!claimed[shard] || generation > generations[shard]) {
          before[shard] = member;
          generations[shard] = generation;
        } else if (generation == generations[shard]) {
          before[shard] = NOBODY;
        }
        claimed[shard] = true;
      }
    }
    for (int member : before) {
      if (member != NOBODY) {
        loads[member]++;
      }
    }
  }

  private void distribute() {
    raiseLimits();
    IntStream.range(0, after.length)
        .filter(shard -> after[shard] == NOBODY)
        .boxed()
        .sorted(Comparator.comparingInt(shard -> GroupMember.holders(members, shard).size()))
        .forEach(this::giveToHolder);
    for (int member = 0; member < loads.length; member++) {
      shed(member);
    }
    for (int shard = 0; shard < after.length; shard++) {
      if (after[shard] == NOBODY) {
        give(shard, leastLoaded());
      }
    }
  }

  /** Lets those that own most keep one above the share, as many as the remainder allows. */
  private void raiseLimits() {
    List<Integer> above =
        IntStream.range(0, loads.length)
            .filter(member -> loads[member] > share)
            .boxed()
            .sorted(Comparator.comparingInt(member -> -loads[member]))
            .limit(larger)
            .toList();
    above.forEach(this::raiseLimit);
  }

  private void raiseLimit(int member) {
    limits[member]++;
    larger--;
  }

  /**
   * Takes from a member what it owns above its limit, first what others have a copy of; the first
   * shard at last, because its owner has the catalog as well.
   */
  private void shed(int member) {
    for (int shard = after.length - 1; shard >= 0 && loads[member] > limits[member]; shard--) {
      if (after[shard] == member && giveToHolder(shard)) {
        loads[member]--;
      }
    }
    for (int shard = after.length - 1; shard >= 0 && loads[member] > limits[member]; shard--) {
      if (after[shard] == member) {
        after[shard] = NOBODY;
        loads[member]--;
      }
    }
  }

  /** Gives a shard to the member below its share that has the freshest copy, if any has one. */
  private boolean giveToHolder(int shard) {
    Optional<Integer> holder =
        GroupMember.holders(members, shard).stream()
            .filter(this::hasRoom)
            .min(
                Comparator.<Integer>comparingLong(member -> -members.get(member).copiedTo(shard))
                    .thenComparingInt(member -> loads[member]));
    holder.ifPresent(member -> give(shard, member));
    return holder.isPresent();
  }

  private boolean hasRoom(int member) {
    return loads[member] < limits[member] || (loads[member] == share && larger > 0);
  }

  private void give(int shard, int member) {
    if (loads[member] == share) {
      raiseLimit(member);
    }
    after[shard] = member;
    loads[member]++;
  }

  private int leastLoaded() {
    int least = 0;
    for (int member = 1; member < loads.length; member++) {
      if (loads[member] < loads[least]) {
        least = member;
      }
    }
    return least;
  }
}
