package dev.reprise.server.document;

/** A text that is neither YAML nor JSON, or more than {@link YamlText} takes. */
public final class InvalidYamlException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * The error of a text.
   *
   * @param message one line: the file, the line and column if they are known, and the rule
   */
  InvalidYamlException(String message) {
    super(message, null, false, false);
  }
}
