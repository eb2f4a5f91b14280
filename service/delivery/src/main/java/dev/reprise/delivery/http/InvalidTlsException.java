package dev.reprise.delivery.http;

/** A certificate, key or authority of a subscriber that cannot be used. Never holds the key. */
final class InvalidTlsException extends Exception {
  private static final long serialVersionUID = 1;

  /**
   * A problem for people.
   *
   * @param part {@code certificate}, {@code key} or {@code authority}
   * @param rule what it must be
   */
  InvalidTlsException(String part, String rule) {
    super(part + ": " + rule);
  }

  /** Returns part and rule. */
  String problem() {
    return String.valueOf(getMessage());
  }
}
