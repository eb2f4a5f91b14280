package dev.reprise.server.watch;

import java.util.HashMap;
import java.util.Map;

/**
 * The growth, while they are in this process, of a count that shards carry along. A shard that
 * comes from another node brings its count from there; that is not part of it, nor is the growth
 * until the first look. So it never falls, and does not jump with a shard. Safe for use by many
 * threads.
 */
final class GrowthHere {
  private final Map<Integer, Long> last = new HashMap<>();
  private long sum;

  /** Takes note of the counts of all shards that are here, by number. */
  synchronized void look(Map<Integer, Long> here) {
    last.keySet().retainAll(here.keySet());
    here.forEach(
        (shard, count) -> {
          Long before = last.put(shard, count);
          if (before != null) {
            // A ledger that had to be counted anew has less.
            sum += Math.max(0, count - before);
          }
        });
  }

  synchronized long sum() {
    return sum;
  }
}
