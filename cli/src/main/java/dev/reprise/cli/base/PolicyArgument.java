package dev.reprise.cli.base;

import dev.reprise.cli.terminal.Terminal;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.PolicyException;
import dev.reprise.policy.Presets;
import dev.reprise.policy.document.Violation;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/**
 * A policy as it is given on a command line: the name of a preset, a document, a file, or {@code
 * -}.
 *
 * @param name the preset's name, the file's without its ending, or {@code policy}
 * @param source what errors call it
 * @param text the document, or the bare name of a preset
 */
public record PolicyArgument(String name, String source, String text) {
  public static final String FORMS = "a preset's name, a JSON document, a file, or - for the input";

  public static PolicyArgument of(String argument, Terminal terminal) {
    String trimmed = argument.strip();
    if (trimmed.equals("-")) {
      return new PolicyArgument("policy", "the input", InputFile.standardInput(terminal));
    }
    if (Presets.names().contains(trimmed)) {
      return new PolicyArgument(trimmed, trimmed, trimmed);
    }
    if (trimmed.startsWith("{")) {
      return new PolicyArgument("policy", "the policy", trimmed);
    }
    return new PolicyArgument(nameOf(argument), argument, fileText(argument));
  }

  /**
   * Reads the policy.
   *
   * @throws CommandFailure when it breaks a rule; it names every one
   */
  public <T> T read(Function<String, T> format) {
    try {
      return format.apply(text);
    } catch (PolicyException e) {
      List<String> mistakes = e.violations().stream().map(Violation::toString).toList();
      throw mistakes.size() < 2
          ? CommandFailure.wrongUsage(source + ": " + e.getMessage())
          : new CommandFailure(
              ExitCode.WRONG_USAGE,
              source + ": " + mistakes.size() + " rules are broken:",
              mistakes);
    }
  }

  /** Returns the document for the service to read, after the checks that need no service. */
  public JsonNode topicDocument() {
    read(PolicyDocuments::readTopic);
    return document();
  }

  public JsonNode subscriptionDocument() {
    read(PolicyDocuments::readSubscription);
    return document();
  }

  private JsonNode document() {
    String bare = text.strip();
    return Presets.names().contains(bare)
        ? Json.object().put("preset", bare)
        : Json.read(source, text);
  }

  public static String nameOf(String file) {
    Path path = Path.of(file).getFileName();
    String name = path == null ? file : path.toString();
    int dot = name.lastIndexOf('.');
    return dot > 0 ? name.substring(0, dot) : name;
  }

  private static String fileText(String file) {
    if (!file.contains("/") && !file.contains(".") && !Path.of(file).toFile().exists()) {
      throw CommandFailure.wrongUsage(
          file
              + " is neither a file nor a preset: presets are "
              + String.join(", ", Presets.names()));
    }
    return InputFile.text(file);
  }
}
