package dev.reprise.server.event;

import java.util.concurrent.TimeUnit;

/**
 * Whether something is at fault, as last reported. A fault is reported once a minute at most, its
 * end at once. Not safe for use by several threads.
 */
final class Alarm {
  private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

  private boolean told;
  private boolean toldBefore;
  private long toldAtNanos;

  /** Returns whether it was at fault as last reported. */
  boolean told() {
    return told;
  }

  /** Returns true if it is over for so long that the next fault is reported at once. */
  boolean isOver(long nowNanos) {
    return !told && nowNanos - toldAtNanos >= QUIET_NANOS;
  }

  /** Returns true if the state differs from the last report, and is to be reported now. */
  boolean isNews(boolean fault, long nowNanos) {
    if (fault == told || (fault && toldBefore && nowNanos - toldAtNanos < QUIET_NANOS)) {
      return false;
    }
    told = fault;
    if (fault) {
      toldBefore = true;
      toldAtNanos = nowNanos;
    }
    return true;
  }
}
