package dev.reprise.lab.kernel;

import java.util.Arrays;
import java.util.concurrent.CancellationException;

/**
 * Events in virtual time, of which the earliest is next; of those at the same moment, the one that
 * was scheduled first. A binary heap in arrays, of any events at any times. While an event occurs
 * its place stays open, so that an event which schedules its successor, as most do, moves through
 * the heap once and not twice.
 *
 * <p>Not thread-safe: one for each simulation.
 */
public final class EventHeap {
  /** Something that happens. It may be scheduled again as soon as it occurs. */
  public interface Event {
    /** Happens; called at {@link #nowNanos}. */
    void occur();
  }

  /** The number of events between two checks for an interrupt. */
  private static final int LOOK_EVERY = 1 << 16;

  private final long mostAtOnce;
  private long[] times = new long[64];
  private long[] orders = new long[64];
  private Event[] events = new Event[64];
  private int size;

  /** True while the root is free, because its event occurs. */
  private boolean rootIsOpen;

  private boolean stopped;
  private long nowNanos;
  private long scheduled;
  private long occurred;
  private long occurredAtOnce;

  /**
   * Creates a heap at time 0.
   *
   * @param mostAtOnce how many events may occur without any time passing: more of them would never
   *     end
   */
  public EventHeap(long mostAtOnce) {
    this.mostAtOnce = mostAtOnce;
  }

  /** Returns the present time in nanoseconds from the start of the run. */
  public long nowNanos() {
    return nowNanos;
  }

  /** Returns how many events have occurred. */
  public long occurred() {
    return occurred;
  }

  /**
   * Lets an event occur later. Delays that go beyond the end of time end there.
   *
   * @param delayNanos from now, at least 0
   */
  public void schedule(long delayNanos, Event event) {
    long atNanos = nowNanos + delayNanos;
    if (atNanos < 0) {
      atNanos = Long.MAX_VALUE;
    }
    if (rootIsOpen) {
      rootIsOpen = false;
      siftDown(atNanos, scheduled++, event);
      return;
    }
    if (size == times.length) {
      grow();
    }
    siftUp(size++, atNanos, scheduled++, event);
  }

  /**
   * Lets all events up to a time occur, and time pass with them, or all until {@link #stop}.
   *
   * @param endNanos the latest time of an event that still occurs
   * @throws CancellationException when the thread is interrupted
   * @throws IllegalArgumentException when there is no end to the events of one moment
   */
  public void runUntil(long endNanos) {
    while (!stopped) {
      closeRoot();
      if (size == 0 || times[0] > endNanos) {
        return;
      }
      if (times[0] == nowNanos) {
        requireProgress();
      } else {
        nowNanos = times[0];
        occurredAtOnce = 0;
      }
      occurred++;
      if (occurred % LOOK_EVERY == 0 && Thread.currentThread().isInterrupted()) {
        throw new CancellationException("the run was interrupted");
      }
      rootIsOpen = true;
      events[0].occur();
    }
  }

  /** Ends the run after the present event; what is still scheduled never occurs. */
  public void stop() {
    stopped = true;
  }

  private void requireProgress() {
    occurredAtOnce++;
    if (occurredAtOnce > mostAtOnce) {
      throw new IllegalArgumentException(
          "more than "
              + mostAtOnce
              + " events at "
              + nowNanos / 1e9
              + " s: attempts that take no time follow each other without end; give the policy a"
              + " delay or fewer attempts, or, where no outage makes them fail at once, the model"
              + " a hop or a service time");
    }
  }

  /** Removes the event that has occurred, unless another one has taken its place. */
  private void closeRoot() {
    if (!rootIsOpen) {
      return;
    }
    rootIsOpen = false;
    size--;
    Event last = events[size];
    events[size] = null;
    if (size > 0) {
      siftDown(times[size], orders[size], last);
    }
  }

  private void siftUp(int from, long time, long order, Event event) {
    int place = from;
    while (place > 0) {
      int parent = (place - 1) >>> 1;
      // Of events at the same time, the one scheduled first goes first.
      if (times[parent] <= time) {
        break;
      }
      move(parent, place);
      place = parent;
    }
    put(place, time, order, event);
  }

  private void siftDown(long time, long order, Event event) {
    int place = 0;
    while (true) {
      int child = 2 * place + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && isBefore(child + 1, times[child], orders[child])) {
        child++;
      }
      if (!isBefore(child, time, order)) {
        break;
      }
      move(child, place);
      place = child;
    }
    put(place, time, order, event);
  }

  private boolean isBefore(int place, long time, long order) {
    return times[place] < time || (times[place] == time && orders[place] < order);
  }

  private void move(int from, int to) {
    put(to, times[from], orders[from], events[from]);
  }

  private void put(int place, long time, long order, Event event) {
    times[place] = time;
    orders[place] = order;
    events[place] = event;
  }

  private void grow() {
    times = Arrays.copyOf(times, 2 * size);
    orders = Arrays.copyOf(orders, 2 * size);
    events = Arrays.copyOf(events, 2 * size);
  }
}
