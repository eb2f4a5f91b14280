package dev.reprise.server.watch;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.DeliveryReader.MinuteAttempts;
import dev.reprise.delivery.EndpointFigures;
import dev.reprise.delivery.Ledger;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.delivery.engine.DeliveryEngine;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of the last hour, as the records of minutes have them: the same for whoever asks
 * first as for whoever has watched. The present minute has no record yet, so shards are asked for
 * it, for the subscriptions that fail most. To be used by one thread at a time.
 */
public final class RecentMinutes {
  /** The number of whole minutes that are looked at. */
  public static final int MINUTES = 60;

  /** The most subscriptions whose present minute is asked for at a time. */
  static final int MAX_ASKED = 200;

  /** Reading takes up to this part of a processor, and once a minute whatever it takes. */
  private static final int PART_FOR_READING = 30;

  private static final long MIN_AGE_NANOS = TimeUnit.MILLISECONDS.toNanos(900);
  private static final long MAX_WAIT_MILLIS = 250;
  private static final long MINUTE = EndpointFigures.MINUTE_MILLIS;

  private final Source source;
  private final LongSupplier wallMillis;
  private final ReadingPace pace;

  /** The present minute of the last look; Long.MIN_VALUE before the first one. */
  private long presentMinute = Long.MIN_VALUE;

  private Map<Long, Recorded> recorded = Map.of();
  private Map<String, List<Sum>> byProject = Map.of();

  /** The last answers of shards, by number of subscription, a part for each shard. */
  private final Map<Long, List<Optional<EndpointFigures>>> present = new ConcurrentHashMap<>();

  /** Those that have not answered yet. A shard that cannot write does not. */
  private final Set<Long> asked = ConcurrentHashMap.newKeySet();

  /** The places that the figures come from. */
  interface Source {
    /**
     * Reports the recorded minutes of a subscription, one shard after the other.
     *
     * @param out is given each of them, with the number of the part
     */
    void attempts(Subscription subscription, long fromMillis, long toMillis, PartAttempts out);

    /** Returns what each of the shards has not recorded yet. */
    CompletionStage<List<Optional<EndpointFigures>>> present(Subscription subscription);
  }

  /** Gives what takes the minutes of one of a subscription's shards. */
  interface PartAttempts {
    MinuteAttempts of(int part);
  }

  /**
   * The failed attempts of a subscription.
   *
   * @param thisMinute in the present minute, so far
   * @param lastMinute in the last whole minute
   * @param lastHour in the last {@value #MINUTES} whole minutes and the present one
   */
  public record Failed(long thisMinute, long lastMinute, long lastHour) {
    public static final Failed NONE = new Failed(0, 0, 0);

    /** Those that fail most just now stand first, then those that have failed most. */
    public static final Comparator<Failed> BY_FAILURES =
        Comparator.comparingLong((Failed each) -> each.thisMinute + each.lastMinute)
            .thenComparingLong(Failed::lastHour)
            .reversed();
  }

  /**
   * The attempts of one minute.
   *
   * @param fromMillis when it began, wall time
   * @param delivered attempts that succeeded
   * @param retried attempts that failed and were followed by another
   * @param givenUp attempts after which a delivery was given up
   */
  public record Attempts(long fromMillis, long delivered, long retried, long givenUp) {}

  /** The recorded minutes of a subscription; its shards apart where a minute may still change. */
  private static final class Recorded {
    /** By its ledger. */
    final long attemptsEver;

    /** In which minute {@link #attemptsEver} was seen first. */
    final long sinceMinute;

    boolean isEmpty = true;
    long failedBefore;
    final Map<Integer, Long> failedLast = new HashMap<>();
    final Map<Integer, Long> failedNow = new HashMap<>();

    Recorded(long attemptsEver, long sinceMinute) {
      this.attemptsEver = attemptsEver;
      this.sinceMinute = sinceMinute;
    }

    /** The minute after the last attempt is recorded as well, and there was nothing. */
    boolean isIdle(long attempts, long minute) {
      return isEmpty && attempts == attemptsEver && minute - sinceMinute >= 2 * MINUTE;
    }
  }

  public RecentMinutes(DeliveryEngine engine) {
    this(
        new Source() {
          @Override
          public void attempts(Subscription its, long fromMillis, long toMillis, PartAttempts out) {
            List<DeliveryReader> readers = engine.readers(its);
            for (int part = 0; part < readers.size(); part++) {
              readers.get(part).attempts(its.number(), fromMillis, toMillis, out.of(part));
            }
          }

          @Override
          public CompletionStage<List<Optional<EndpointFigures>>> present(Subscription its) {
            return engine.backlog(its).presentMinutes();
          }
        },
        engine::nowMillis,
        System::nanoTime);
  }

  RecentMinutes(Source source, LongSupplier wallMillis, LongSupplier nanoTime) {
    this.source = source;
    this.wallMillis = wallMillis;
    this.pace = new ReadingPace(MIN_AGE_NANOS, PART_FOR_READING, nanoTime);
  }

  /**
   * Looks again, if it is time.
   *
   * @param subscriptions all that there are
   * @param ledgers by number
   */
  public void look(Collection<Subscription> subscriptions, Map<Long, Ledger> ledgers) {
    long minute = EndpointFigures.minuteOf(wallMillis.getAsLong());
    if (minute != presentMinute || pace.isDue()) {
      pace.read(() -> read(subscriptions, ledgers, minute));
    }
    ask(subscriptions, ledgers);
  }

