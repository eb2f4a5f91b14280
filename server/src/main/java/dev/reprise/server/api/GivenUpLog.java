package dev.reprise.server.api;

import dev.reprise.delivery.GivenUp;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tells which subscriptions lose deliveries: of each the first at once, then at most one line a
 * minute with how many there were. Safe for use by several threads.
 */
public final class GivenUpLog {
  /** More subscriptions than these, within a minute, are told of together. */
  static final int MAX_SUBSCRIPTIONS = 1000;

  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final String OTHERS = "";

  private final Consumer<String> log;
  private final LongSupplier nanoTime;
  private final Map<String, Recent> recent = new HashMap<>();

  /**
   * The deliveries of a subscription that are not yet logged, because some were within the last
   * minute.
   */
  private static final class Recent {
    private long toldAtNanos;
    private long untold;
    private @Nullable GivenUp last;
  }

  /**
   * A log with nothing to tell yet.
   *
   * @param log gets each line
   * @param nanoTime a monotonic clock
   */
  public GivenUpLog(Consumer<String> log, LongSupplier nanoTime) {
    this.log = log;
    this.nanoTime = nanoTime;
  }

  /** A delivery of the subscription was given up. */
  synchronized void gaveUp(String subscription, GivenUp delivery) {
    Recent known = recent.get(subscription);
    if (known == null && recent.size() < MAX_SUBSCRIPTIONS) {
      known = new Recent();
      known.toldAtNanos = nanoTime.getAsLong();
      recent.put(subscription, known);
      log.accept("subscription " + subscription + " gave up a delivery: " + told(delivery));
      return;
    }
    if (known == null) {
      known = recent.computeIfAbsent(OTHERS, name -> quietFromNow());
    }
    known.untold++;
    known.last = delivery;
  }

  private Recent quietFromNow() {
    Recent others = new Recent();
    others.toldAtNanos = nanoTime.getAsLong();
    return others;
  }

  /** Logs what has waited for a minute. Is called every few seconds. */
  public synchronized void tell() {
    long now = nanoTime.getAsLong();
    Iterator<Map.Entry<String, Recent>> all = recent.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, Recent> entry = all.next();
      Recent known = entry.getValue();
      if (now - known.toldAtNanos < QUIET_NANOS) {
        continue;
      }
      GivenUp last = known.last;
      if (last == null) {
        all.remove();
        continue;
      }
      String who =
          entry.getKey().equals(OTHERS) ? "other subscriptions" : "subscription " + entry.getKey();
      String more = known.untold == 1 ? "1 more delivery" : known.untold + " more deliveries";
      log.accept(who + " gave up " + more + "; the last: " + told(last));
      known.toldAtNanos = now;
      known.untold = 0;
      known.last = null;
    }
  }

  private static String told(GivenUp delivery) {
    // An endpoint's answer must not look like a line of this log.
    String summary = delivery.summary().replaceAll("\\p{Cntrl}", " ");
    return "message "
        + delivery.message()
        + ", "
        + delivery.reason().name().toLowerCase(Locale.ROOT)
        + " after "
        + (delivery.attempts() == 1 ? "1 attempt" : delivery.attempts() + " attempts")
        + (summary.isBlank() ? "" : " (" + summary + ")");
  }
}
