package dev.reprise.server.api;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.HeldDeliveries;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.delivery.Suspension;
import dev.reprise.delivery.attempt.Carriers;
import dev.reprise.delivery.carrier.CarrierState;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.document.OverviewDocument;
import dev.reprise.server.document.OverviewDocument.CarrierAtFault;
import dev.reprise.server.document.OverviewDocument.Held;
import dev.reprise.server.document.OverviewDocument.Rates;
import dev.reprise.server.document.OverviewDocument.Suspended;
import dev.reprise.server.document.OverviewDocument.Worst;
import dev.reprise.server.document.OverviewMinutesDocument;
import dev.reprise.server.http.Project;
import dev.reprise.server.http.Times;
import dev.reprise.server.nodes.ClusterView;
import dev.reprise.server.nodes.TroubleList;
import dev.reprise.server.watch.BacklogAges;
import dev.reprise.server.watch.RecentMinutes;
import dev.reprise.server.watch.RecentMinutes.Failed;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Watches the figures of the whole service. They are read once for all clients, at most once a
 * second and for a small part of a processor. Thread-safe.
 */
final class Overview {
  static final int MAX_WORST = 10;

  /** Reading the figures takes up to this part of a processor. */
  private static final int PART_FOR_READING = 20;

  /** A sample that is older is nothing to compare with. */
  private static final long MAX_AGE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final long MIN_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  private static final int MAX_HELD = 100;

  private final DeliveryEngine engine;
  private final Carriers carriers;
  private final ClusterView cluster;
  private final BacklogAges backlog;
  private final RecentMinutes minutes;
  private final TroubleList troubles;

  private @Nullable Sample before;
  private @Nullable Sample last;
  private long nextNanos;

  /**
   * All ledgers at a time.
   *
   * @param nanos monotonic time
   * @param open by number of subscription
   * @param closed those of subscriptions that were removed
   */
  private record Sample(long nanos, Map<Long, Ledger> open, Ledger closed) {}

  Overview(DeliveryEngine engine, Carriers carriers, ClusterView cluster, TroubleList troubles) {
    this.troubles = troubles;
    this.cluster = cluster;
    this.engine = engine;
    this.carriers = carriers;
    this.backlog = new BacklogAges(engine);
    this.minutes = new RecentMinutes(engine);
  }

  /**
   * Returns what one caller may see.
   *
   * @param project null for everything
   */
  synchronized OverviewDocument of(@Nullable Project project) {
    Sample now = sample();
    Sample compared = before;
    List<Subscription> subscriptions =
        project == null ? engine.catalog().subscriptions() : project.catalog().subscriptions();
    Ledger total = project == null ? now.closed() : Ledger.EMPTY;
    Ledger earlier = compared == null || project != null ? Ledger.EMPTY : compared.closed();
    List<Worst> worst = new ArrayList<>();
    List<Suspended> suspended = new ArrayList<>();
    long held = 0;
    if (project == null) {
      // Those that are being removed are among the open ones, and in no catalog.
      total = sum(total, now.open().values());
      earlier = compared == null ? earlier : sum(earlier, compared.open().values());
    }
    for (Subscription subscription : subscriptions) {
      Ledger ledger = now.open().getOrDefault(subscription.number(), Ledger.EMPTY);
      if (project != null) {
        total = total.plus(ledger);
        earlier =
            compared == null
                ? earlier
                : earlier.plus(compared.open().getOrDefault(subscription.number(), Ledger.EMPTY));
      }
      HeldDeliveries its = backlog.held(subscription);
      Failed failed = minutes.failed(subscription.number());
      if (its != null && ledger.pending() > 0) {
        held += ledger.pending();
        suspended.add(suspended(subscription, its.suspension(), ledger.pending()));
      } else if (failed.lastHour() > 0 || ledger.pending() > 0) {
        worst.add(worst(subscription, failed, ledger));
      }
    }
    worst.sort(
        Comparator.comparing(Overview::failed, Failed.BY_FAILURES)
            .thenComparing(Comparator.comparingLong(Worst::pending).reversed())
            .thenComparing(Worst::id));
    suspended.sort(
        Comparator.comparingLong(Suspended::held).reversed().thenComparing(Suspended::id));
    return new OverviewDocument(
        Times.text(engine.nowMillis()),
        project == null ? engine.catalog().topics().size() : project.catalog().topics().size(),
        subscriptions.size(),
        compared == null ? null : rates(now, compared, total, earlier, project),
        SubscriptionDocuments.ledger(total),
        backlog.of(subscriptions, total.pending() - held, held),
        first(worst),
        first(suspended),
        carriersAtFault(),
        held(project),
        cluster.standing(),
        cluster.clocks(),
        troubles.of(project == null ? null : project.name()));
  }

