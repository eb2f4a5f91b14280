package dev.reprise.server.cli.service;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.cli.base.ApiClient;
import dev.reprise.server.cli.base.BaseCommand;
import dev.reprise.server.cli.base.ExitCode;
import dev.reprise.server.cli.base.GroupCommand;
import dev.reprise.server.cli.base.Json;
import dev.reprise.server.cli.terminal.Table;
import dev.reprise.server.document.KeyDocument;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** API keys. */
@Command(
    name = "key",
    description = "List, create or revoke API keys.",
    footer = {"  ./reprise key create ci"},
    subcommands = {KeyCommand.ListAll.class, KeyCommand.Create.class, KeyCommand.Revoke.class})
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
      Table table = new Table("ID", "NAME", "CREATED");
      for (KeyDocument key : Pages.items(pages, KeyDocument.class)) {
        table.row(key.id(), key.name(), key.createdAt());
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
        "  ./reprise key create ci",
        "  export REPRISE_KEY=$(./reprise key create \"$USER\")"
      })
  static final class Create extends BaseCommand {
    @Parameters(paramLabel = "NAME", description = "Whom or what it is for.")
    private String name = "";

    @Override
    public Integer call() {
      JsonNode answer = root().client().send("POST", PATH, Json.object().put("name", name), "key");
      if (!root().printedAsJson(answer)) {
        KeyDocument.Fresh key = Json.document(answer, KeyDocument.Fresh.class);
        // The key alone, so that a script can take it; the rest is for people.
        terminal().line(key.key());
        terminal()
            .note(
                "Key "
                    + HarmlessText.visible(key.id())
                    + ". It is shown this once: keep it, and give it as REPRISE_KEY.");
      }
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "revoke",
      description = "Revoke an API key.",
      footer = "  ./reprise key revoke k-2")
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
