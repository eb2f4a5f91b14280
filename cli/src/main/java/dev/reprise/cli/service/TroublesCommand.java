package dev.reprise.cli.service;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.document.TroublesDocument;
import dev.reprise.server.document.TroublesDocument.Trouble;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

/** Lists what an operator must act on. */
@Command(
    name = "troubles",
    description = {
      "List what an operator must act on, and what to do. Exit code 1 if there is anything.",
      "It is the list that the console's overview begins with. The key of a project sees what is"
          + " about its own subscriptions; disks, carriers, hosts and nodes are for operators."
    },
    footer = {"  ./reprise troubles", "  ./reprise troubles --json"})
public final class TroublesCommand extends BaseCommand {
  @Override
  public Integer call() {
    JsonNode answer = root().client().get("/v1/troubles", "troubles");
    TroublesDocument list = Json.document(answer, TroublesDocument.class);
    if (!root().printedAsJson(answer)) {
      print(list);
    }
    return list.troubles().isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private void print(TroublesDocument list) {
    if (list.troubles().isEmpty()) {
      terminal().line("Nothing to act on.");
      return;
    }
    Table table = new Table("SINCE", "WHERE", "WHAT", "WHAT TO DO");
    for (Trouble each : list.troubles()) {
      table.row(
          visible(each.since()),
          where(each),
          new Cell(visible(each.text()), Style.BAD),
          visible(each.action()));
    }
    table.print(terminal(), "");
  }

  private static String where(Trouble trouble) {
    String thing = visible(trouble.subscription());
    if (thing.isEmpty()) {
      thing = visible(trouble.about());
    }
    String node = visible(trouble.node());
    return node.isEmpty() ? thing : thing.isEmpty() ? node : thing + " at " + node;
  }

  /** A field that is absent is read as an empty text. */
  private static String visible(@Nullable String text) {
    return text == null ? "" : HarmlessText.visible(text);
  }
}
