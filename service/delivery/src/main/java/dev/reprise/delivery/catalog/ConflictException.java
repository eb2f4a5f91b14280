package dev.reprise.delivery.catalog;

/** Thrown when a request contradicts the catalog. Nothing was changed. */
public final class ConflictException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A conflict, described for the client. */
  public ConflictException(String message) {
    super(message);
  }
}
