package dev.reprise.device.transport.amqp;

import java.util.Objects;

/**
 * Claims-based security: the token is put at the node {@code $cbs} of the other side before any
 * link is attached, and again, on the same connection, before it ends. Source: OASIS AMQP
 * Claims-based Security 1.0, working draft 6.
 *
 * @param tokenType what the token is, such as {@code servicebus.windows.net:sastoken} or {@code
 *     jwt}
 * @param audience what the token gives access to, such as {@code
 *     hub.azure-devices.net/devices/pump-7}
 */
public record CbsSettings(String tokenType, String audience) {
  /** Checks that nothing is null. */
  public CbsSettings {
    Objects.requireNonNull(tokenType, "tokenType");
    Objects.requireNonNull(audience, "audience");
  }
}
