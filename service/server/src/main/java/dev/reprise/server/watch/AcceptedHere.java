package dev.reprise.server.watch;

import dev.reprise.delivery.Ledger;
import java.util.HashMap;
import java.util.Map;

/**
 * The deliveries that the shards of this process have accepted while they were here. A shard that
 * comes from another node brings what it accepted there along in its ledger; that does not count,
 * nor does what it takes until it is first looked at. Safe for use by many threads.
 */
final class AcceptedHere {
  private final Map<Integer, Long> last = new HashMap<>();
  private long sum;

  /** Takes note of the ledgers of all shards that are here, by number. */
  synchronized void look(Map<Integer, Ledger> here) {
    last.keySet().retainAll(here.keySet());
    here.forEach(
        (shard, ledger) -> {
          Long before = last.put(shard, ledger.accepted());
          if (before != null) {
            // A ledger that had to be counted anew has less.
            sum += Math.max(0, ledger.accepted() - before);
          }
        });
  }

  synchronized long sum() {
    return sum;
  }
}
