package dev.reprise.server.watch;

import dev.reprise.delivery.GivenUp;
import dev.reprise.server.log.LogText;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Logs which subscriptions lose deliveries: of each the first at once, then at most one line a
 * minute with how many there were. Safe for use by several threads.
 */
public final class GivenUpLog {
  /** More subscriptions than these, within a minute, are reported together. */
  static final int MAX_SUBSCRIPTIONS = 1000;

  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final String OTHERS = "";

  private final Sink log;
  private final LongSupplier nanoTime;
  private final Map<String, Recent> recent = new HashMap<>();

  /** Takes the lines. */
  public interface Sink {
    /**
     * Takes one line.
     *
     * @param text the line
     * @param subscription the id of the subscription that it is on; null for several
     * @param last the last delivery that it is on
     */
    void log(String text, @Nullable String subscription, GivenUp last);
  }

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
   * A log with nothing to report yet.
   *
   * @param log gets each line
   * @param nanoTime a monotonic clock
   */
  public GivenUpLog(Sink log, LongSupplier nanoTime) {
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
      log.log(
          "subscription " + subscription + " gave up a delivery: " + told(delivery),
          subscription,
          delivery);
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
      String one = entry.getKey().equals(OTHERS) ? null : entry.getKey();
      String who = one == null ? "other subscriptions" : "subscription " + one;
      String more = known.untold == 1 ? "1 more delivery" : known.untold + " more deliveries";
      log.log(who + " gave up " + more + "; the last: " + told(last), one, last);
      known.toldAtNanos = now;
      known.untold = 0;
      known.last = null;
    }
  }

  private static String told(GivenUp delivery) {
    String summary = LogText.harmless(delivery.summary());
    return "message "
        + delivery.message()
        + ", "
        + delivery.reason().name().toLowerCase(Locale.ROOT)
        + " after "
        + (delivery.attempts() == 1 ? "1 attempt" : delivery.attempts() + " attempts")
        + (summary.isBlank() ? "" : " (" + summary + ")");
  }
}
