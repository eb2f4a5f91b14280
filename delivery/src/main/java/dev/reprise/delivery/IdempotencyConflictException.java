package dev.reprise.delivery;

/** An idempotency key was used again for something else. */
public final class IdempotencyConflictException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public IdempotencyConflictException(MessageId earlier) {
    super("idempotency key was used for message " + earlier + " with another content");
  }
}
