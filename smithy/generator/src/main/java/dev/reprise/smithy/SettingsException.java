package dev.reprise.smithy;

/**
 * Settings that cannot be used, or that do not fit the model. The message names the setting, its
 * value and the rule.
 */
public final class SettingsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * Creates the exception.
   *
   * @param message names the setting, its value and the rule
   */
  public SettingsException(String message) {
    super(message);
  }
}
