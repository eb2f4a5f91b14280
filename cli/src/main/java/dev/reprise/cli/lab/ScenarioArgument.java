package dev.reprise.cli.lab;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.InputFile;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.lab.replay.RecordedFailures;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.lab.scenario.ScenarioDocuments;
import dev.reprise.lab.scenario.ScenarioException;
import dev.reprise.lab.scenario.ScenarioLibrary;
import dev.reprise.lab.scenario.Traces;
import dev.reprise.lab.scenario.Variant;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A scenario as it is given on a command line: the name of a ready one, a file, or {@code -}.
 *
 * @param source what errors call it
 * @param text the document
 * @param traces where the files are that it names
 */
record ScenarioArgument(String source, String text, Traces traces) {
  static final String FORMS = "the name of a ready one, a file, or - for the input";

  static ScenarioArgument of(String argument, Terminal terminal) {
    String trimmed = argument.strip();
    if (trimmed.equals("-")) {
      return new ScenarioArgument(
          "the input", InputFile.standardInput(terminal), RecordedFailures.in(Path.of("")));
    }
    if (ScenarioLibrary.names().contains(trimmed)) {
      return new ScenarioArgument(trimmed, ScenarioLibrary.read(trimmed), Traces.NONE);
    }
    if (!trimmed.contains("/") && !trimmed.contains(".") && !Path.of(trimmed).toFile().exists()) {
      throw CommandFailure.wrongUsage(
          trimmed + " is neither a file nor a ready scenario: see ./reprise lab scenarios");
    }
    Path folder = Path.of(argument).toAbsolutePath().getParent();
    return new ScenarioArgument(
        argument,
        InputFile.text(argument),
        RecordedFailures.in(folder == null ? Path.of("") : folder));
  }

  /** Returns the scenario; a sweep in it is not applied. */
  Scenario scenario() {
    return read(document -> ScenarioDocuments.read(document, traces));
  }

  /** Returns one scenario for each value of its sweep; none when it has no sweep. */
  List<Variant> variants() {
    return read(document -> ScenarioDocuments.variants(document, traces));
  }

  /** Returns the same with a sweep in the place of its own. */
  ScenarioArgument withSweep(String field, List<String> values) {
    if (!(Json.read(source, text) instanceof ObjectNode scenario)) {
      return this;
    }
    ArrayNode array = scenario.putObject("sweep").put("field", field).putArray("values");
    for (String value : values) {
      // A number or JSON is written as it is, anything else as a text.
      JsonNode json = Json.tryRead(value.strip());
      array.add(json == null ? Json.text(value.strip()) : json);
    }
    return new ScenarioArgument(source, scenario.toString(), traces);
  }

  private <T> T read(Function<String, T> reader) {
    if (!text.stripLeading().startsWith("{")) {
      throw CommandFailure.wrongUsage(
          source
              + " is no scenario: must be a JSON object; ./reprise lab scenarios herd-after-outage"
              + " prints one to begin with");
    }
    try {
      return reader.apply(text);
    } catch (ScenarioException e) {
      throw CommandFailure.wrongUsage(source + ": " + e.getMessage());
    }
  }
}
