package dev.reprise.device.transport;

import dev.reprise.device.error.TransportException;

/** Receives what becomes of one message, with one outcome, on any thread. Must not block. */
public interface SendCallback {
  /**
   * Its last byte has left: it was written to the socket. Until then the message waits in a buffer
   * of the connection, and nobody can have answered it. Called once, before the outcome, by
   * transports that can tell.
   */
  default void onLeft() {}

  /** The other side has it. */
  void onAcknowledged();

  /**
   * It was not accepted, and the connection stays up. Whether it may be sent again is said by
   * {@link TransportException#isRetryable()}.
   */
  void onFailed(TransportException cause);
}
