package dev.reprise.delivery.engine;

/** More is being published than can be made durable just now. Nothing of the request was done. */
public final class OverloadedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  OverloadedException(long queuedBytes) {
    super(queuedBytes + " bytes of publishes are waiting to be made durable: try again soon");
  }
}
