package dev.reprise.delivery;

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
}
