package dev.reprise.device;

import dev.reprise.device.error.TransportException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The time in which a device may not send anything: nothing is sent for minutes, then a few
 * messages are tried one after the other, then nothing again, until one is acknowledged. Used in
 * the loop only.
 */
final class RightsPause {
  private final RandomGenerator random;

  /** Why the device may not send, or null when it may. */
  private @Nullable TransportException cause;

  private boolean isWaiting;
  private long untilNanos;
  private int waits;

  /** The attempts that were made before the present tries. */
  private long attemptsBefore;

  RightsPause(RandomGenerator random) {
    this.random = random;
  }

  void begin(TransportException newCause, long now) {
    cause = newCause;
    waitOnceMore(now);
  }

  void waitOnceMore(long now) {
    waits = waits == Integer.MAX_VALUE ? waits : waits + 1;
    isWaiting = true;
    untilNanos = now + Reconnects.REFUSED.delayNanos(waits, random);
  }

  /** Ends it: a message was acknowledged. */
  void end() {
    cause = null;
    isWaiting = false;
    waits = 0;
  }

  /** Ends the present wait. */
  void tryNow(long now) {
    untilNanos = now;
  }

  @Nullable TransportException cause() {
    return cause;
  }

  boolean isOn() {
    return cause != null;
  }

  /**
   * Returns whether nothing may be sent now.
   *
   * @param attempts those made until now
   */
  boolean isWaiting(long now, long attempts) {
    if (isWaiting && untilNanos - now <= 0) {
      isWaiting = false;
      attemptsBefore = attempts;
    }
    return isWaiting;
  }

  long untilNanos() {
    return untilNanos;
  }

  /** Returns the number of the last attempt before the present tries. */
  long attemptsBefore() {
    return attemptsBefore;
  }
}
