package dev.reprise.endpoints.email;

/** A relay cannot be used now; nothing was said of a message. */
final class RelayException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean loginRefused;

  /**
   * A relay that cannot be used.
   *
   * @param reason one line for people
   * @param loginRefused whether another relay is not to be asked either: each refusal of a password
   *     is one step to an account that is locked
   */
  RelayException(String reason, boolean loginRefused) {
    super(reason);
    this.loginRefused = loginRefused;
  }

  String reason() {
    return String.valueOf(getMessage());
  }

  boolean loginRefused() {
    return loginRefused;
  }
}
