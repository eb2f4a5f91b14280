package dev.reprise.server.watch;

import java.util.HashMap;
import java.util.Map;

/**
 * The growth, while they are in this process, of a count that shards carry along. A shard that
 * comes from another node brings its count from there; that is not part of it, nor is the growth
 * until the first look at each stay and after the last. So it never falls, and does not jump with a
 * shard, not even with one that left and returned between two looks. Safe for use by many threads.
 */
final class GrowthHere {
  private final Map<Object, Long> last = new HashMap<>();
  private long sum;

  /**
   * Takes note of the counts of all shards that are here.
   *
   * @param here by what is the same during a stay of a shard, and another one after it
   */
  synchronized void look(Map<?, Long> here) {
    last.keySet().retainAll(here.keySet());
    here.forEach(
        (stay, count) -> {
          Long before = last.put(stay, count);
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
