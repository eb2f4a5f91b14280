package dev.reprise.bench.retry;

import java.util.Map;

/**
 * One line of a table.
 *
 * @param contender who is measured
 * @param benchmark the class of the benchmark
 * @param parameters the values of its parameters
 * @param threads how many threads call it at once
 * @param part what the row is to the goal
 */
record Row(
    String contender, Class<?> benchmark, Map<String, String> parameters, int threads, Part part) {
  enum Part {
    /** The floor that ours is compared with. */
    FLOOR,
    /** Ours, which the goal is for. */
    OURS,
    /** Shown for comparison: the goal does not look at it. */
    BESIDE
  }

  String label() {
    return threads == 1 ? contender : contender + ", " + threads + " threads";
  }
}
