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

  /** The other side could not serve a correct request. */
  SERVER,

  /** The device sent something wrong, or something that is not allowed. */
  CLIENT,

  /** The identity of the device or of the other side could not be proved. */
  CREDENTIAL,

  /** No table or rule knows this failure. It is not retried. */
  UNKNOWN
}
