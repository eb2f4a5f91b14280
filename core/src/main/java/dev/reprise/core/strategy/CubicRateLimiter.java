package dev.reprise.core.strategy;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Finds out how fast the other side can be called, and paces calls to that: after a throttle it
 * slows down by a share, and then grows along the cubic curve of TCP CUBIC (RFC 9438), flat near
 * the rate that was too fast and steep far from it. Constants and formulas are those of the AWS
 * SDKs. Until the first throttle it only measures.
 *
 * <p>It decides and never waits. Calls are let through by a bucket of permits that fills at the
 * rate; when it is empty they take numbers, and are served in that order. No call has to come back
 * for its permit: what a bucket that fills steadily would have handed out by a given time is worked
 * out when the time is asked for, under one lock, and always before the rate changes. So permits
 * are never owed, and who is told a wait and sleeps it through is right; who asks again learns what
 * a new rate has made of his wait. Thread-safe.
 */
final class CubicRateLimiter {
  /** The share of the rate that is left after a throttle. */
  private static final double BETA = 0.7;

  /** The steepness of the curve. */
  private static final double SCALE = 0.4;

  /** The weight of the latest period in the measured rate. */
  private static final double SMOOTHING = 0.8;

  private static final double MIN_PERMITS_PER_SECOND = 0.5;
  private static final double MIN_CAPACITY = 1;
  private static final double PERIODS_PER_SECOND = 2;
  private static final double NANOS_PER_SECOND = 1e9;

  /** The tolerance of a permit: rounding must not send a call back to wait. */
  private static final double ROUNDING = 1e-9;

  private final LongSupplier nanoClock;
  private final long epochNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean enabled;

  private double measuredPerSecond;
  private double periodStartSeconds;
  private long callsInPeriod;

  private double lastMaxPerSecond;
  private double lastThrottleSeconds;

  private double permitsPerSecond;
  private double maxCapacity;
  private double capacity;
  private double filledAtSeconds;

  /** The highest number taken. */
  private long lastTicket;

  /** The highest number served; the permits of all up to it were handed out. */
  private long lastServed;

  /** Numbers above {@link #lastServed} whose takers wait no more. */
  private final Set<Long> left = new HashSet<>();

  CubicRateLimiter(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.epochNanos = nanoClock.getAsLong();
  }

  /** Returns true after the first throttle: from then on calls are paced. */
  boolean isEnabled() {
    return enabled;
  }

  /** Measures a call that was answered, and lets the rate grow. */
  void onSuccess() {
    lock.lock();
    try {
      double now = measure();
      changeRate(grownRate(lastMaxPerSecond, now - lastThrottleSeconds), now);
    } finally {
      lock.unlock();
    }
  }

  /** Measures a call that was throttled, and slows down. */
  void onThrottle() {
    lock.lock();
    try {
      double now = measure();
      double rate = enabled ? Math.min(measuredPerSecond, permitsPerSecond) : measuredPerSecond;
      lastMaxPerSecond = rate;
      lastThrottleSeconds = now;
      changeRate(reducedRate(rate), now);
      enabled = true;
    } finally {
      lock.unlock();
    }
  }

  /** Measures a call that failed for a reason which says nothing of the rate. */
  void onOtherFailure() {
    lock.lock();
    try {
      measure();
    } finally {
      lock.unlock();
    }
  }

  /** Takes a permit if one is left that no other call waits for. */
  boolean tryAcquire() {
    lock.lock();
    try {
      fill(now());
      return waiting() == 0 && takePermit();
    } finally {
      lock.unlock();
    }
  }

  /** Gives back a permit whose call is not made. */
  void giveBack() {
    lock.lock();
    try {
      fill(now());
      capacity += 1;
      serve();
    } finally {
      lock.unlock();
    }
  }

  /** Takes a number for a permit. */
  long enqueue() {
    lock.lock();
    try {
      fill(now());
      lastTicket++;
      serve();
      return lastTicket;
    } finally {
      lock.unlock();
    }
  }

