package dev.reprise.device.error;

/** The kind of an error, the same for every protocol. */
public enum ErrorKind {
  /** The network, or what lies between the device and the other side. */
  NETWORK,

  /** No answer in time. */
  TIMEOUT,

  /** The hub throttles: requests came too fast. */
  THROTTLE,

  /** An allowance is used up. */
  QUOTA,

  /** The other side could not do what was rightly asked. */
  SERVER,

  /** The device sent something wrong, or something that is not allowed. */
  CLIENT,

  /** The device could not prove who it is, or the other side could not. */
  CREDENTIAL,

  /** No table or rule knows this failure. It is not retried. */
  UNKNOWN
}
