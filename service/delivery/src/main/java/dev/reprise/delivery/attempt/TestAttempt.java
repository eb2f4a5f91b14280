package dev.reprise.delivery.attempt;

import dev.reprise.delivery.Attempt;
import dev.reprise.delivery.MessageId;

/**
 * A request that tests a receiver. It is made as an attempt is, but belongs to no delivery: no
 * shard knows of it.
 *
 * @param subscription the number of the subscription
 * @param message its id, which no message has
 * @param payload as a payload is stored
 * @param signing the signature that it has
 */
record TestAttempt(long subscription, MessageId message, byte[] payload, Signing signing)
    implements Attempt {
  /** The header that tells a receiver that a request is a test. */
  static final String HEADER = "Reprise-Test";

  @Override
  public int attempt() {
    return 1;
  }

  @Override
  public long startedNanos() {
    return System.nanoTime();
  }
}
