package dev.reprise.delivery.shard;

import java.util.PriorityQueue;

/**
 * One virtual clock and everything that is going to happen on it. Whoever waits lets the others act
 * meanwhile ({@link #pass}); what waits ends in the reverse order of its beginning, so somebody may
 * find that more time has passed than was asked for.
 */
final class VirtualTime {
  private record Happening(long atNanos, long order, Runnable action)
      implements Comparable<Happening> {
    @Override
    public int compareTo(Happening other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Happening> happenings = new PriorityQueue<>();
  private final long maxHappenings;
  private long nanos;
  private long order;
  private long happened;

  /** Begins at 0. After so many happenings something is taken to go on for ever. */
  VirtualTime(long maxHappenings) {
    this.maxHappenings = maxHappenings;
  }

  long nanos() {
    return nanos;
  }

  long millis() {
    return nanos / 1_000_000;
  }

  /** Something happens after a delay. */
  void after(long delayNanos, Runnable action) {
    happenings.add(new Happening(nanos + Math.max(0, delayNanos), order++, action));
  }

  /** Runs what happens next; nobody is forgotten, so there is always something. */
  void next() {
    Happening next = happenings.poll();
    ShardModel.require(next != null, "nothing happens any more");
    run(next);
  }

  /** Lets time pass, and everything happen that is due meanwhile. */
  void pass(long forNanos) {
    long end = nanos + forNanos;
    Happening next;
    while ((next = happenings.peek()) != null && next.atNanos() <= end) {
      happenings.poll();
      run(next);
    }
    nanos = Math.max(nanos, end);
  }

  /** Whether less has happened than would be taken to go on for ever. */
  boolean mayGoOn() {
    return happened < maxHappenings;
  }

  private void run(Happening next) {
    happened++;
    nanos = Math.max(nanos, next.atNanos());
    next.action().run();
  }
}
