package dev.reprise.server.nodes;

import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.log.ShardBacklog;
import dev.reprise.cluster.ownership.NodeState;
import dev.reprise.server.document.ClusterDocument;
import dev.reprise.server.document.NodeDocument;
import dev.reprise.server.document.NodeDocument.Backlog;
import dev.reprise.server.document.NotTakenDocument;
import dev.reprise.server.http.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The shards as their owners report them, or, without an owner, as the nodes do that have a copy of
 * one. Every list of shards that stand comes from here.
 *
 * @param map the owners
 * @param nodes those that have answered
 */
record ShardReports(ShardMap map, Map<ShardMap.Node, NodeDocument> nodes) {
  /** Returns a shard's backlog as a node reports it. */
  static Backlog of(int shard, ShardBacklog backlog) {
    return new Backlog(
        notTaken(backlog),
        time(backlog.turnMillis()),
        backlog.sentence(shard),
        backlog.problem(),
        time(backlog.sinceMillis()));
  }

  private static NotTakenDocument notTaken(ShardBacklog backlog) {
    return backlog.notTaken() < 0
        ? NotTakenDocument.UNKNOWN
        : new NotTakenDocument(backlog.notTaken(), time(backlog.oldestMillis()), backlog.atLeast());
  }

  private static @Nullable String time(long millis) {
    return millis <= 0 ? null : Times.text(millis);
  }

  /** Returns what all shards of a node have not taken together. */
  static NotTakenDocument notTaken(NodeState state) {
    NotTakenDocument sum = new NotTakenDocument(0L, null, false);
    for (NodeState.Owned each : state.owned()) {
      sum = sum.plus(notTaken(each.backlog()));
    }
    return sum;
  }

  /** Returns a line for each shard that this node reports, if it stands. */
  static List<String> standing(NodeState state, boolean tellsOfUnowned) {
    List<String> lines = new ArrayList<>();
    for (NodeState.Owned each : state.owned()) {
      String sentence = each.backlog().sentence(each.shard());
      if (sentence != null) {
        lines.add(sentence);
      }
    }
    if (tellsOfUnowned) {
      for (NodeState.Unowned each : state.unowned()) {
        String sentence = each.backlog().sentence(each.shard());
        if (sentence != null) {
          lines.add(sentence);
        }
      }
    }
    return lines;
  }

  /** Returns a shard as its owner has it; null if there is no owner, or it has not answered. */
  NodeDocument.@Nullable Owned owned(int shard) {
    ShardMap.Node owner = shard < map.shards() ? map.owner(shard) : null;
    NodeDocument ofOwner = owner == null ? null : nodes.get(owner);
    if (ofOwner != null) {
      for (NodeDocument.Owned each : ofOwner.owned()) {
        if (each.shard() == shard) {
          return each;
        }
      }
    }
    return null;
  }

  /** Returns whether it is known that a shard has no owner. */
  boolean isUnowned(int shard) {
    ShardMap.Node owner = shard < map.shards() ? map.owner(shard) : null;
    return owner == null || (nodes.containsKey(owner) && owned(shard) == null);
  }

  /** Returns what a shard has not taken, as far as it is known. */
  Backlog backlog(int shard) {
    NodeDocument.Owned owned = owned(shard);
    if (owned != null) {
      Backlog told = owned.backlog();
      return told == null ? Backlog.UNKNOWN : told;
    }
    Backlog best = Backlog.UNKNOWN;
    if (isUnowned(shard)) {
      for (NodeDocument node : nodes.values()) {
        for (NodeDocument.Unowned each : node.unowned()) {
          Backlog told = each.backlog();
          if (each.shard() == shard && told != null && isBetter(told, best)) {
            best = told;
          }
        }
      }
    }
    return best;
  }

  /** The copy that is behind least knows best: all that it lacks counts as not taken. */
  private static boolean isBetter(Backlog told, Backlog best) {
    Long records = told.notTaken().records();
    Long fewest = best.notTaken().records();
    return fewest == null
        ? records != null || best.problem() == null
        : records != null && records < fewest;
  }

  /**
   * A shard that stands.
   *
   * @param node its owner; null if there is none
   * @param since when that was first seen; null if it is not known
   * @param text the sentence for people
   */
  record Stands(int shard, @Nullable String node, @Nullable String since, String text) {}

  /** Returns the shards that stand. */
  List<Stands> stands() {
    List<Stands> all = new ArrayList<>();
    for (int shard = 0; shard < map.shards(); shard++) {
      Backlog backlog = backlog(shard);
      String sentence = backlog.standing();
      if (sentence != null) {
        ShardMap.Node owner = map.owner(shard);
        all.add(new Stands(shard, owner == null ? null : owner.name(), backlog.since(), sentence));
      }
    }
    return all;
  }

  /** Returns the shards that stand, as the API shows them. */
  List<ClusterDocument.Standing> standing() {
    return stands().stream()
        .map(each -> new ClusterDocument.Standing(each.shard(), each.text()))
        .toList();
  }
}
