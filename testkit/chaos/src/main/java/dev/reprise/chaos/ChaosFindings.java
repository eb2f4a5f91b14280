package dev.reprise.chaos;

import java.util.ArrayList;
import java.util.List;

/** The rules that were broken, each with some examples. Not safe for use by several threads. */
final class ChaosFindings {
  private static final int MAX_EXAMPLES = 3;

  private final List<String> broken = new ArrayList<>();
  private long lost;

  /** Notes a broken rule if there are examples of it. */
  void add(String rule, List<String> examples) {
    if (!examples.isEmpty()) {
      broken.add(
          rule
              + ": "
              + examples.size()
              + ", such as "
              + String.join("; ", examples.subList(0, Math.min(MAX_EXAMPLES, examples.size()))));
    }
  }

  /** Notes a broken rule unless two figures are the same. */
  void same(String rule, long expected, long found) {
    if (expected != found) {
      broken.add(rule + ": expected " + expected + ", found " + found);
    }
  }

  /** Notes a broken rule. */
  void add(String rule) {
    broken.add(rule);
  }

  /** So many deliveries that were acknowledged are nowhere. */
  void lost(long deliveries) {
    lost += deliveries;
  }

  long lost() {
    return lost;
  }

  /** Returns the broken rules; none if everything is as it must be. */
  List<String> broken() {
    return List.copyOf(broken);
  }
}
