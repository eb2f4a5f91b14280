package dev.reprise.bench.retry.peer;

import java.time.Duration;

/** The asynchronous retry loops that are compared. */
public enum AsyncLoop {
  HAND_WRITTEN,
  NETTY_WHEEL,
  REPRISE,
  RESILIENCE4J,
  GAX,
  FAILSAFE;

  /** Opens a loop; only now are the library's classes loaded. */
  public AsyncCalls open(AsyncWork work, Duration delay) {
    return switch (this) {
      case HAND_WRITTEN -> HandLoop.asyncCalls(work);
      case NETTY_WHEEL -> new WheelLoop(work, delay);
      case REPRISE -> RepriseLoop.asyncCalls(work, delay);
      case RESILIENCE4J -> Resilience4jLoop.asyncCalls(work, delay);
      case GAX -> GaxLoop.asyncCalls(work, delay);
      case FAILSAFE -> FailsafeLoop.asyncCalls(work, delay);
    };
  }
}
