package dev.reprise.lab.fleet;

import dev.reprise.lab.kernel.EventWheel;
import java.util.Arrays;

/**
 * The events of a tick, as rising numbers: by the part of the tick first, for it stands on top.
 *
 * <p>Parts are random in most ticks. So the events are dealt out to about as many buckets as there
 * are events, by the highest bits of their parts, and what is left to do is next to nothing.
 */
final class TickBatch {
  /** A fuller bucket shows a herd, which takes a sort that is never slow. */
  private static final int MAX_IN_BUCKET = 24;

  private final int partShift;
  private final int[] starts = new int[TickTime.PARTS + 1];
  private long[] events = new long[1_024];
  private long[] dealt = new long[0];
  private int size;

  /**
   * Creates an empty one.
   *
   * @param partShift how far up the part of the tick stands in an event
   */
  TickBatch(int partShift) {
    this.partShift = partShift;
  }

  int size() {
    return size;
  }

  long event(int index) {
    return events[index];
  }

  /** Takes all events of the next tick. */
  void pollFrom(EventWheel wheel) {
    size = 0;
    boolean rising = true;
    long last = Long.MIN_VALUE;
    do {
      long event = wheel.poll();
      rising &= event >= last;
      last = event;
      if (size == events.length) {
        events = Arrays.copyOf(events, 2 * size);
      }
      events[size++] = event;
    } while (wheel.hasMoreInTick());
    // Devices without jitter come in the order in which they came before.
    if (!rising) {
      sort();
    }
  }

  private void sort() {
    int bits = Math.min(TickTime.PARTS_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(size));
    int fullest = dealOut(bits);
    if (fullest <= MAX_IN_BUCKET) {
      insertionSort(events, size);
      return;
    }
    int from = 0;
    for (int bucket = 0; bucket < 1 << bits; bucket++) {
      Arrays.sort(events, from, starts[bucket]);
      from = starts[bucket];
    }
  }

  /** Puts the events into the order of their buckets, and returns how many the fullest has. */
  private int dealOut(int bits) {
    if (dealt.length < size) {
      dealt = new long[events.length];
    }
    int shift = partShift + TickTime.PARTS_BITS - bits;
    int buckets = 1 << bits;
    Arrays.fill(starts, 0, buckets + 1, 0);
    for (int i = 0; i < size; i++) {
      starts[(int) (events[i] >>> shift) + 1]++;
    }
    int fullest = 0;
    for (int bucket = 1; bucket <= buckets; bucket++) {
      fullest = Math.max(fullest, starts[bucket]);
      starts[bucket] += starts[bucket - 1];
    }
    // Each start moves to the end of its bucket.
    for (int i = 0; i < size; i++) {
      dealt[starts[(int) (events[i] >>> shift)]++] = events[i];
    }
    long[] swapped = events;
    events = dealt;
    dealt = swapped;
    return fullest;
  }

  private static void insertionSort(long[] events, int size) {
    for (int i = 1; i < size; i++) {
      long event = events[i];
      int at = i;
      while (at > 0 && events[at - 1] > event) {
        events[at] = events[at - 1];
        at--;
      }
      events[at] = event;
    }
  }
}
