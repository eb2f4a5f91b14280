package dev.reprise.server.cli.service;

import dev.reprise.server.cli.base.BaseCommand;
import dev.reprise.server.cli.base.ExitCode;
import dev.reprise.server.cli.base.Json;
import dev.reprise.server.cli.terminal.Spans;
import dev.reprise.server.cli.terminal.Table;
import dev.reprise.server.cli.terminal.Table.Cell;
import dev.reprise.server.cli.terminal.Terminal.Style;
import dev.reprise.server.cli.terminal.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Shows that whatever was accepted is in exactly one counted state. */
@Command(
    name = "ledger",
    description = "Account for everything that was accepted. Exit code 1 if anything is missing.",
    footer = {"  ./reprise ledger", "  ./reprise ledger --verify"})
public final class LedgerCommand extends BaseCommand {
  private static final List<String> COLUMNS =
      List.of(
          "accepted",
          "pending",
          "delivered",
          "deadLettered",
          "discarded",
          "expired",
          "attempts",
          "unexplained");

  @Option(
      names = "--verify",
      description = "Count everything in the store as well, and compare. Takes a while.")
  private boolean verify;

  static String heading(String column) {
    return column.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT);
  }

  @Override
  public Integer call() {
    JsonNode ledger = root().client().get("/v1/ledger?verify=" + verify, "total");
    JsonNode total = ledger.path("total");
    JsonNode verified = ledger.path("verified");
    long unexplained = total.path("unexplained").asLong(0);
    boolean agrees = !verified.isObject() || verified.path("agrees").asBoolean(false);
    if (!root().printedAsJson(ledger)) {
      print(ledger);
    }
    if (unexplained != 0) {
      terminal().error("the ledger does not add up: " + unexplained + " unexplained");
    }
    if (!agrees) {
      disagreement(verified);
    }
    return unexplained == 0 && agrees ? ExitCode.DONE : ExitCode.FAILED;
  }

  private void disagreement(JsonNode verified) {
    JsonNode subscriptions = verified.path("disagreeing");
    if (!subscriptions.isEmpty()) {
      terminal()
          .error(
              "the store disagrees with the ledger of " + Words.safe(Json.compact(subscriptions)));
    }
    long unreadable = verified.path("unreadable").asLong(0);
    if (unreadable > 0) {
      terminal().error(Words.count(unreadable, "record") + " cannot be read");
    }
    for (JsonNode wrong : verified.path("wrongPayloads")) {
      terminal()
          .error(
              "the payload of message "
                  + Words.safe(wrong.path("messageId").asString(""))
                  + (wrong.path("stored").asBoolean(false) ? " is stored" : " is missing")
                  + ", counted for "
                  + wrong.path("counted").asLong(0)
                  + " and needed by "
                  + wrong.path("needed").asLong(0)
                  + " deliveries");
    }
  }

  private void print(JsonNode ledger) {
    List<String> headings = new ArrayList<>();
    headings.add("SUBSCRIPTION");
    COLUMNS.forEach(column -> headings.add(">" + heading(column).toUpperCase(Locale.ROOT)));
    Table table = new Table(headings.toArray(String[]::new));
    for (JsonNode subscription : ledger.path("subscriptions")) {
      add(table, subscription.path("id").asString(""), subscription, Style.PLAIN);
    }
    if (ledger.path("removed").path("accepted").asLong(0) > 0) {
      add(table, "(deleted)", ledger.path("removed"), Style.DIM);
    }
    add(table, "total", ledger.path("total"), Style.BOLD);
    table.print(terminal(), "");
    JsonNode verified = ledger.path("verified");
    if (verified.path("agrees").asBoolean(false)) {
      terminal()
          .line(
              "Verified: the store was counted in "
                  + Spans.exact(verified.path("millis").asLong(0))
                  + ", and agrees. Pending deliveries, dead letters and their payloads have"
                  + " records; the other figures are counters.");
    }
  }

  private static void add(Table table, String name, JsonNode counts, Style style) {
    Object[] cells = new Object[COLUMNS.size() + 1];
    cells[0] = new Cell(name, style);
    for (int i = 0; i < COLUMNS.size(); i++) {
      long count = counts.path(COLUMNS.get(i)).asLong(0);
      boolean wrong = COLUMNS.get(i).equals("unexplained") && count != 0;
      cells[i + 1] = new Cell(String.format(Locale.ROOT, "%,d", count), wrong ? Style.BAD : style);
    }
    table.row(cells);
  }
}
