package dev.reprise.cli.apply;

import dev.reprise.cli.apply.Wanted.WantedSubscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Finds which subscription of a topic is which of the files: those with the same protocol and
 * endpoint; of several, the one with the id, the one that is the same, the one with the same
 * filter. What is left to one on each side is the same; where more are left, the file must give
 * ids.
 */
final class SubscriptionMatch {
  private final List<String> mistakes;
  private final Map<String, JsonNode> free = new HashMap<>();
  private final IdentityHashMap<WantedSubscription, JsonNode> found = new IdentityHashMap<>();

  private SubscriptionMatch(List<String> mistakes, List<JsonNode> existing) {
    this.mistakes = mistakes;
    existing.forEach(each -> free.put(id(each), each));
  }

  /**
   * Returns the existing ones that match.
   *
   * @param existing all of the topic
   */
  static IdentityHashMap<WantedSubscription, JsonNode> of(
      List<WantedSubscription> wanted, List<JsonNode> existing, List<String> mistakes) {
    SubscriptionMatch match = new SubscriptionMatch(mistakes, existing);
    Map<String, List<WantedSubscription>> groups = new LinkedHashMap<>();
    wanted.forEach(
        each -> groups.computeIfAbsent(each.identity(), key -> new ArrayList<>()).add(each));
    Map<String, List<JsonNode>> candidates = new LinkedHashMap<>();
    existing.forEach(
        each -> candidates.computeIfAbsent(identity(each), key -> new ArrayList<>()).add(each));
    groups.forEach((key, group) -> match.group(group, candidates.getOrDefault(key, List.of())));
    // What has moved to another endpoint is known by its id alone.
    for (WantedSubscription each : wanted) {
      if (!match.found.containsKey(each) && !each.id().isEmpty()) {
        JsonNode other = match.free.get(each.id());
        if (other != null && other.path("protocol").asString("").equals(each.protocol())) {
          match.take(each, other);
        }
      }
    }
    return match.found;
  }

  private void group(List<WantedSubscription> group, List<JsonNode> existing) {
    List<WantedSubscription> open = new ArrayList<>(group);
    List<JsonNode> left = new ArrayList<>(existing);
    pair(open, left, (wanted, other) -> id(other).equals(wanted.id()));
    pair(open, left, SubscriptionMatch::isSame);
    if (left.size() > 1 || open.size() > 1) {
      pair(open, left, SubscriptionMatch::hasSameFilter);
    }
    if (open.size() == 1 && left.size() == 1) {
      take(open.get(0), left.get(0));
    } else if (!open.isEmpty() && !left.isEmpty()) {
      for (WantedSubscription each : open) {
        mistakes.add(
            each.part()
                .mistake(
                    "could be any of "
                        + String.join(", ", left.stream().map(SubscriptionMatch::id).toList())
                        + ", which have the same endpoint: give its id"));
      }
    }
  }

  private void pair(
      List<WantedSubscription> open,
      List<JsonNode> left,
      BiPredicate<WantedSubscription, JsonNode> same) {
    for (WantedSubscription each : List.copyOf(open)) {
      @Nullable JsonNode other =
          left.stream().filter(candidate -> same.test(each, candidate)).findFirst().orElse(null);
      if (other != null) {
        open.remove(each);
        left.remove(other);
        take(each, other);
      }
    }
  }

  private void take(WantedSubscription wanted, JsonNode existing) {
    found.put(wanted, existing);
    free.remove(id(existing));
  }

  private static boolean isSame(WantedSubscription wanted, JsonNode existing) {
    return Difference.equal(
        ShownSettings.normal(wanted.shown(), wanted.shown()),
        ShownSettings.normal(existing, wanted.shown()));
  }

  private static boolean hasSameFilter(WantedSubscription wanted, JsonNode existing) {
    return Difference.equal(wanted.shown().path("filter"), existing.path("filter"));
  }

  static String identity(JsonNode existing) {
    return existing.path("protocol").asString("http")
        + " "
        + existing.path("endpoint").asString("");
  }

  static String id(JsonNode existing) {
    return existing.path("id").asString("");
  }
}
