package dev.reprise.server.serve;

/** The service could not start. The message is for the operator; nothing is left running. */
public final class StartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  StartException(String message) {
    super(message);
  }

  StartException(String message, Throwable cause) {
    super(message, cause);
  }
}
