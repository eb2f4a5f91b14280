package dev.reprise.delivery.http;

import java.util.function.Consumer;

/** Makes HTTP attempts. The seam between the delivery engine and an HTTP client. Thread-safe. */
public interface HttpSender extends AutoCloseable {
  /** The part of a response's body that is kept unless an attempt asks for another, in bytes. */
  int MAX_EXCERPT_BYTES = 1024;

  /**
   * Makes one attempt. Returns at once and never throws; the attempt is never repeated by itself.
   *
   * @param done gets the outcome, exactly once, on any thread, never under a lock; must not block
   */
  void send(HttpAttempt attempt, Consumer<HttpOutcome> done);

  /** Ends what is in flight as failed, and closes all connections. Attempts made later fail. */
  @Override
  void close();
}
