package dev.reprise.cli.service;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.InputFile;
import dev.reprise.cli.terminal.Terminal;

/**
 * A secret that an option names as NAME=FILE, so that other users of the machine do not see it.
 *
 * @param name of the field
 * @param text of the secret
 */
record SecretOption(String name, String text) {
  /** Reads the file, or the standard input for {@code -}. */
  static SecretOption of(String option, String value, Terminal terminal) {
    int equals = value.indexOf('=');
    if (equals < 1) {
      // The secret itself may stand where its file's name belongs, so it is not repeated.
      throw CommandFailure.wrongUsage(option + " must be NAME=FILE");
    }
    String file = value.substring(equals + 1);
    String text = file.equals("-") ? InputFile.standardInput(terminal) : InputFile.text(file);
    // Keys in PEM have many lines; of a file with a password, the end of the line is no part.
    return new SecretOption(
        value.substring(0, equals),
        text.contains("-----BEGIN") ? text : text.lines().findFirst().orElse(""));
  }

  /** Hides the text. */
  @Override
  public String toString() {
    return name;
  }
}
