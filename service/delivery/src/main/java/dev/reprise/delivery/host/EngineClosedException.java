package dev.reprise.delivery.host;

/** The engine is closing or closed. Nothing of the request was done. */
public final class EngineClosedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The exception. */
  public EngineClosedException() {
    super("the service is stopping");
  }
}
