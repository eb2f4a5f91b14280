package dev.reprise.delivery;

/** The subscription has gone. */
public final class NoSubscriptionException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public NoSubscriptionException() {
    super("subscription was removed");
  }
}
