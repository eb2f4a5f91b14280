package dev.reprise.server.watch;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.EndpointStanding;
import dev.reprise.delivery.SubscriptionFigures;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.store.StoreException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Subscriptions whose endpoints have failed for a while, by what is kept with their ledgers. One
 * that is suspended is not among them. Of the shards in this process; read now and then only. Safe
 * for use by many threads.
 */
public final class FailingEndpoints {
  /** A row of failures is none to act on before it has lasted as long: many end by themselves. */
  static final long MIN_MILLIS = TimeUnit.MINUTES.toMillis(5);

  /** One that nothing waits for, and that was not tried for as long, may be out of use. */
  static final long STILL_MILLIS = TimeUnit.DAYS.toMillis(1);

  private static final long MIN_AGE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Reading takes up to this part of a processor. */
  private static final int PART_FOR_READING = 50;

  private final DeliveryEngine engine;
  private final ReadingPace pace =
      new ReadingPace(MIN_AGE_NANOS, PART_FOR_READING, System::nanoTime);
  private List<Failing> last = List.of();

  /** One subscription. */
  public record Failing(Subscription subscription, SubscriptionFigures figures) {
    private long sinceMillis() {
      return figures.standing().failingSinceMillis();
    }
  }

  /** The endpoints of an engine's subscriptions. */
  public FailingEndpoints(DeliveryEngine engine) {
    this.engine = engine;
  }

  /** Returns the subscriptions as of a few seconds ago, those that have failed longest first. */
  public synchronized List<Failing> now() {
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

  private List<Failing> read() {
    Map<Long, List<SubscriptionFigures>> parts = new HashMap<>();
    for (DeliveryReader reader : engine.readersHere()) {
      reader
          .figures()
          .forEach(
              (number, part) -> parts.computeIfAbsent(number, n -> new ArrayList<>()).add(part));
    }
    List<Failing> all = new ArrayList<>();
    parts.forEach(
        (number, part) -> {
          SubscriptionFigures figures = SubscriptionFigures.of(part);
          Subscription subscription = engine.catalog().findSubscription(number);
          if (subscription != null && isFailing(figures, engine.nowMillis())) {
            all.add(new Failing(subscription, figures));
          }
        });
    all.sort(
        Comparator.comparingLong(Failing::sinceMillis)
            .thenComparing(each -> each.subscription().id()));
    return List.copyOf(all);
  }

  static boolean isFailing(SubscriptionFigures figures, long nowMillis) {
    EndpointStanding standing = figures.standing();
    if (!standing.isFailing() || figures.held() != null) {
      return false;
    }
    EndpointStanding.LastOutcome last = standing.last();
    boolean isStillTried =
        figures.ledger().pending() > 0
            || (last != null && nowMillis - last.atMillis() < STILL_MILLIS);
    return isStillTried && nowMillis - standing.failingSinceMillis() >= MIN_MILLIS;
  }
}
