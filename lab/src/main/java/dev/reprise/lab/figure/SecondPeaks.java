package dev.reprise.lab.figure;

/**
 * Finds the most that happens in a second, before recovery and from it on. Seconds count from
 * recovery, backward and forward; the run's first may be cut short. Found while a run goes on, so
 * that no run is too long for it. Not thread-safe.
 */
public final class SecondPeaks {
  private long second = Long.MIN_VALUE;
  private double inSecond;
  private double before;
  private double after;

  /**
   * Counts what happened.
   *
   * @param number which second from recovery on, never an earlier one than before; less than 0
   *     before recovery
   */
  public void add(long number, double count) {
    if (number != second) {
      settle();
      second = number;
      inSecond = 0;
    }
    inSecond += count;
  }

  private void settle() {
    if (second < 0) {
      before = Math.max(before, inSecond);
    } else {
      after = Math.max(after, inSecond);
    }
  }

  /** Returns the most in a second before recovery. */
  public double before() {
    settle();
    return before;
  }

  /** Returns the most in a second from recovery on. */
  public double after() {
    settle();
    return after;
  }
}
