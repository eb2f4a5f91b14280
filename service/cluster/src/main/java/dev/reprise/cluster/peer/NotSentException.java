package dev.reprise.cluster.peer;

/** A request has not reached the other node, which has done nothing then. */
public final class NotSentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A request that was not sent, because something has failed. */
  public NotSentException(String message, Throwable cause) {
    super(message, cause);
  }

  /** A request that was not sent, because of a rule. */
  public NotSentException(String message) {
    super(message);
  }

  /** Returns whether an error is one, or is for one. */
  static boolean isCauseOf(Throwable error) {
    return error instanceof NotSentException || error.getCause() instanceof NotSentException;
  }
}
