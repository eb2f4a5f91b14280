package dev.reprise.server.nodes;

import dev.reprise.cluster.base.BrokerClocks;
import dev.reprise.cluster.group.ShardMap;
import dev.reprise.server.document.NodeDocument;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts what is wrong with a node into one sentence for operators. */
final class NodeProblems {
  /** Nodes in the order of their names; two of one name are two all the same. */
  static final Comparator<ShardMap.Node> ORDER =
      Comparator.comparing(ShardMap.Node::name).thenComparing(ShardMap.Node::url);

  private NodeProblems() {}

  /** Returns what is wrong with a node, but for its clock. */
  static List<String> faults(@Nullable String fault, BrokerClocks brokers, List<String> ofTopics) {
    List<String> all = new ArrayList<>();
    if (fault != null) {
      all.add(fault);
    }
    all.addAll(ofTopics);
    all.addAll(brokers.problems());
    return all;
  }

  /** Returns what a node reports of itself; null if nothing is wrong. */
  static @Nullable String of(
      @Nullable String fault,
      NodeDocument.@Nullable Clock clock,
      BrokerClocks brokers,
      List<String> ofTopics) {
    List<String> all = faults(fault, brokers, ofTopics);
    if (clock != null) {
      all.add(fault == null ? 0 : 1, clock.text());
    }
    return all.isEmpty() ? null : String.join("; ", all);
  }

  /** Returns a node's problem, and that others of {@code all} have its name if that is so. */
  static @Nullable String withTwins(
      @Nullable String problem, ShardMap.Node node, List<ShardMap.Node> all) {
    List<String> urls =
        all.stream()
            .filter(each -> each.name().equals(node.name()))
            .map(ShardMap.Node::url)
            .distinct()
            .sorted()
            .map(url -> url.isEmpty() ? "one without a URL" : url)
            .toList();
    if (urls.size() < 2) {
      return problem;
    }
    String twins =
        "%s processes have the name %s: %s"
            .formatted(
                urls.size() == 2 ? "two" : Integer.toString(urls.size()),
                node.name(),
                String.join(", ", urls));
    return problem == null ? twins : twins + "; " + problem;
  }
}