  /**
   * Returns the attempts of the last hour, minute by minute.
   *
   * @param project null for everything
   */
  synchronized OverviewMinutesDocument minutes(@Nullable Project project) {
    sample();
    return new OverviewMinutesDocument(
        minutes.attempts(project == null ? null : project.name()).stream()
            .map(
                each ->
                    new OverviewMinutesDocument.Minute(
                        Times.text(each.fromMillis()),
                        each.delivered(),
                        each.retried(),
                        each.givenUp()))
            .toList());
  }

  /** Clients of one project are not shown hosts and carriers, which projects may share. */
  private List<Held> held(@Nullable Project project) {
    List<Held> all = new ArrayList<>();
    for (RefusalHold hold : engine.held()) {
      Subscription subscription =
          hold.subscription() == 0 ? null : engine.catalog().findSubscription(hold.subscription());
      boolean isOfProject =
          subscription != null && project != null && subscription.project().equals(project.name());
      if ((project == null || isOfProject) && all.size() < MAX_HELD) {
        all.add(
            new Held(
                subscription == null ? null : subscription.id(),
                hold.group(),
                hold.code(),
                hold.count(),
                hold.reason(),
                Times.text(hold.sinceMillis())));
      }
    }
    return all;
  }

  private static Ledger sum(Ledger start, Iterable<Ledger> ledgers) {
    Ledger sum = start;
    for (Ledger each : ledgers) {
      sum = sum.plus(each);
    }
    return sum;
  }

  private Rates rates(
      Sample now, Sample compared, Ledger total, Ledger earlier, @Nullable Project project) {
    double seconds = (now.nanos() - compared.nanos()) / (double) TimeUnit.SECONDS.toNanos(1);
    long delivered = Math.max(0, total.delivered() - earlier.delivered());
    long dead = Math.max(0, total.deadLettered() - earlier.deadLettered());
    long attempts = Math.max(0, total.attempts() - earlier.attempts());
    double published = cluster.publishesPerSecond(project);
    return new Rates(
        rounded(seconds),
        rounded(published),
        rounded(delivered / seconds),
        rounded(Math.max(0, attempts - delivered - dead) / seconds),
        rounded(dead / seconds));
  }

  private static <T> List<T> first(List<T> all) {
    return List.copyOf(all.subList(0, Math.min(MAX_WORST, all.size())));
  }

  private static Failed failed(Worst one) {
    return new Failed(one.failedThisMinute(), one.failedLastMinute(), one.failedLastHour());
  }

  private static Worst worst(Subscription subscription, Failed failed, Ledger ledger) {
    return new Worst(
        subscription.id(),
        subscription.project(),
        subscription.settings().labelling().name(),
        subscription.settings().labelling().customer(),
        subscription.topic(),
        subscription.settings().protocol().wireName(),
        subscription.settings().endpoint(),
        failed.thisMinute(),
        failed.lastMinute(),
        failed.lastHour(),
        ledger.pending(),
        ledger.deadLettered());
  }

  private static Suspended suspended(Subscription its, Suspension suspension, long held) {
    return new Suspended(
        its.id(),
        its.project(),
        its.settings().labelling().name(),
        its.settings().labelling().customer(),
        its.topic(),
        its.settings().protocol().wireName(),
        its.settings().endpoint(),
        Times.text(suspension.sinceMillis()),
        held);
  }

  private List<CarrierAtFault> carriersAtFault() {
    List<CarrierAtFault> faults = new ArrayList<>();
    new TreeMap<>(carriers.states())
        .forEach(
            (name, here) -> {
              CarrierState state = cluster.carrier(name, here);
              String fault = state.fault();
              if (fault != null) {
                faults.add(new CarrierAtFault(name, fault, Times.text(state.faultSinceMillis())));
              }
            });
    return faults;
  }

  /** Returns the newest sample, after taking it if it is time for one. */
  private Sample sample() {
    long start = System.nanoTime();
    Sample known = last;
    if (known != null && start - nextNanos < 0) {
      return known;
    }
    Map<Long, Ledger> open = new HashMap<>();
    Ledger closed = Ledger.EMPTY;
    for (DeliveryReader reader : engine.readers()) {
      DeliveryReader.Ledgers ledgers = reader.allLedgers();
      // One that is spread is in several shards.
      ledgers.open().forEach((number, each) -> open.merge(number, each, Ledger::plus));
      closed = closed.plus(ledgers.closed());
    }
    before = known != null && start - known.nanos() < MAX_AGE_NANOS ? known : null;
    minutes.look(engine.catalog().subscriptions(), open);
    backlog.look();
    Sample fresh = new Sample(start, open, closed);
    last = fresh;
    long took = System.nanoTime() - start;
    nextNanos = start + Math.max(MIN_AGE_NANOS, took * PART_FOR_READING);
    return fresh;
  }

  private static double rounded(double value) {
    return Math.round(value * 100) / 100.0;
  }
}
