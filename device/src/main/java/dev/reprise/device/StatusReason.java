package dev.reprise.device;

/** Why a connection is in its state. */
public enum StatusReason {
  /** Nothing is wrong. */
  OK,

  /** The network, or what lies between the device and the other side. */
  NETWORK,

  /** No answer in time. */
  TIMEOUT,

  /** The hub throttles: the client slows down as a whole. */
  THROTTLED,

  /** An allowance is used up. */
  QUOTA,

  /** The other side could not serve a correct request. */
  SERVER,

  /** The identity of the device or of the other side could not be proved. */
  CREDENTIAL,

  /** The other side refused for a reason that trying again does not mend. */
  REFUSED,

  /** A token is replaced before it ends. Nothing has gone wrong. */
  TOKEN_RENEWAL,

  /** The retry policy or the time limit ended the retries. */
  RETRY_EXPIRED,

  /** The client was closed, or not opened yet. */
  CLOSED
}