  private void read(
      Collection<Subscription> subscriptions, Map<Long, Ledger> ledgers, long minute) {
    Map<Long, Recorded> fresh = new HashMap<>();
    Map<String, List<Sum>> sums = new HashMap<>();
    for (Subscription subscription : subscriptions) {
      long number = subscription.number();
      long attempts = ledgers.getOrDefault(number, Ledger.EMPTY).attempts();
      if (attempts == 0) {
        continue;
      }
      Recorded before = recorded.get(number);
      if (before != null && before.isIdle(attempts, minute)) {
        fresh.put(number, before);
        continue;
      }
      long since = before != null && before.attemptsEver == attempts ? before.sinceMinute : minute;
      Recorded now = new Recorded(attempts, since);
      fresh.put(number, now);
      read(subscription, now, sums.computeIfAbsent(subscription.project(), Sum::none), minute);
    }
    recorded = fresh;
    byProject = sums;
    presentMinute = minute;
    present.keySet().retainAll(fresh.keySet());
  }

  private void read(Subscription subscription, Recorded into, List<Sum> sums, long minute) {
    long first = minute - MINUTES * MINUTE;
    source.attempts(
        subscription,
        first,
        minute + MINUTE,
        part ->
            (fromMillis, delivered, retried, givenUp) -> {
              into.isEmpty = false;
              long failed = retried + givenUp;
              if (fromMillis >= minute) {
                into.failedNow.merge(part, failed, Long::sum);
                return;
              }
              if (fromMillis >= minute - MINUTE) {
                into.failedLast.merge(part, failed, Long::sum);
              } else {
                into.failedBefore += failed;
              }
              sums.get((int) ((fromMillis - first) / MINUTE)).add(delivered, retried, givenUp);
            });
  }

  /** Asks for what is not recorded yet; does not wait for a shard that does not answer. */
  private void ask(Collection<Subscription> subscriptions, Map<Long, Ledger> ledgers) {
    List<Subscription> failing = new ArrayList<>();
    for (Subscription subscription : subscriptions) {
      Ledger ledger = ledgers.getOrDefault(subscription.number(), Ledger.EMPTY);
      if (ledger.attempts() > ledger.delivered()) {
        failing.add(subscription);
      }
    }
    failing.sort(
        Comparator.comparing((Subscription each) -> failed(each.number()), Failed.BY_FAILURES)
            .thenComparing(
                each -> ledgers.getOrDefault(each.number(), Ledger.EMPTY).pending(),
                Comparator.reverseOrder()));
    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (Subscription each : failing.subList(0, Math.min(MAX_ASKED, failing.size()))) {
      long number = each.number();
      if (asked.add(number)) {
        answers.add(
            source
                .present(each)
                .whenComplete(
                    (parts, error) -> {
                      if (parts != null) {
                        present.put(number, parts);
                      }
                      asked.remove(number);
                    })
                .toCompletableFuture()
                // Of one that was deleted just now, or whose shard is elsewhere, nothing is known.
                .exceptionally(unknown -> List.of()));
      }
    }
    waitBriefly(CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new)));
  }

  private static void waitBriefly(CompletableFuture<?> all) {
    try {
      all.get(MAX_WAIT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException later) {
      // The answers that are missing belong to the next look.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the failed attempts of a subscription, as of the last look. */
  public Failed failed(long subscription) {
    Recorded its = recorded.get(subscription);
    List<Optional<EndpointFigures>> parts = present.getOrDefault(subscription, List.of());
    if (its == null && parts.isEmpty()) {
      return Failed.NONE;
    }
    Map<Integer, Long> now = its == null ? new HashMap<>() : new HashMap<>(its.failedNow);
    Map<Integer, Long> last = its == null ? new HashMap<>() : new HashMap<>(its.failedLast);
    for (int part = 0; part < parts.size(); part++) {
      EndpointFigures figures = parts.get(part).orElse(null);
      if (figures != null && figures.fromMillis() == presentMinute) {
        // All of that minute, with what may have been recorded before a restart.
        now.merge(part, figures.retried() + figures.givenUp(), Math::max);
      } else if (figures != null && figures.fromMillis() == presentMinute - MINUTE) {
        last.merge(part, figures.retried() + figures.givenUp(), Math::max);
      }
    }
    long thisMinute = sum(now);
    long lastMinute = sum(last);
    long before = its == null ? 0 : its.failedBefore;
    return new Failed(thisMinute, lastMinute, before + lastMinute + thisMinute);
  }

  private static long sum(Map<Integer, Long> parts) {
    return parts.values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * Returns the attempts of the last {@value #MINUTES} whole minutes, the oldest first, as of the
   * last look.
   *
   * @param project null for those of all projects
   */
  public List<Attempts> attempts(@Nullable String project) {
    List<Attempts> minutes = new ArrayList<>();
    for (int i = 0; i < MINUTES; i++) {
      Sum sum = new Sum();
      for (Map.Entry<String, List<Sum>> each : byProject.entrySet()) {
        if (project == null || project.equals(each.getKey())) {
          Sum its = each.getValue().get(i);
          sum.add(its.delivered, its.retried, its.givenUp);
        }
      }
      long from = presentMinute - (MINUTES - i) * MINUTE;
      minutes.add(new Attempts(from, sum.delivered, sum.retried, sum.givenUp));
    }
    return minutes;
  }

  private static final class Sum {
    long delivered;
    long retried;
    long givenUp;

    static List<Sum> none(String project) {
      return Stream.generate(Sum::new).limit(MINUTES).toList();
    }

    void add(long moreDelivered, long moreRetried, long moreGivenUp) {
      delivered += moreDelivered;
      retried += moreRetried;
      givenUp += moreGivenUp;
    }
  }
}
