package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.GroupCommand;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Facts;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.document.ProjectDocument;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Projects: what topics, subscriptions and API keys belong to. */
@Command(
    name = "project",
    description = "Create, list, show, update or delete projects.",
    footer = {"  ./reprise project create shop --quota publishesPerSecond=500"},
    subcommands = {
      ProjectCommand.Create.class,
      ProjectCommand.ListAll.class,
      ProjectCommand.Show.class,
      ProjectCommand.Update.class,
      ProjectCommand.Delete.class
    })
public final class ProjectCommand extends GroupCommand {
  private static final String PATH = "/v1/projects";
  private static final String CARRIERS = "carriers";
  private static final String QUOTAS = "quotas";

  /** The settings of a project, as options. */
  static final class Settings {
    @Option(
        names = "--carrier",
        paramLabel = "NAME",
        description =
            "A carrier that the project may use, or * for all. May be repeated; those named are"
                + " then the only ones.")
    private @Nullable List<String> carriers;

    @Option(
        names = "--quota",
        paramLabel = "QUOTA=N",
        description =
            "A quota: topics, subscriptions, publishesPerSecond, pendingDeliveries or messageBytes;"
                + " QUOTA=none removes it. May be repeated.")
    private Map<String, String> quotas = Map.of();

    void putInto(ObjectNode document) {
      if (carriers != null) {
        ArrayNode names = document.putArray(CARRIERS);
        carriers.forEach(names::add);
      }
      ObjectNode bounds =
          document.get(QUOTAS) instanceof ObjectNode set ? set : document.putObject(QUOTAS);
      quotas.forEach(
          (name, text) -> {
            if (text.equals("none")) {
              bounds.remove(name);
            } else {
              JsonNode number = text.matches("[0-9]{1,9}") ? Json.tryRead(text) : null;
              bounds.set(name, number == null ? Json.text(text) : number);
            }
          });
    }
  }

  @Command(
      name = "create",
      description = "Create a project.",
      footer = {
        "  ./reprise project create shop",
        "  ./reprise project create shop --carrier mail --quota topics=10",
        "  ./reprise key create shop-ci --project shop --scope publish"
      })
  static final class Create extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The project.")
    private String name = "";

    @Mixin private Settings settings = new Settings();

    @Override
    public Integer call() {
      ObjectNode document = Json.object().put("name", name);
      settings.putInto(document);
      JsonNode answer = root().client().send("POST", PATH, document, QUOTAS);
      if (!root().printedAsJson(answer)) {
        terminal().line("project " + HarmlessText.visible(name));
      }
      return ExitCode.DONE;
    }
  }

  @Command(name = "list", description = "List the projects.", footer = "  ./reprise project list")
  static final class ListAll extends BaseCommand {
    @Mixin private LimitOption limit = new LimitOption();

    @Override
    public Integer call() {
      JsonNode pages = Pages.read(root().client(), PATH, Map.of(), limit.value());
      if (root().printedAsJson(pages)) {
        return ExitCode.DONE;
      }
      Table table = new Table("PROJECT", ">TOPICS", ">SUBSCRIPTIONS", ">PENDING", "QUOTAS");
      for (ProjectDocument project : Pages.items(pages, ProjectDocument.class)) {
        ProjectDocument.Usage usage = project.usage();
        table.row(
            project.name(),
            usage == null ? "" : usage.topics(),
            usage == null ? "" : usage.subscriptions(),
            usage == null ? "" : usage.pendingDeliveries(),
            quotas(project));
      }
      table.print(terminal(), "");
      Pages.noteMore(terminal(), pages);
      return ExitCode.DONE;
    }
  }

  private static String quotas(ProjectDocument project) {
    JsonNode quotas = project.quotas();
    StringBuilder text = new StringBuilder();
    if (quotas != null) {
      quotas.forEachEntry(
          (name, value) ->
              text.append(text.isEmpty() ? "" : ", ").append(name).append(' ').append(value));
    }
    return text.toString();
  }

  @Command(
      name = "show",
      description = "Show a project, its quotas and how much of them is used.",
      footer = "  ./reprise project show shop")
  static final class Show extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The project.")
    private String name = "";

    @Override
    public Integer call() {
      JsonNode answer = root().client().get(ApiClient.path(PATH, name), QUOTAS);
      if (root().printedAsJson(answer)) {
        return ExitCode.DONE;
      }
      ProjectDocument project = Json.document(answer, ProjectDocument.class);
      JsonNode quotas = answer.path(QUOTAS);
      Facts facts =
          new Facts(terminal())
              .add("project", new Cell(project.name(), Style.BOLD))
              .add("created", project.createdAt())
              .add("carriers", String.join(", ", project.carriers()));
      answer
          .path("usage")
          .forEachEntry((quota, used) -> facts.add(quota, used + of(quotas.path(quota))));
      facts.add(
          "messageBytes",
          quotas.has("messageBytes") ? "at most " + quotas.get("messageBytes") : "");
      facts.print();
      return ExitCode.DONE;
    }

    private static String of(JsonNode quota) {
      return quota.isNumber() ? " of " + quota : "";
    }
  }

  @Command(
      name = "update",
      description = "Change carriers or quotas of a project; what is not named stays.",
      footer = {
        "  ./reprise project update shop --quota topics=20 --quota messageBytes=none",
        "  ./reprise project update default --carrier mail --carrier sms"
      })
  static final class Update extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The project.")
    private String name = "";

    @Mixin private Settings settings = new Settings();

    @Override
    public Integer call() {
      ApiClient client = root().client();
      String path = ApiClient.path(PATH, name);
      JsonNode before = client.get(path, QUOTAS);
      ObjectNode document = Json.object();
      document.set(CARRIERS, before.path(CARRIERS));
      document.set(QUOTAS, before.path(QUOTAS));
      settings.putInto(document);
      JsonNode answer = client.send("PUT", path, document, QUOTAS);
      if (!root().printedAsJson(answer)) {
        terminal().line("project " + HarmlessText.visible(name) + " updated");
      }
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "delete",
      description = "Delete a project that has neither topics nor API keys.",
      footer = "  ./reprise project delete shop")
  static final class Delete extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The project.")
    private String name = "";

    @Override
    public Integer call() {
      JsonNode answer = root().client().delete(ApiClient.path(PATH, name));
      if (!root().printedAsJson(answer)) {
        terminal().line("project " + HarmlessText.visible(name) + " deleted");
      }
      return ExitCode.DONE;
    }
  }
}
