package dev.reprise.server.watch;

import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Receipts by carrier and outcome. All outcomes of a carrier are there at 0 before the first
 * receipt. Safe for use by many threads.
 */
final class ReceiptSeries {
  private static final List<String> OUTCOMES = List.of("delivered", "failed", "unknown");

  private final CounterFromZero.Maker counters;
  private final ConcurrentHashMap<Tags, CounterFromZero> series = new ConcurrentHashMap<>();

  ReceiptSeries(CounterFromZero.Maker counters) {
    this.counters = counters;
  }

  /** Begins the series of carriers that have none. */
  void begin(Set<String> carriers) {
    carriers.forEach(carrier -> OUTCOMES.forEach(outcome -> of(carrier, outcome)));
  }

  /**
   * A receipt has come.
   *
   * @param known whether its delivery is known
   */
  void received(String carrier, boolean delivered, boolean known) {
    of(carrier, !known ? "unknown" : delivered ? "delivered" : "failed").increment();
  }

  private CounterFromZero of(String carrier, String outcome) {
    return series.computeIfAbsent(
        Tags.of("carrier", carrier, "outcome", outcome),
        tags ->
            counters.counter(
                "reprise.receipts", "Receipts and bounces that came after their attempts", tags));
  }
}
