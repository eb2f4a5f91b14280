package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.GroupCommand;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.base.PolicyArgument;
import dev.reprise.cli.terminal.Facts;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.document.TopicDocument;
import java.util.Collections;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Topics: what messages are published to. */
@Command(
    name = "topic",
    description = "Create, list, show or delete topics.",
    footer = {"  ./reprise topic create orders --policy notification-http"},
    subcommands = {
      TopicCommand.Create.class,
      TopicCommand.ListAll.class,
      TopicCommand.Show.class,
      TopicCommand.Delete.class
    })
public final class TopicCommand extends GroupCommand {
  private static final String PATH = "/v1/topics";

  @Command(
      name = "create",
      description = "Create a topic, or give one another policy.",
      footer = {
        "  ./reprise topic create orders",
        "  ./reprise topic create orders --policy policy.json",
        "  ./reprise topic create invoices --policy notification-email"
      })
  static final class Create extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The topic.")
    private String name = "";

    @Option(
        names = "--policy",
        paramLabel = "POLICY",
        description =
            "How failed deliveries are retried: "
                + PolicyArgument.FORMS
                + ". Default: notification-http; a topic that exists keeps its own.")
    private @Nullable String policy;

    @Override
    public Integer call() {
      ApiClient client = root().client();
      String path = ApiClient.path(PATH, name);
      JsonNode topic =
          policy == null
              ? client.put(path, "name")
              : client.send(
                  "PUT", path, PolicyArgument.of(policy, terminal()).topicDocument(), "name");
      if (!root().printedAsJson(topic)) {
        terminal()
            .line(
                "topic " + HarmlessText.visible(Json.document(topic, TopicDocument.class).name()));
      }
      root().warnOf(topic);
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "list",
      description = "List the topics.",
      footer = {"  ./reprise topic list", "  ./reprise topic list --search order"})
  static final class ListAll extends BaseCommand {
    @Option(
        names = "--search",
        paramLabel = "TEXT",
        description = "Only those whose name has this text.")
    private @Nullable String search;

    @Mixin private LimitOption limit = new LimitOption();

    @Override
    public Integer call() {
      JsonNode pages =
          Pages.read(
              root().client(), PATH, Collections.singletonMap("search", search), limit.value());
      if (root().printedAsJson(pages)) {
        return ExitCode.DONE;
      }
      Table table = new Table("TOPIC", ">SUBSCRIPTIONS", "CREATED");
      for (TopicDocument topic : Pages.items(pages, TopicDocument.class)) {
        table.row(
            topic.name(), topic.subscriptions(), Objects.requireNonNullElse(topic.createdAt(), ""));
      }
      if (pages.path("items").isEmpty()) {
        terminal()
            .note(
                search == null
                    ? "There is no topic yet. Create one: ./reprise topic create NAME"
                    : "No topic's name has this text.");
      } else {
        table.print(terminal(), "");
      }
      Pages.noteMore(terminal(), pages);
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "show",
      description = "Show a topic and its policy.",
      footer = "  ./reprise topic show orders")
  static final class Show extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The topic.")
    private String name = "";

    @Override
    public Integer call() {
      JsonNode answer = root().client().get(ApiClient.path(PATH, name), "policy");
      if (root().printedAsJson(answer)) {
        return ExitCode.DONE;
      }
      TopicDocument topic = Json.document(answer, TopicDocument.class);
      new Facts(terminal())
          .add("topic", new Cell(topic.name(), Style.BOLD))
          .add("subscriptions", topic.subscriptions())
          .add("created", topic.createdAt())
          .print();
      terminal().line("policy");
      answer.path("policy").toPrettyString().lines().forEach(l -> terminal().line("  " + l));
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "delete",
      description = "Delete a topic that has no subscriptions.",
      footer = "  ./reprise topic delete orders")
  static final class Delete extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The topic.")
    private String name = "";

    @Override
    public Integer call() {
      JsonNode answer = root().client().delete(ApiClient.path(PATH, name));
      if (!root().printedAsJson(answer)) {
        terminal().line("topic " + HarmlessText.visible(name) + " deleted");
      }
      return ExitCode.DONE;
    }
  }
}
