package dev.reprise.delivery;

/** An idempotency key was used again for something else. */
public final class IdempotencyConflictException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final transient MessageId earlier;

  /** Creates the exception. */
  public IdempotencyConflictException(MessageId earlier) {
    super("idempotency key was used for message " + earlier + " with another content");
    this.earlier = earlier;
  }

  /** The message that the key stands for. */
  public MessageId earlier() {
    return earlier;
  }
}
