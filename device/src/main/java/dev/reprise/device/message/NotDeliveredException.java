package dev.reprise.device.message;

/** Tells that a message was not acknowledged, and how it ended instead. */
public final class NotDeliveredException extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient MessageOutcome outcome;

  /** Creates the exception of an outcome that is no acknowledgement. */
  public NotDeliveredException(MessageOutcome outcome) {
    super(
        "message " + outcome.messageId() + " was not delivered: " + outcome.kind(),
        outcome.cause(),
        false,
        false);
    this.outcome = outcome;
  }

  /** Returns how the message ended. */
  public MessageOutcome outcome() {
    return outcome;
  }
}
