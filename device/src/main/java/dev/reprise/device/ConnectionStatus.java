package dev.reprise.device;

import dev.reprise.device.error.TransportException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state of a connection, and why.
 *
 * @param state what the client is doing
 * @param reason why
 * @param cause the failure behind it, or null when there is none
 * @param retries the retries made since the connection was last stable, at least 0
 * @param retryDelay while RETRYING and waiting: how long the wait is; else null
 */
public record ConnectionStatus(
    ConnectionState state,
    StatusReason reason,
    @Nullable TransportException cause,
    int retries,
    @Nullable Duration retryDelay) {
  /** The status of a client that was not opened yet. */
  static final ConnectionStatus NEW =
      new ConnectionStatus(ConnectionState.DISCONNECTED, StatusReason.CLOSED, null, 0, null);
}
