package dev.reprise.device.queue;

import dev.reprise.device.queue.StoredMessage.Lifetime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells when messages on disk expire. Within the process that accepted them only monotonic time and
 * the sleep of the machine count. For those of an earlier process the wall clock is asked once,
 * when the queue is opened, how long they have waited; it is believed as far as that makes sense:
 *
 * <ul>
 *   <li>A clock that went back tells nothing: the time to live begins anew.
 *   <li>Neither does one that was not set when the message was accepted, and is now: a device
 *       without a battery boots in 1970, and must not lose all it has when it learns the time.
 *   <li>Nothing lives longer than its whole time to live, counted from the opening.
 * </ul>
 */
final class ExpiryClock {
  /** The lowest time of a wall clock that was set: this library is younger. */
  private static final long CLOCK_IS_SET_MILLIS =
      Instant.parse("2020-01-01T00:00:00Z").toEpochMilli();

  private final InstantSource wallClock;
  private final long openedMillis;
  private long firstOwnSequence = Long.MAX_VALUE;

  ExpiryClock(InstantSource wallClock) {
    this.wallClock = wallClock;
    this.openedMillis = wallClock.millis();
  }

  /** Sets the sequence from which on messages are accepted by this process. */
  void acceptsFrom(long sequence) {
    firstOwnSequence = sequence;
  }

  /** Returns the times to be stored with a message that is accepted now. */
  @Nullable Lifetime begin(@Nullable Duration timeToLive, long ageNanos) {
    return timeToLive == null ? null : new Lifetime(timeToLive, wallClock.millis(), ageNanos);
  }

  long expiryAgeNanos(long sequence, @Nullable Lifetime lifetime) {
    if (lifetime == null) {
      return Entry.NEVER;
    }
    long nanos = Lifetimes.nanos(lifetime.timeToLive());
    if (sequence >= firstOwnSequence) {
      return Lifetimes.sum(lifetime.acceptedAgeNanos(), nanos);
    }
    long waitedNanos = TimeUnit.MILLISECONDS.toNanos(waitedMillis(lifetime.acceptedWallMillis()));
    return nanos == Entry.NEVER ? Entry.NEVER : Math.max(0, nanos - waitedNanos);
  }

  /** Returns whether a wall clock that says this was set. */
  static boolean isSet(long wallMillis) {
    return wallMillis >= CLOCK_IS_SET_MILLIS;
  }

  private long waitedMillis(long acceptedMillis) {
    return !isSet(acceptedMillis) && isSet(openedMillis)
        ? 0
        : Math.max(0, openedMillis - acceptedMillis);
  }
}
