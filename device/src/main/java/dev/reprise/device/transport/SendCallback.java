package dev.reprise.device.transport;

import dev.reprise.device.error.TransportException;

/** Receives the outcome of one message: one call of one method, on any thread. Must not block. */
public interface SendCallback {
  /** The other side has it. */
  void onAcknowledged();

  /**
   * It was not accepted, and the connection stays up. Whether it may be sent again is said by
   * {@link TransportException#isRetryable()}.
   */
  void onFailed(TransportException cause);
}
