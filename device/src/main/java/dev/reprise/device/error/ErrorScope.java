package dev.reprise.device.error;

/** The part of the client that an error concerns. */
public enum ErrorScope {
  /** The connection cannot be used any more, or could not be made. */
  CONNECTION,

  /** One message or one request; the connection stays up. */
  OPERATION
}
