package dev.reprise.server.event;

import dev.reprise.core.StopReason;
import dev.reprise.delivery.GivenUp;
import dev.reprise.delivery.catalog.Subscription;
import dev.reprise.server.document.Documents;
import dev.reprise.server.log.LogText;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Counts the deliveries that subscriptions give up: of each subscription and reason the first is
 * reported at once, those that follow once a minute with their number. Also reports an endpoint
 * that has failed and takes deliveries again, once a minute at the most.
 *
 * <p>An endpoint has failed when the retries of a delivery were exhausted, when it has refused
 * {@value #REFUSALS} deliveries in a row for good, or when it said that it is gone. One that
 * refuses single messages has not.
 *
 * <p>Nothing that was counted is lost while the process lives: what cannot be reported now is
 * reported later. Safe for use by many threads; does not block.
 */
public final class Troubles {
  /** More subscriptions and reasons than these, within a minute, are reported together. */
  static final int MAX_COUNTS = 1000;

  /** Endpoints beyond these are not remembered as failed. */
  static final int MAX_TROUBLED = 100_000;

  static final int REFUSALS = 3;
  private static final List<StopReason> REASONS = List.of(StopReason.values());
  private static final int MAX_SUMMARY_CHARS = 200;
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** No subscription has this number. */
  private static final long OTHERS = 0;

  private final Predicate<OperatorEvent> out;
  private final LongSupplier nanoTime;
  private final LongSupplier wallMillis;
  private final Map<Key, Count> counts = new HashMap<>();

  /** By subscription. Concurrent, because each attempt that ends asks whether it has one. */
  private final Map<Long, Trouble> troubled = new ConcurrentHashMap<>();

  /** The time of the last report of a subscription's recovery, within the last minute. */
  private final Map<Long, Long> recoveredAtNanos = new HashMap<>();

  /** Subscriptions that have recovered, which is still to be reported. */
  private final Set<Long> recovering = new HashSet<>();

  /**
   * Of one subscription and reason.
   *
   * @param project of many subscriptions together; empty for one
   */
  private record Key(String project, long subscription, StopReason reason) {
    static Key of(long subscription, StopReason reason) {
      return new Key("", subscription, reason);
    }
  }

  private static final class Count {
    final @Nullable Subscription subscription;
    long toldAtNanos;
    long untold;
    long sinceMillis;
    @Nullable GivenUp last;

    Count(@Nullable Subscription subscription, long toldAtNanos) {
      this.subscription = subscription;
      this.toldAtNanos = toldAtNanos;
    }
  }

  private static final class Trouble {
    final Subscription subscription;
    final long sinceMillis;
    long givenUp;
    int refusedInARow;
    boolean failed;

    Trouble(Subscription subscription, long sinceMillis) {
      this.subscription = subscription;
      this.sinceMillis = sinceMillis;
    }
  }

  /**
   * Nothing is counted yet.
   *
   * @param out takes an event, or returns false if it cannot now
   * @param nanoTime a monotonic clock
   * @param wallMillis the clock for people
   */
  Troubles(Predicate<OperatorEvent> out, LongSupplier nanoTime, LongSupplier wallMillis) {
    this.out = out;
    this.nanoTime = nanoTime;
    this.wallMillis = wallMillis;
  }

  /** A delivery was given up. One that was cancelled is not counted: that was requested. */
  synchronized void gaveUp(Subscription subscription, GivenUp delivery) {
    StopReason reason = delivery.reason();
    if (reason == StopReason.CANCELLED) {
      return;
    }
    if (reason != StopReason.SUSPENDED && reason != StopReason.UNREADABLE) {
      failedAt(subscription, reason);
    }
    long number = subscription.number();
    Key key = Key.of(number, reason);
    Count count = counts.get(key);
    boolean first = count == null && counts.size() < MAX_COUNTS;
    if (count == null) {
      key = first ? key : new Key(subscription.project(), OTHERS, reason);
      Subscription one = first ? subscription : null;
      count = counts.computeIfAbsent(key, k -> new Count(one, nanoTime.getAsLong()));
    }
    if (count.untold == 0) {
      count.sinceMillis = wallMillis.getAsLong();
    }
    count.untold++;
    count.last = delivery;
    if (first) {
      tell(key, count);
    }
  }

  private void failedAt(Subscription subscription, StopReason reason) {
    Trouble trouble = trouble(subscription);
    if (trouble == null) {
      return;
    }
    trouble.givenUp++;
    if (reason == StopReason.NOT_RETRYABLE) {
      trouble.refusedInARow++;
    }
    trouble.failed |= reason != StopReason.NOT_RETRYABLE || trouble.refusedInARow >= REFUSALS;
  }

  private @Nullable Trouble trouble(Subscription subscription) {
    long number = subscription.number();
    recovering.remove(number);
    if (!troubled.containsKey(number) && troubled.size() >= MAX_TROUBLED) {
      return null;
    }
    return troubled.computeIfAbsent(
        number, key -> new Trouble(subscription, wallMillis.getAsLong()));
  }

  /** An endpoint said that it is gone, and the subscription was suspended. */
  synchronized void gone(Subscription subscription) {
    Trouble trouble = trouble(subscription);
    if (trouble != null) {
      trouble.failed = true;
    }
  }

  /** Returns true if the next attempt that succeeds is to be passed to {@link #delivered}. */
  boolean awaits(long subscription) {
    return !troubled.isEmpty() && troubled.containsKey(subscription);
  }

  /** An attempt has succeeded. */
  synchronized void delivered(long subscription) {
    Trouble trouble = troubled.get(subscription);
    if (trouble == null) {
      return;
    }
    if (!trouble.failed) {
      troubled.remove(subscription);
    } else if (!isQuiet(subscription) || !recover(trouble)) {
      recovering.add(subscription);
    }
  }

  /** Returns true unless a recovery of the subscription was reported within the last minute. */
  private boolean isQuiet(long subscription) {
    Long at = recoveredAtNanos.get(subscription);
    return at == null || nanoTime.getAsLong() - at >= QUIET_NANOS;
  }

  /** Reports the recovery, after what is left to report of the failure; false if it cannot now. */
  private boolean recover(Trouble trouble) {
    Subscription subscription = trouble.subscription;
    long number = subscription.number();
    if (!tellCounts(number)) {
      return false;
    }
    boolean told =
        out.test(
            new OperatorEvent.EndpointRecovered(
                subscription.project(),
                subscription.topic(),
                subscription.id(),
                Documents.time(trouble.sinceMillis),
                trouble.givenUp));
    if (told) {
      troubled.remove(number);
      recovering.remove(number);
      recoveredAtNanos.put(number, nanoTime.getAsLong());
    }
    return told;
  }

  /** Reports what is counted of a subscription; false if some of it must be reported later. */
  private boolean tellCounts(long subscription) {
    for (StopReason reason : REASONS) {
      Key key = Key.of(subscription, reason);
      Count count = counts.get(key);
      if (count != null && !tell(key, count)) {
        return false;
      }
    }
    return true;
  }

  /** A subscription was deleted: what is counted is reported, and then nothing more of it. */
  synchronized void forget(long subscription) {
    tellCounts(subscription);
    for (StopReason reason : REASONS) {
      counts.remove(Key.of(subscription, reason));
    }
    troubled.remove(subscription);
    recovering.remove(subscription);
    recoveredAtNanos.remove(subscription);
  }

  /** Reports what has waited for a minute. Is called about once a second. */
  synchronized void tell() {
    long now = nanoTime.getAsLong();
    Iterator<Map.Entry<Key, Count>> all = counts.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<Key, Count> entry = all.next();
      Count count = entry.getValue();
      if (now - count.toldAtNanos < QUIET_NANOS) {
        continue;
      }
      if (count.untold == 0) {
        all.remove();
      } else {
        tell(entry.getKey(), count);
      }
    }
    for (Long number : List.copyOf(recovering)) {
      Trouble trouble = troubled.get(number);
      if (trouble == null) {
        recovering.remove(number);
      } else if (isQuiet(number)) {
        recover(trouble);
      }
    }
    recoveredAtNanos.values().removeIf(at -> now - at >= QUIET_NANOS);
  }

  /** Reports all that waits, however short a time: it cannot be reported later. */
  synchronized void tellAll() {
    counts.forEach(this::tell);
  }

  /** Returns false if it must be reported later. */
  private boolean tell(Key key, Count count) {
    GivenUp last = count.last;
    if (last == null) {
      return true;
    }
    Subscription subscription = count.subscription;
    boolean told =
        out.test(
            new OperatorEvent.DeliveryExhausted(
                subscription == null ? key.project() : subscription.project(),
                subscription == null ? null : subscription.topic(),
                subscription == null ? null : subscription.id(),
                key.reason(),
                count.untold,
                Documents.time(count.sinceMillis),
                new OperatorEvent.DeliveryExhausted.Last(
                    subscription == null ? null : last.message() + "@" + subscription.id(),
                    last.attempts(),
                    harmless(last.summary()))));
    if (told) {
      count.toldAtNanos = nanoTime.getAsLong();
      count.untold = 0;
      count.last = null;
    }
    return told;
  }

  /** Returns text from outside as an event may have it: on one line, short, without secrets. */
  public static String harmless(String text) {
    String line = LogText.harmless(text);
    if (line.length() <= MAX_SUMMARY_CHARS) {
      return line;
    }
    // A pair of surrogates stays together.
    boolean splits = Character.isHighSurrogate(line.charAt(MAX_SUMMARY_CHARS - 1));
    return line.substring(0, splits ? MAX_SUMMARY_CHARS - 1 : MAX_SUMMARY_CHARS) + "…";
  }
}
