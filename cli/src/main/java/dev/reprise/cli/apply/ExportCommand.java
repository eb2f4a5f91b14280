package dev.reprise.cli.apply;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.server.document.YamlWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes the settings of a service as files that apply reads. */
@Command(
    name = "export",
    description = {
      "Write topics, subscriptions, carriers and projects as a file for apply.",
      "The file has what differs from the defaults, of all projects that the API key may see, or"
          + " of --project. A service shows no secrets: a variable stands for each."
    },
    footer = {
      "  ./reprise export --out reprise.yaml",
      "  ./reprise export --project shop",
      "  ./reprise export --json"
    })
public final class ExportCommand extends BaseCommand {
  private static final String SECRETS =
      """
      # Secrets are not exported: {variable: NAME} stands for each. The value of the variable, or the
      # content of a file, {file: PATH}, is needed where a secret is not set yet.
      """;

  @Option(names = "--out", paramLabel = "FILE", description = "Write into a file.")
  private @Nullable Path out;

  @Override
  public Integer call() {
    ServiceState state = new ServiceState(root());
    Exported exported = new Exported(state);
    boolean whole = state.isOperator() && root().project() == null;
    List<ObjectNode> documents = documents(state, exported, whole);
    if (!whole) {
      terminal()
          .note(
              "Without carriers and projects: "
                  + (root().project() == null
                      ? "only an operator's API key may see them."
                      : "they are left out with --project."));
    }
    write(json() ? asJson(documents) : asYaml(documents, exported.hasSecrets()));
    return ExitCode.DONE;
  }

  private static List<ObjectNode> documents(ServiceState state, Exported exported, boolean whole) {
    List<ObjectNode> documents = new ArrayList<>();
    ObjectNode first = Json.object();
    if (whole) {
      put(first, "carriers", exported.carriers());
      put(first, "projects", exported.projects());
    }
    List<String> projects =
        whole ? List.copyOf(new TreeSet<>(state.projects().keySet())) : List.of(state.ownProject());
    for (String project : projects) {
      ObjectNode topics = exported.topics(project);
      if (project.equals(state.ownProject())) {
        // What names no project is of that of the key, or of --project.
        first.set("topics", topics);
      } else if (!topics.isEmpty()) {
        documents.add(Json.object().put("project", project));
        documents.get(documents.size() - 1).set("topics", topics);
      }
    }
    documents.add(0, first);
    return documents;
  }

  private static void put(ObjectNode document, String name, ObjectNode section) {
    if (!section.isEmpty()) {
      document.set(name, section);
    }
  }

  private static String asYaml(List<ObjectNode> documents, boolean hasSecrets) {
    return (hasSecrets ? SECRETS : "")
        + String.join("---\n", documents.stream().map(YamlWriter::write).toList());
  }

  private static String asJson(List<ObjectNode> documents) {
    if (documents.size() == 1) {
      return documents.get(0).toPrettyString() + "\n";
    }
    ArrayNode list = Json.object().putArray("documents");
    documents.forEach(list::add);
    return list.toPrettyString() + "\n";
  }

  private void write(String text) {
    if (out == null) {
      terminal().out().print(text);
      return;
    }
    try {
      Files.writeString(out, text);
    } catch (IOException e) {
      throw CommandFailure.failed(out + " cannot be written: " + e.getMessage());
    }
  }
}
