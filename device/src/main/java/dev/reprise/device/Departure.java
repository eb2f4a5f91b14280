package dev.reprise.device;

/**
 * The way of one attempt to send a message out of the process. {@link #left} may be called by any
 * thread; all else is used in the loop only.
 */
final class Departure {
  /** Attempts that were handed over later have larger numbers. */
  final long number;

  final long sentNanos;

  /** The reading of the clock of active time when it was handed over. */
  final long sentActiveNanos;

  private volatile boolean hasLeft;
  private volatile long leftNanos;

  private boolean isPassed;
  private long passedNanos;

  Departure(long number, long sentNanos, long sentActiveNanos) {
    this.number = number;
    this.sentNanos = sentNanos;
    this.sentActiveNanos = sentActiveNanos;
  }

  void left(long nowNanos) {
    leftNanos = nowNanos;
    hasLeft = true;
  }

  boolean hasLeft() {
    return hasLeft;
  }

  /** Returns when it left; only if it has. */
  long leftNanos() {
    return leftNanos;
  }

  /** One that left later is answered, so this one has arrived, too. */
  void passed(long nowNanos) {
    if (hasLeft && !isPassed) {
      isPassed = true;
      passedNanos = nowNanos;
    }
  }

  boolean isPassed() {
    return isPassed;
  }

  long passedNanos() {
    return passedNanos;
  }
}
