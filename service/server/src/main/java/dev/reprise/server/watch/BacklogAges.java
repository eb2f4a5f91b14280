package dev.reprise.server.watch;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.HeldDeliveries;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.document.OverviewDocument;
import dev.reprise.server.document.OverviewDocument.Age;
import dev.reprise.server.http.Times;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Pending deliveries by age. A bounded number of them is looked at, those due first, and now and
 * then only. To be used by one thread at a time.
 */
public final class BacklogAges {
  /** The number of deliveries that one count looks at, of all subscriptions together. */
  static final int MAX_SEEN = 50_000;

  /** The number that each subscription gets a look at, however many subscriptions there are. */
  private static final int MIN_SEEN = 50;

  /** The ages between which deliveries are counted. */
  private static final long[] UP_TO_MILLIS = {
    TimeUnit.SECONDS.toMillis(1),
    TimeUnit.SECONDS.toMillis(10),
    TimeUnit.MINUTES.toMillis(1),
    TimeUnit.MINUTES.toMillis(10),
    TimeUnit.HOURS.toMillis(1),
    TimeUnit.HOURS.toMillis(6),
    TimeUnit.DAYS.toMillis(1)
  };

  private static final long MIN_AGE_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int PART_FOR_READING = 50;

  private final DeliveryEngine engine;
  private Map<Long, Counted> bySubscription = new HashMap<>();
  private Map<Long, HeldDeliveries> suspended = new HashMap<>();
  private final ReadingPace pace =
      new ReadingPace(MIN_AGE_NANOS, PART_FOR_READING, System::nanoTime);

  private static final class Counted {
    final long[] ages = new long[UP_TO_MILLIS.length + 1];
    long oldestMillis = Long.MAX_VALUE;
    int seen;
  }

  public BacklogAges(DeliveryEngine engine) {
    this.engine = engine;
  }

  /** Counts anew, if it is time. */
  public void look() {
    if (pace.isDue()) {
      pace.read(this::count);
    }
  }

  /** Returns what is held for a suspended subscription; null if nothing is. */
  public @Nullable HeldDeliveries held(Subscription subscription) {
    return suspended.get(subscription.number());
  }

  /**
   * Returns the backlog of some subscriptions. What a suspended one holds is none: it waits because
   * that was requested.
   *
   * @param pending of those that are not suspended, by the ledger
   * @param held of those that are
   */
  public OverviewDocument.Backlog of(
      Collection<Subscription> subscriptions, long pending, long held) {
    long[] sums = new long[UP_TO_MILLIS.length + 1];
    long oldest = Long.MAX_VALUE;
    long seen = 0;
    for (Subscription subscription : subscriptions) {
      Counted counted = bySubscription.get(subscription.number());
      if (counted != null) {
        for (int i = 0; i < sums.length; i++) {
          sums[i] += counted.ages[i];
        }
        oldest = Math.min(oldest, counted.oldestMillis);
        seen += counted.seen;
      }
    }
    List<Age> ages = new ArrayList<>();
    for (int i = 0; i < sums.length; i++) {
      ages.add(new Age(i < UP_TO_MILLIS.length ? UP_TO_MILLIS[i] : null, sums[i]));
    }
    return new OverviewDocument.Backlog(
        seen, pending, held, oldest == Long.MAX_VALUE ? null : Times.text(oldest), ages);
  }

  /** A subscription with pending deliveries. */
  private record Waiting(Subscription subscription, DeliveryReader reader, long pending) {}

  private void count() {
    Map<Long, HeldDeliveries> held = new HashMap<>();
    List<Waiting> waiting = new ArrayList<>();
    for (Subscription subscription : engine.catalog().subscriptions()) {
      DeliveryReader reader = engine.reader(subscription);
      long pending = reader.ledger(subscription.number()).pending();
      HeldDeliveries its = pending > 0 ? reader.held(subscription.number()) : null;
      if (its != null) {
        held.put(subscription.number(), its);
      } else if (pending > 0) {
        waiting.add(new Waiting(subscription, reader, pending));
      }
    }
    suspended = held;
    bySubscription = ages(waiting);
  }

  private Map<Long, Counted> ages(List<Waiting> waiting) {
    // Those with little come first: what they leave of their parts is for those with much.
    waiting.sort(Comparator.comparingLong(Waiting::pending));
    Map<Long, Counted> fresh = new HashMap<>();
    long now = engine.nowMillis();
    int left = MAX_SEEN;
    for (int i = 0; i < waiting.size(); i++) {
      Waiting its = waiting.get(i);
      Counted counted = new Counted();
      counted.seen =
          its.reader()
              .pendingSince(
                  its.subscription().number(),
                  Math.max(MIN_SEEN, left / (waiting.size() - i)),
                  publishedAtMillis -> {
                    counted.ages[place(now - publishedAtMillis)]++;
                    counted.oldestMillis = Math.min(counted.oldestMillis, publishedAtMillis);
                  });
      left = Math.max(0, left - counted.seen);
      fresh.put(its.subscription().number(), counted);
    }
    return fresh;
  }

  private static int place(long ageMillis) {
    int place = 0;
    while (place < UP_TO_MILLIS.length && ageMillis >= UP_TO_MILLIS[place]) {
      place++;
    }
    return place;
  }
}
