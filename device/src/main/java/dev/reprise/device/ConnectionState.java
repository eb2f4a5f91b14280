package dev.reprise.device;

/** The state of a client's connection. */
public enum ConnectionState {
  /**
   * Nothing: it was never opened, was closed, or has given up; {@link StatusReason} tells which.
   */
  DISCONNECTED,

  /** It connects: for the first time, or to bring in a new token. Nothing has gone wrong. */
  CONNECTING,

  /** Messages can be sent. */
  CONNECTED,

  /** The connection failed or was lost. The client waits, or tries again. */
  RETRYING
}
