package dev.reprise.server.watch;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Deliveries that were given up, by subscription. So many subscriptions have a series of their own,
 * the first of the catalog before others; the rest is counted in {@value #OTHERS}. Each series is
 * there at 0 before anything is counted in it. A subscription that is deleted keeps its series if
 * it has given something up, so that no sum falls, and leaves its place to another if not. Safe for
 * use by many threads.
 */
final class GivenUpSeries {
  /** No subscription has this id, for ids end in a number. */
  static final String OTHERS = "(other)";

  private final MeterRegistry registry;
  private final int most;
  private final Map<String, CounterFromZero> own = new ConcurrentHashMap<>();
  private final CounterFromZero others;

  /**
   * Series of no subscription yet.
   *
   * @param most how many subscriptions have one; 0 or more
   */
  GivenUpSeries(MeterRegistry registry, int most) {
    this.registry = registry;
    this.most = most;
    this.others = series(OTHERS);
  }

  private CounterFromZero series(String label) {
    return new CounterFromZero(
        registry,
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
                registry.remove(entry.getValue().meter());
              }
              return unused;
            });
    for (String id : ids) {
      if (own.size() >= most) {
        return;
      }
      own.computeIfAbsent(id, this::series);
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