  /** Returns how long a call would have to wait that takes a number now; 0: not at all. */
  long waitNanosOfNext() {
    lock.lock();
    try {
      fill(now());
      return waitNanos(waiting() + 1);
    } finally {
      lock.unlock();
    }
  }

  /** Returns how long the holder of a number must still wait at the rate of now; 0: not at all. */
  long waitNanosOf(long ticket) {
    lock.lock();
    try {
      fill(now());
      if (ticket <= lastServed) {
        return 0;
      }
      // Calls that left before this one are no longer among the waiting, calls behind it still are.
      return waitNanos(Math.min(ticket - lastServed, waiting()));
    } finally {
      lock.unlock();
    }
  }

  /** Lets a number go if it was not served yet. Returns false when it was. */
  boolean leave(long ticket) {
    lock.lock();
    try {
      fill(now());
      if (ticket <= lastServed) {
        return false;
      }
      left.add(ticket);
      serve();
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the measured rate of calls per second. */
  double measuredPerSecond() {
    lock.lock();
    try {
      return measuredPerSecond;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the rate that permits come at. */
  double permitsPerSecond() {
    lock.lock();
    try {
      return permitsPerSecond;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the permits that are left, at least 0. */
  double capacity() {
    lock.lock();
    try {
      fill(now());
      return capacity;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the time from a throttle to the moment when the rate is again what it was then. */
  static double secondsToRecover(double lastMaxPerSecond) {
    return Math.cbrt(lastMaxPerSecond * (1 - BETA) / SCALE);
  }

  static double grownRate(double lastMaxPerSecond, double secondsSinceThrottle) {
    double distance = secondsSinceThrottle - secondsToRecover(lastMaxPerSecond);
    return SCALE * distance * distance * distance + lastMaxPerSecond;
  }

  static double reducedRate(double ratePerSecond) {
    return BETA * ratePerSecond;
  }

  private double now() {
    return (nanoClock.getAsLong() - epochNanos) / NANOS_PER_SECOND;
  }

  private double measure() {
    double now = now();
    callsInPeriod++;
    double period = Math.floor(now * PERIODS_PER_SECOND) / PERIODS_PER_SECOND;
    if (period > periodStartSeconds) {
      double latest = callsInPeriod / (period - periodStartSeconds);
      measuredPerSecond = latest * SMOOTHING + measuredPerSecond * (1 - SMOOTHING);
      callsInPeriod = 0;
      periodStartSeconds = period;
    }
    return now;
  }

  private void changeRate(double calculated, double now) {
    fill(now);
    // A rate that is not used up must not grow without bound.
    double rate = Math.min(calculated, 2 * measuredPerSecond);
    permitsPerSecond = Math.max(rate, MIN_PERMITS_PER_SECOND);
    maxCapacity = Math.max(rate, MIN_CAPACITY);
    capacity = Math.min(capacity, maxCapacity);
  }

  private void fill(double now) {
    // Two threads may have read their times in the other order.
    if (now > filledAtSeconds) {
      capacity += (now - filledAtSeconds) * permitsPerSecond;
      filledAtSeconds = now;
    }
    serve();
  }

  /** Hands permits to the calls that waited longest; the rest may not exceed the maximum. */
  private void serve() {
    while (lastServed < lastTicket) {
      if (!left.remove(lastServed + 1) && !takePermit()) {
        return;
      }
      lastServed++;
    }
    capacity = Math.min(capacity, maxCapacity);
  }

  private boolean takePermit() {
    if (capacity < 1 - ROUNDING) {
      return false;
    }
    capacity = Math.max(0, capacity - 1);
    return true;
  }

  private long waiting() {
    return lastTicket - lastServed - left.size();
  }

  /** Returns the time until the bucket has handed out so many permits more. */
  private long waitNanos(long permits) {
    double missing = permits - capacity;
    if (missing <= ROUNDING) {
      return 0;
    }
    // The smallest rate is more than 0, and a rate is set before anyone waits.
    return (long) Math.ceil(missing / permitsPerSecond * NANOS_PER_SECOND);
  }
}
