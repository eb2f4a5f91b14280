package dev.reprise.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The operator's page of a cluster, as a test follows it: a test that reads it fails with it. */
final class OperationsPage {
  private static final String INDENT = "    ";
  private static final String PROGRAM = "./reprise";

  private final List<String> lines;

  private OperationsPage(List<String> lines) {
    this.lines = lines;
  }

  static OperationsPage read() throws IOException {
    return new OperationsPage(
        Files.readAllLines(Path.of("../service/cluster/OPERATIONS.md"), UTF_8));
  }

  /** The words behind {@code ./reprise} of the first command that begins with these. */
  List<String> command(String... beginning) {
    for (List<String> each : commands()) {
      if (each.size() >= beginning.length
          && each.subList(0, beginning.length).equals(List.of(beginning))) {
        return each;
      }
    }
    throw new AssertionError("the page has no command " + String.join(" ", beginning));
  }

  /** The same command with other values of some of its options. */
  static List<String> with(Map<String, String> values, List<String> command) {
    List<String> changed = new ArrayList<>(command);
    for (int i = 1; i < changed.size(); i++) {
      changed.set(i, values.getOrDefault(changed.get(i - 1), changed.get(i)));
    }
    return changed;
  }

  private List<List<String>> commands() {
    List<List<String>> commands = new ArrayList<>();
    StringBuilder command = new StringBuilder();
    for (String line : lines) {
      if (!line.startsWith(INDENT)) {
        continue;
      }
      String text = line.replaceFirst("\\s#.*", "").strip();
      if (text.endsWith("\\")) {
        command.append(text, 0, text.length() - 1);
        continue;
      }
      List<String> words = List.of(command.append(text).toString().strip().split("\\s+"));
      command.setLength(0);
      if (words.get(0).equals(PROGRAM)) {
        commands.add(words.subList(1, words.size()));
      }
    }
    return commands;
  }

  /** The cells of the rows of the table whose first column has this heading. */
  List<List<String>> table(String heading) {
    List<List<String>> rows = new ArrayList<>();
    boolean inside = false;
    for (String line : lines) {
      if (line.startsWith("| " + heading + " |")) {
        inside = true;
      } else if (inside && !line.startsWith("|")) {
        break;
      } else if (inside && !line.startsWith("|---")) {
        rows.add(Arrays.stream(line.substring(1).split("\\|", -1)).map(String::strip).toList());
      }
    }
    if (rows.isEmpty()) {
      throw new AssertionError("the page has no table of " + heading);
    }
    return rows;
  }
}
