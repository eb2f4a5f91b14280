package dev.reprise.cli.apply;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.InputFile;
import dev.reprise.cli.terminal.Terminal;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Texts that stand elsewhere than in the files, as secrets do: {@code {file: PATH}}, relative to
 * the folder of the file that names it, and {@code {variable: NAME}} of the environment.
 */
final class SecretSource {
  private static final String FILE = "file";
  private static final String VARIABLE = "variable";

  private SecretSource() {}

  /** Returns whether the value names such a place. */
  static boolean isSource(JsonNode value) {
    return value.isObject()
        && value.size() == 1
        && (value.path(FILE).isString() || value.path(VARIABLE).isString());
  }

  /**
   * Returns the text: the part itself if it is one, or what stands at the place that it names.
   *
   * @throws CommandFailure when it cannot be read
   */
  static String read(Part part, Terminal terminal) {
    JsonNode value = part.json();
    if (value.isValueNode()) {
      return value.asString("");
    }
    if (!isSource(value)) {
      throw CommandFailure.wrongUsage(part.mistake("must be {file: PATH} or {variable: NAME}"));
    }
    return value.has(FILE)
        ? file(part, value.path(FILE).stringValue())
        : variable(part, value.path(VARIABLE).stringValue(), terminal);
  }

  private static String variable(Part part, String name, Terminal terminal) {
    String value = terminal.environment().get(name);
    if (value == null || value.isEmpty()) {
      throw CommandFailure.wrongUsage(
          part.mistake("needs the variable " + name + ", which is not set"));
    }
    return value;
  }

  private static String file(Part part, String name) {
    String text;
    try {
      @Nullable Path folder = Path.of(part.document().file()).toAbsolutePath().getParent();
      text = InputFile.text((folder == null ? Path.of(name) : folder.resolve(name)).toString());
    } catch (InvalidPathException e) {
      throw CommandFailure.wrongUsage(part.mistake("names no file: " + e.getMessage()));
    } catch (CommandFailure e) {
      throw CommandFailure.wrongUsage(part.mistake("cannot be read: " + e.text()));
    }
    // Keys in PEM have many lines; of a file with a password, the end of the line is no part.
    return text.contains("-----BEGIN") ? text : text.lines().findFirst().orElse("");
  }
}
