package dev.reprise.cli.service;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.server.document.ReceiverCheckDocument;
import dev.reprise.server.document.ReceiverCheckDocument.FindingDocument;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** Checks whether the receiver of a subscription does right, by requests that are no deliveries. */
@Command(
    name = "check",
    description = {
      "Send a few test requests to the endpoint, and report whether it takes and refuses what it"
          + " should.",
      "They are no deliveries, and have the header Reprise-Test: true. Exit code 1 when a check"
          + " failed."
    },
    footer = "  ./reprise subscription check orders-1")
final class ReceiverCheckCommand extends BaseCommand {
  @Parameters(paramLabel = "ID", description = "The subscription.")
  private String id = "";

  @Override
  public Integer call() {
    JsonNode answer =
        root().client().send("POST", DeadLettersCommand.path(id, "check"), Json.object(), "checks");
    ReceiverCheckDocument found = Json.document(answer, ReceiverCheckDocument.class);
    if (!root().printedAsJson(answer)) {
      Table table = new Table("CHECK", "RESULT", "TEXT");
      for (FindingDocument each : found.checks()) {
        table.row(each.name(), result(each.passed()), each.text());
      }
      table.print(terminal(), "");
      terminal()
          .note(
              found.passed()
                  + " passed, "
                  + found.failed()
                  + " failed, "
                  + found.notChecked()
                  + " not checked");
    }
    return found.failed() == 0 ? ExitCode.DONE : ExitCode.FAILED;
  }

  private static Cell result(@Nullable Boolean passed) {
    if (passed == null) {
      return new Cell("not checked", Style.DIM);
    }
    return passed ? new Cell("passed", Style.GOOD) : new Cell("FAILED", Style.BAD);
  }
}
