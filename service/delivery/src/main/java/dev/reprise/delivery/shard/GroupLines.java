package dev.reprise.delivery.shard;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions that wait for their group: one line for each {@link Pace}, which take turns as
 * those of the {@link RunQueue} do, and one for those whose next attempt is a retry that the
 * group's budget does not allow yet. While the group is held, those that were tried in this hold
 * stand in lines of their own, behind all others. Each step takes the same time, however many wait.
 * Not safe for use by several threads.
 */
final class GroupLines {
  private static final Pace[] PACES = Pace.values();

  /** Those that a client asked for, which go before all others. */
  private final Map<Pace, Line> front = lines();

  private final Map<Pace, Line> lines = lines();

  /** Those that were tried in the hold of the group. */
  private final Map<Pace, Line> tried = lines();

  private final Line retries = new Line();

  /** Whether one that was tried is next, once the group is not held any more. */
  private boolean triedIsNext;

  private int next;
  private int size;

  /** When the group's timer fires, wall time; {@code Long.MAX_VALUE} if it is not armed. */
  long timerAtMillis = Long.MAX_VALUE;

  /** One line, whose places are linked so that any of them can be given up. */
  private static final class Line {
    @Nullable Place first;
    @Nullable Place last;
  }

  /** The place of a subscription in a line. */
  static final class Place {
    final SubscriptionState state;
    final boolean forRetry;

    /** The lines of all paces of which it stands in one; null for the line of retries. */
    private @Nullable Map<Pace, Line> lines;

    private Line line;
    private @Nullable Place before;
    private @Nullable Place behind;

    /** A place in the line of the subscription's pace. */
    private Place(SubscriptionState state, Map<Pace, Line> lines) {
      this.state = state;
      this.forRetry = false;
      this.lines = lines;
      this.line = lineOf(lines, state.pace());
    }

    private Place(SubscriptionState state, Line retries) {
      this.state = state;
      this.forRetry = true;
      this.line = retries;
    }
  }

  private static Map<Pace, Line> lines() {
    Map<Pace, Line> lines = new EnumMap<>(Pace.class);
    for (Pace pace : PACES) {
      lines.put(pace, new Line());
    }
    return lines;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  /** Whether a subscription of this pace waits for a place. */
  boolean hasWaiting(Pace pace) {
    return lineOf(lines, pace).first != null
        || lineOf(tried, pace).first != null
        || lineOf(front, pace).first != null;
  }

  /** Whether a subscription waits for a place in a line that {@code open} lets through. */
  boolean hasWaiting(Predicate<Pace> open) {
    for (Pace pace : PACES) {
      if (hasWaiting(pace) && open.test(pace)) {
        return true;
      }
    }
    return false;
  }

  boolean hasRetries() {
    return retries.first != null;
  }

  /** Puts a subscription that waits nowhere at the end of its line, or at the head of it. */
  void add(SubscriptionState state, boolean wasTried, boolean atHead) {
    put(new Place(state, wasTried ? tried : lines), atHead);
  }

  /** Puts a subscription that waits nowhere before all that wait. */
  void addInFront(SubscriptionState state) {
    put(new Place(state, front), /* atHead= */ true);
  }

  /** Puts a subscription that waits nowhere into the line of retries. */
  void addRetry(SubscriptionState state, boolean atHead) {
    put(new Place(state, retries), atHead);
  }

  private void put(Place place, boolean atHead) {
    if (place.state.waits != null) {
      throw new IllegalStateException("it waits already");
    }
    place.state.waits = place;
    size++;
    link(place, atHead);
  }

  /** Takes a subscription out that waits here, wherever it stands. */
  void remove(Place place) {
    unlink(place);
    size--;
    place.state.waits = null;
  }

  /** A subscription that waits here has changed its pace. */
  void paceChanged(Place place) {
    if (place.lines != null) {
      move(place, place.lines);
    }
  }

  /** A subscription that waits here was tried in the hold of the group. */
  void tried(Place place) {
    if (place.lines != null) {
      move(place, tried);
    }
  }

  private static void move(Place place, Map<Pace, Line> to) {
    unlink(place);
    place.lines = to;
    place.line = lineOf(to, place.state.pace());
    link(place, /* atHead= */ false);
  }

  /**
   * Takes the first of the next line that {@code open} lets through; null if there is none.
   *
   * @param isHeld whether the group is held; otherwise those that were tried take turns with others
   */
  @Nullable SubscriptionState poll(Predicate<Pace> open, boolean isHeld) {
    SubscriptionState first = pollOf(front, open);
    if (first != null) {
      return first;
    }
    boolean triedFirst = !isHeld && triedIsNext;
    triedIsNext = !triedFirst;
    first = pollOf(triedFirst ? tried : lines, open);
    return first != null ? first : pollOf(triedFirst ? lines : tried, open);
  }

  private @Nullable SubscriptionState pollOf(Map<Pace, Line> of, Predicate<Pace> open) {
    for (int i = 0; i < PACES.length; i++) {
      Pace pace = PACES[(next + i) % PACES.length];
      Place first = lineOf(of, pace).first;
      if (first != null && open.test(pace)) {
        next = (next + i + 1) % PACES.length;
        remove(first);
        return first.state;
      }
    }
    return null;
  }

  /** Takes the first one that waits for a retry; null if there is none. */
  @Nullable SubscriptionState pollRetry() {
    Place first = retries.first;
    if (first == null) {
      return null;
    }
    remove(first);
    return first.state;
  }

  private static void link(Place place, boolean atHead) {
    Line line = place.line;
    Place before = atHead ? null : line.last;
    Place behind = atHead ? line.first : null;
    place.before = before;
    place.behind = behind;
    if (before == null) {
      line.first = place;
    } else {
      before.behind = place;
    }
    if (behind == null) {
      line.last = place;
    } else {
      behind.before = place;
    }
  }

  private static void unlink(Place place) {
    Line line = place.line;
    Place before = place.before;
    Place behind = place.behind;
    if (before == null) {
      line.first = behind;
    } else {
      before.behind = behind;
    }
    if (behind == null) {
      line.last = before;
    } else {
      behind.before = before;
    }
    place.before = null;
    place.behind = null;
  }

  private static Line lineOf(Map<Pace, Line> of, Pace pace) {
    Line line = of.get(pace);
    if (line == null) {
      throw new IllegalStateException("there is no line for " + pace);
    }
    return line;
  }
}
