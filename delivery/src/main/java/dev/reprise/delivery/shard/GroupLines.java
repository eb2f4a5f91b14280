package dev.reprise.delivery.shard;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions that wait for their group: one line for each {@link Pace}, which take turns as
 * those of the {@link RunQueue} do, and one for those whose next attempt is a retry that the
 * group's budget does not allow yet. Each step takes the same time, however many wait. Not safe for
 * use by several threads.
 */
final class GroupLines {
  private static final Pace[] PACES = Pace.values();

  private final Map<Pace, Line> lines = new EnumMap<>(Pace.class);
  private final Line retries = new Line();
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
    private Line line;
    private @Nullable Place before;
    private @Nullable Place behind;

    private Place(SubscriptionState state, boolean forRetry, Line line) {
      this.state = state;
      this.forRetry = forRetry;
      this.line = line;
    }
  }

  GroupLines() {
    for (Pace pace : PACES) {
      lines.put(pace, new Line());
    }
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  /** Whether somebody of this pace waits for a place. */
  boolean hasWaiting(Pace pace) {
    return lineOf(pace).first != null;
  }

  /** Whether somebody waits for a place in a line that {@code open} lets through. */
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
  void add(SubscriptionState state, boolean atHead) {
    put(new Place(state, /* forRetry= */ false, lineOf(state.pace())), atHead);
  }

  /** Puts a subscription that waits nowhere into the line of retries. */
  void addRetry(SubscriptionState state, boolean atHead) {
    put(new Place(state, /* forRetry= */ true, retries), atHead);
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
    if (!place.forRetry) {
      unlink(place);
      place.line = lineOf(place.state.pace());
      link(place, /* atHead= */ false);
    }
  }

  /** Takes the first of the next line that {@code open} lets through; null if there is none. */
  @Nullable SubscriptionState poll(Predicate<Pace> open) {
    for (int i = 0; i < PACES.length; i++) {
      Pace pace = PACES[next];
      next = (next + 1) % PACES.length;
      Place first = lineOf(pace).first;
      if (first != null && open.test(pace)) {
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

  private Line lineOf(Pace pace) {
    Line line = lines.get(pace);
    if (line == null) {
      throw new IllegalStateException("there is no line for " + pace);
    }
    return line;
  }
}
