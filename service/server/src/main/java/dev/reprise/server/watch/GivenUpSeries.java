package dev.reprise.server.watch;

import io.micrometer.core.instrument.Tags;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Deliveries that were given up, by subscription. So many subscriptions have a series of their own,
 * the first of the catalog before others; the rest is counted in {@value #OTHERS}. Each series is
 * there at 0 before anything is counted in it. A subscription that is deleted leaves its place at
 * once if it has given nothing up, and otherwise when one that exists has no other place: until
 * then its series stays, so that its last failures are read. Safe for use by many threads.
 */
final class GivenUpSeries {
  /** No subscription has this id, for ids end in a number. */
  static final String OTHERS = "(other)";

  private final CounterFromZero.Maker counters;
  private final int most;
  private final Map<String, CounterFromZero> own = new ConcurrentHashMap<>();
  private final CounterFromZero others;

  /**
   * Series of no subscription yet.
   *
   * @param most how many subscriptions have one; 0 or more
   */
  GivenUpSeries(CounterFromZero.Maker counters, int most) {
    this.counters = counters;
    this.most = most;
    this.others = series(OTHERS);
  }

  private CounterFromZero series(String label) {
    return counters.counter(
        "reprise.deliveries.given.up",
        "Deliveries given up since the start, by subscription",
        Tags.of("subscription", label));
  }

  /** Begins the series of subscriptions that have none; {@code ids} are all that exist. */
  synchronized void begin(List<String> ids) {
    Set<String> existing = new HashSet<>(ids);
    own.entrySet()
        .removeIf(
            entry -> {
              boolean unused = entry.getValue().isZero() && !existing.contains(entry.getKey());
              if (unused) {
                counters.remove(entry.getValue());
              }
              return unused;
            });
    Iterator<Map.Entry<String, CounterFromZero>> deleted =
        own.entrySet().stream()
            .filter(entry -> !existing.contains(entry.getKey()))
            .toList()
            .iterator();
    for (String id : ids) {
      if (own.containsKey(id)) {
        continue;
      }
      if (own.size() >= most) {
        if (!deleted.hasNext()) {
          return;
        }
        Map.Entry<String, CounterFromZero> leaving = deleted.next();
        own.remove(leaving.getKey());
        counters.remove(leaving.getValue());
      }
      own.put(id, series(id));
    }
  }

  /** A delivery of the subscription was given up. */
  void gaveUp(String id) {
    CounterFromZero known = own.get(id);
    (known != null ? known : seriesOf(id)).increment();
  }

  private synchronized CounterFromZero seriesOf(String id) {
    if (own.size() >= most && !own.containsKey(id)) {
      return others;
    }
    return own.computeIfAbsent(id, this::series);
  }
}
