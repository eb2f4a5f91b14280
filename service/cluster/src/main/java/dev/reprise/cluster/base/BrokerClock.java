package dev.reprise.cluster.base;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.common.Node;

/**
 * Compares the clock of this node with each broker's, by the times at which they appended what it
 * sent. Most brokers decide: this node's clock is wrong if more than half of those that answered
 * lately show so, and else a broker that differs is at fault, which stops no node. Safe for use by
 * many threads.
 *
 * <p>What was read before a clock was set here, or this machine was suspended, is not used any
 * more. As long as half of the brokers or less have answered since, the last result stays.
 */
public final class BrokerClock {
  /** A clock that is off by more makes deliveries early here, or late after the next take-over. */
  public static final long MAX_OFF_MILLIS = 10_000;

  /** Some probes; a broker that does not answer for so long is left out. */
  private static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** NTP slews a clock by less within that time; it was set, if it has moved by more. */
  private static final long MAX_SLEWED_MILLIS = 1_000;

  private final LongSupplier wall;
  private final LongSupplier nanos;
  private final Map<Integer, Reading> readings = new HashMap<>();
  private Set<Integer> leaders = Set.of();
  private volatile Known known = new Known(0, 0, List.of(), 0);

  /** A time by both clocks of this node. */
  public record Moment(long wallMillis, long nanos) {
    /** Returns how far the wall clock is ahead of the other, which is never set. */
    private long aheadMillis() {
      return wallMillis - TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    private boolean isBeforeSettingOf(Moment later) {
      return Math.abs(later.aheadMillis() - aheadMillis()) > MAX_SLEWED_MILLIS;
    }
  }

  /**
   * The clock of one broker.
   *
   * @param leastMillis how far this node's is ahead of it at least, when the append was known
   * @param mostMillis how far it is ahead of it at the most
   */
  private record Reading(Node broker, Moment acked, long leastMillis, long mostMillis) {
    /** Returns by how much this node's clock is certainly ahead; less than 0 if it is behind. */
    long certainMillis() {
      return leastMillis > 0 ? leastMillis : Math.min(mostMillis, 0);
    }

    /** Returns by how much the broker is certainly ahead of those that have {@code millis}. */
    long aheadOf(long millis) {
      if (mostMillis < millis) {
        return millis - mostMillis;
      }
      return Math.min(millis - leastMillis, 0);
    }
  }

  /**
   * A broker whose clock differs from most others by more than is allowed.
   *
   * @param offMillis by how much it is ahead of them; less than 0 if it is behind
   * @param problem the same in a sentence
   */
  public record WrongBroker(int id, long offMillis, String problem) {}

  /** The result of the brokers that answered lately. */
  private record Known(
      long offMillis, long brokerMillis, List<WrongBroker> wrong, long furthestMillis) {}

  /** Compares the clock of this machine. */
  public BrokerClock() {
    this(System::currentTimeMillis);
  }

  /** Compares another clock, in milliseconds of wall time. */
  public BrokerClock(LongSupplier wall) {
    this(wall, System::nanoTime);
  }

  /** Compares another clock, and measures time by another one as well. */
  public BrokerClock(LongSupplier wall, LongSupplier nanos) {
    this.wall = wall;
    this.nanos = nanos;
  }

  /** Returns the present time by this node's clock. */
  public long nodeMillis() {
    return wall.getAsLong();
  }

  /** Returns the present time by both clocks of this node. */
  public Moment now() {
    return new Moment(wall.getAsLong(), nanos.getAsLong());
  }

  /** The brokers that lead anything, and so can answer. */
  public synchronized void leadBy(Set<Integer> ids) {
    leaders = Set.copyOf(ids);
  }

  /**
   * A broker has appended something, which is known just now.
   *
   * @param sent before it was sent
   * @param appendedMillis by the broker's clock
   */
  public synchronized void appended(Node broker, Moment sent, long appendedMillis) {
    Moment acked = now();
    if (sent.isBeforeSettingOf(acked)) {
      return;
    }
    readings.put(
        broker.id(),
        new Reading(
            broker,
            acked,
            sent.wallMillis() - appendedMillis,
            acked.wallMillis() - appendedMillis));
    List<Reading> lately = lately(acked);
    if (2 * lately.size() > leaders.size()) {
      known = judge(lately, sent);
    }
  }

  private List<Reading> lately(Moment now) {
    readings
        .values()
        .removeIf(
            each ->
                each.acked().isBeforeSettingOf(now)
                    || now.nanos() - each.acked().nanos() > LATELY_NANOS);
    List<Reading> lately = new ArrayList<>(readings.values());
    if (!leaders.isEmpty()) {
      lately.removeIf(each -> !leaders.contains(each.broker().id()));
    }
    lately.sort(Comparator.comparingInt(each -> each.broker().id()));
    return lately;
  }

  private static Known judge(List<Reading> lately, Moment sent) {
    long median = median(lately);
    long agreeing = lately.stream().filter(each -> !isWrong(each.aheadOf(median))).count();
    List<WrongBroker> wrong = new ArrayList<>();
    long furthest = 0;
    for (Reading each : lately) {
      long off = each.aheadOf(median);
      if (Math.abs(off) > Math.abs(furthest)) {
        furthest = off;
      }
      if (isWrong(off)) {
        wrong.add(
            new WrongBroker(
                each.broker().id(),
                off,
                problem(each.broker(), off, isWrong(median) ? "" : "this node's and ", agreeing)));
      }
    }
    // Of the time before the append is certain that it has been.
    return new Known(median, sent.wallMillis() - median, List.copyOf(wrong), furthest);
  }

  private static String problem(Node broker, long offMillis, String node, long others) {
    return String.format(
        Locale.ROOT,
        "the clock of broker %d at %s:%d differs from %s%d other broker%s by %d ms",
        broker.id(),
        broker.host(),
        broker.port(),
        node,
        others,
        others == 1 ? "'s" : "s'",
        offMillis);
  }

  private static boolean isWrong(long offMillis) {
    return Math.abs(offMillis) > MAX_OFF_MILLIS;
  }

  /** Returns the one in the middle; of two, the one that is nearer to this node's clock. */
  private static long median(List<Reading> lately) {
    long[] sorted = lately.stream().mapToLong(Reading::certainMillis).sorted().toArray();
    long upper = sorted[sorted.length / 2];
    long lower = sorted[(sorted.length - 1) / 2];
    return Math.abs(lower) <= Math.abs(upper) ? lower : upper;
  }

  /**
   * Returns the time by most brokers' clocks at which the last append began that was confirmed; 0
   * if too few brokers have answered.
   */
  public long brokerMillis() {
    return known.brokerMillis();
  }

  /** Returns by how much this node's clock is certainly ahead; less than 0 if it is behind. */
  public long offMillis() {
    return known.offMillis();
  }

  /** Returns whether this node may own shards. */
  public boolean isRight() {
    return !isWrong(known.offMillis());
  }

  /** Returns the brokers whose clocks are wrong, in the order of their numbers. */
  public List<WrongBroker> wrongBrokers() {
    return known.wrong();
  }

  /** Returns how far the broker is ahead of most that differs most; less than 0 if behind. */
  public long furthestMillis() {
    return known.furthestMillis();
  }
}
