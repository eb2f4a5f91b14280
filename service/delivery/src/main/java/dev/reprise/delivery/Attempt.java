package dev.reprise.delivery;

import org.jspecify.annotations.Nullable;

/** One attempt of a delivery that is to be made now. */
public interface Attempt {
  /** Returns the number of the subscription. */
  long subscription();

  /** Returns the message. */
  MessageId message();

  /** Returns the number of this attempt, from 1. */
  int attempt();

  /** Returns the payload as stored. */
  byte[] payload();

  /** Returns when the attempt began, in nanoseconds of the shard's monotonic clock. */
  long startedNanos();

  /**
   * Returns whether the attempt may begin. The sender asks right before the attempt's first byte is
   * sent, and gives it back ({@link AttemptOutcome#MAY_NOT_BEGIN}) if it may not: the shard may
   * have another owner by then. Does not block; safe for use by many threads.
   */
  default boolean mayBegin() {
    return true;
  }

  /** Returns the place of the attempt in the trace of its message; null for none. */
  default @Nullable TraceContext trace() {
    return null;
  }
}
