package dev.reprise.server.peer;

/** A request has not reached the other node, which has done nothing then. */
public final class NotSentException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  NotSentException(String message, Throwable cause) {
    super(message, cause);
  }

  NotSentException(String message) {
    super(message);
  }
}
