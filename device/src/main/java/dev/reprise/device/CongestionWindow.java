package dev.reprise.device;

import java.util.function.LongSupplier;

/**
 * Slows the whole client down after a throttle: nothing is sent for a while, then fewer messages at
 * a time, and one more with each window of acknowledgements.
 */
final class CongestionWindow {
  private final int maxInFlight;

  private double window;
  private boolean paused;
  private long pausedUntilNanos;
  private int throttlesInARow;

  CongestionWindow(int maxInFlight) {
    this.maxInFlight = maxInFlight;
    this.window = maxInFlight;
  }

  /** Returns how many pauses there were since something was last acknowledged after one. */
  int throttlesInARow() {
    return throttlesInARow;
  }

  /**
   * Pauses the client. Several refusals of messages that were under way together count once.
   *
   * @return true when this is a new pause
   */
  boolean throttled(long nowNanos, long pauseNanos) {
    long untilNanos = nowNanos + Math.min(pauseNanos, Long.MAX_VALUE / 4);
    boolean another = !isPaused(nowNanos);
    if (another) {
      window = Math.max(1, window / 2);
      throttlesInARow++;
      pausedUntilNanos = untilNanos;
    } else if (untilNanos - pausedUntilNanos > 0) {
      pausedUntilNanos = untilNanos;
    }
    paused = true;
    return another;
  }

  /** Returns whether nothing may be sent now. */
  boolean isPaused(long nowNanos) {
    return paused && pausedUntilNanos - nowNanos > 0;
  }

  /** Returns whether nothing was acknowledged after a pause yet. */
  boolean isThrottled() {
    return paused;
  }

  /** Returns how long nothing may be sent, at least 0. */
  long pauseNanos(long nowNanos) {
    return isPaused(nowNanos) ? pausedUntilNanos - nowNanos : 0;
  }

  /** Returns how many messages may be in flight. */
  int window() {
    return (int) window;
  }

  /**
   * Ends a pause that is over if there is no message to send that would end it.
   *
   * @return true when there was such a pause
   */
  boolean resumeIf(boolean nothingToSend) {
    if (!paused || !nothingToSend) {
      return false;
    }
    paused = false;
    return true;
  }

  /**
   * Notes an acknowledgement.
   *
   * @param now the clock, which is read only after a throttle
   * @return true when it is the first after a pause: the other side takes messages again
   */
  boolean acknowledged(LongSupplier now) {
    if (window < maxInFlight) {
      window = Math.min(maxInFlight, window + 1 / window);
    }
    if (!paused || isPaused(now.getAsLong())) {
      return false;
    }
    paused = false;
    throttlesInARow = 0;
    return true;
  }
}
