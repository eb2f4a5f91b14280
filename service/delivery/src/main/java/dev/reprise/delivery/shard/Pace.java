package dev.reprise.delivery.shard;

import java.time.Duration;

/**
 * The pace at which a subscription's attempts give back their places. Endpoints that answer soon
 * share most of a shard's places, so that those that hang cannot take them all; see {@link Places}.
 * Stored with the subscription, so that a restart does not have to find it out again.
 */
enum Pace {
  /** No attempt has ended yet. */
  UNKNOWN,
  /** The last attempt that ended took less than {@link #PROMPT_NANOS}. */
  PROMPT,
  /** It took longer. */
  SLOW,
  /** It took more than {@link #HANGING_NANOS}, or the oldest one under way has. */
  HANGING;

  private static final long PROMPT_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long HANGING_NANOS = Duration.ofSeconds(5).toNanos();

  /** The pace of an endpoint whose last attempt took so long. */
  static Pace of(long durationNanos) {
    if (durationNanos < PROMPT_NANOS) {
      return PROMPT;
    }
    return hangs(durationNanos) ? HANGING : SLOW;
  }

  static boolean hangs(long durationNanos) {
    return durationNanos > HANGING_NANOS;
  }
}
