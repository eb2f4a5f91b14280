package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.GroupCommand;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.policy.document.DurationText;
import dev.reprise.server.document.KeyDocument;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** API keys. */
@Command(
    name = "key",
    description = "List, create, rotate or revoke API keys.",
    footer = {"  ./reprise key create ci --scope publish --project shop"},
    subcommands = {
      KeyCommand.ListAll.class,
      KeyCommand.Create.class,
      KeyCommand.Rotate.class,
      KeyCommand.Revoke.class
    })
public final class KeyCommand extends GroupCommand {
  private static final String PATH = "/v1/keys";

  @Command(
      name = "list",
      description = "List the API keys; the secrets themselves are not kept.",
      footer = "  ./reprise key list")
  static final class ListAll extends BaseCommand {
    @Mixin private LimitOption limit = new LimitOption();

    @Override
    public Integer call() {
      JsonNode pages = Pages.read(root().client(), PATH, Map.of(), limit.value());
      if (root().printedAsJson(pages)) {
        return ExitCode.DONE;
      }
      Table table = new Table("ID", "NAME", "PROJECT", "SCOPES", "CREATED", "LAST USED", "EXPIRES");
      for (KeyDocument key : Pages.items(pages, KeyDocument.class)) {
        String expires = Objects.requireNonNullElse(key.expiresAt(), "never");
        table.row(
            key.id(),
            key.name(),
            Objects.requireNonNullElse(key.project(), "(all)"),
            String.join(" ", key.scopes()),
            key.createdAt(),
            Objects.requireNonNullElse(key.lastUsedAt(), "never"),
            key.warnings().isEmpty()
                ? expires
                : new Cell(expires + " (" + String.join(", ", key.warnings()) + ")", Style.BAD));
      }
      table.print(terminal(), "");
      Pages.noteMore(terminal(), pages);
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "create",
      description = "Create an API key and show it, once.",
      footer = {
        "  ./reprise key create ci --scope publish --expires-in 720h",
        "  ./reprise key create shop-ci --project shop",
        "  export REPRISE_KEY=$(./reprise key create \"$USER\")"
      })
  static final class Create extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "The person or program that it is for.")
    private String name = "";

    @Option(
        names = "--scope",
        paramLabel = "SCOPE",
        description =
            "A scope: publish, read or manage, which includes read. May be repeated. Default: the"
                + " scopes of the key that makes it.")
    private List<String> scopes = List.of();

    @Option(
        names = "--expires-in",
        paramLabel = "SPAN",
        description = "How long it is valid, such as 720h. Default: as the key that makes it.")
    private @Nullable String expiresIn;

    @Override
    public Integer call() {
      ObjectNode request = Json.object().put("name", name);
      if (!scopes.isEmpty()) {
        ArrayNode names = request.putArray("scopes");
        scopes.forEach(names::add);
      }
      if (expiresIn != null) {
        Duration span = DurationText.read(expiresIn);
        if (span == null) {
          throw wrongUsage("--expires-in is " + expiresIn + ": must be a span such as 720h");
        }
        request.put("expiresAt", Instant.now().plus(span).toString());
      }
      printFresh(this, root().client().send("POST", PATH, request, "key"));
      return ExitCode.DONE;
    }
  }

  private static void printFresh(BaseCommand command, JsonNode answer) {
    if (!command.root().printedAsJson(answer)) {
      KeyDocument.Fresh key = Json.document(answer, KeyDocument.Fresh.class);
      // The key alone, so that a script can take it; the rest is for people.
      command.terminal().line(key.key());
      command
          .terminal()
          .note(
              "Key "
                  + HarmlessText.visible(key.id())
                  + ". It is shown this once: keep it, and give it as REPRISE_KEY.");
    }
  }

  @Command(
      name = "rotate",
      description = "Give an API key another secret and show it, once.",
      footer = {
        "  ./reprise key rotate 0123456789ab",
        "  ./reprise key rotate 0123456789ab --overlap 0s"
      })
  static final class Rotate extends BaseCommand {
    @Parameters(paramLabel = "ID", description = "The key's id, as `key list` shows it.")
    private String id = "";

    @Option(
        names = "--overlap",
        paramLabel = "SPAN",
        defaultValue = "24h",
        description =
            "How long the previous secret stays valid, 0s to 720h. Default: ${DEFAULT-VALUE}.")
    private String overlap = "";

    @Override
    public Integer call() {
      JsonNode answer =
          root()
              .client()
              .send(
                  "POST",
                  ApiClient.path(PATH, id, "rotate"),
                  Json.object().put("overlap", overlap),
                  "key");
      printFresh(this, answer);
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "revoke",
      description = "Revoke an API key.",
      footer = "  ./reprise key revoke 0123456789ab")
  static final class Revoke extends BaseCommand {
    @Parameters(paramLabel = "ID", description = "The key's id, as `key list` shows it.")
    private String id = "";

    @Override
    public Integer call() {
      JsonNode answer = root().client().delete(ApiClient.path(PATH, id));
      if (!root().printedAsJson(answer)) {
        terminal().line("key " + HarmlessText.visible(id) + " revoked");
      }
      return ExitCode.DONE;
    }
  }
}
