package dev.reprise.server.watch;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.store.StoreException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Subscriptions that keep dead letters and have given up deliveries within the last hour, by the
 * stored figures of minutes: the present minute is not among them. Of the shards in this process;
 * read now and then only. Safe for use by many threads.
 */
public final class DeadLetterGrowth {
  /** The span that is looked at. */
  static final long SPAN_MILLIS = TimeUnit.HOURS.toMillis(1);

  private static final int MAX_MINUTES = 61;
  private static final long MIN_AGE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Reading takes up to this part of a processor. */
  private static final int PART_FOR_READING = 50;

  private final DeliveryEngine engine;
  private List<Grown> last = List.of();
  private final ReadingPace pace =
      new ReadingPace(MIN_AGE_NANOS, PART_FOR_READING, System::nanoTime);

  /**
   * One subscription.
   *
   * @param givenUp deliveries that were given up within the last hour
   * @param sinceMillis when the first minute of them began, wall time
   * @param kept its dead letters now
   */
  public record Grown(Subscription subscription, long givenUp, long sinceMillis, long kept) {
    Grown plus(Grown other) {
      return new Grown(
          subscription,
          givenUp + other.givenUp,
          Math.min(sinceMillis, other.sinceMillis),
          kept + other.kept);
    }
  }

  /** The dead letters of an engine. */
  public DeadLetterGrowth(DeliveryEngine engine) {
    this.engine = engine;
  }

  /** Returns the subscriptions as of a few seconds ago, those with the most first. */
  public synchronized List<Grown> lastHour() {
    if (pace.isDue()) {
      try {
        pace.read(() -> last = read());
      } catch (StoreException e) {
        // A store that fails is a trouble of its own; what was known last is shown meanwhile.
        return last;
      }
    }
    return last;
  }

  private List<Grown> read() {
    long now = engine.nowMillis();
    Map<Long, Grown> grown = new HashMap<>();
    for (DeliveryReader reader : engine.readersHere()) {
      for (Map.Entry<Long, Ledger> each : reader.allLedgers().open().entrySet()) {
        long kept = each.getValue().deadLettered();
        Subscription subscription =
            kept == 0 ? null : engine.catalog().findSubscription(each.getKey());
        if (subscription == null) {
          continue;
        }
        long givenUp = 0;
        long since = now;
        for (EndpointFigures minute :
            reader.minutes(each.getKey(), now - SPAN_MILLIS, now + 1, MAX_MINUTES)) {
          if (minute.givenUp() > 0) {
            givenUp += minute.givenUp();
            since = Math.min(since, minute.fromMillis());
          }
        }
        if (givenUp > 0) {
          grown.merge(each.getKey(), new Grown(subscription, givenUp, since, kept), Grown::plus);
        }
      }
    }
    List<Grown> all = new ArrayList<>(grown.values());
    all.sort(
        (a, b) ->
            a.givenUp() == b.givenUp()
                ? a.subscription().id().compareTo(b.subscription().id())
                : Long.compare(b.givenUp(), a.givenUp()));
    return List.copyOf(all);
  }
}
