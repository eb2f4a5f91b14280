package dev.reprise.device;

/**
 * Receives each change of a client's status, in order, one at a time, outside any lock: it may call
 * the client, {@code open} and {@code close} included, and may block, which delays only what this
 * client tells.
 */
@FunctionalInterface
public interface StatusListener {
  /** Called after the status has changed. */
  void onStatus(ConnectionStatus status, ConnectionStatus previous);
}
