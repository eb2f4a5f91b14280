package dev.reprise.delivery.catalog;

/** What was asked for contradicts what there is. Nothing was changed. */
public final class ConflictException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A conflict, described for the one who asked. */
  public ConflictException(String message) {
    super(message);
  }
}
