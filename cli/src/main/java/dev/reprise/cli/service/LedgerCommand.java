package dev.reprise.cli.service;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.AmountText;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.document.LedgerCounts;
import dev.reprise.server.document.LedgerDocument;
import dev.reprise.server.document.LedgerDocument.Verified;
import dev.reprise.server.document.LedgerDocument.WrongPayload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Shows that whatever was accepted is in exactly one counted state. */
@Command(
    name = "ledger",
    description = "Account for everything that was accepted. Exit code 1 if anything is missing.",
    footer = {"  ./reprise ledger", "  ./reprise ledger --verify"})
public final class LedgerCommand extends BaseCommand {
  /** The columns, in their order. */
  enum Column {
    ACCEPTED,
    PENDING,
    DELIVERED,
    DEAD_LETTERED,
    DISCARDED,
    EXPIRED,
    MOVED,
    ATTEMPTS,
    UNEXPLAINED;

    /** Returns the columns for the states of accepted deliveries. */
    static List<Column> ofDeliveries() {
      return List.of(PENDING, DELIVERED, DEAD_LETTERED, DISCARDED, EXPIRED, MOVED, ATTEMPTS);
    }

    String heading() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    long countOf(LedgerCounts counts) {
      return switch (this) {
        case ACCEPTED -> counts.accepted();
        case PENDING -> counts.pending();
        case DELIVERED -> counts.delivered();
        case DEAD_LETTERED -> counts.deadLettered();
        case DISCARDED -> counts.discarded();
        case EXPIRED -> counts.expired();
        case MOVED -> counts.moved();
        case ATTEMPTS -> counts.attempts();
        case UNEXPLAINED -> counts.unexplained();
      };
    }
  }

  @Option(
      names = "--verify",
      description = "Count everything in the store as well, and compare. Takes a while.")
  private boolean verify;

  @Override
  public Integer call() {
    JsonNode answer = root().client().get("/v1/ledger?verify=" + verify, "total");
    LedgerDocument ledger = Json.document(answer, LedgerDocument.class);
    Verified verified = ledger.verified();
    long unexplained = ledger.total().unexplained();
    boolean agrees = verified == null || verified.agrees();
    if (!root().printedAsJson(answer)) {
      print(ledger);
    }
    if (unexplained != 0) {
      terminal().error("the ledger does not add up: " + unexplained + " unexplained");
    }
    if (verified != null && !agrees) {
      disagreement(verified, answer.path("verified").path("disagreeing"));
    }
    for (String lost : ledger.lost()) {
      terminal()
          .error(
              HarmlessText.visible(lost) + ". Once that is known: ./reprise cluster acknowledge");
    }
    return unexplained == 0 && agrees && ledger.lost().isEmpty() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private void disagreement(Verified verified, JsonNode subscriptions) {
    if (!subscriptions.isEmpty()) {
      terminal()
          .error(
              "the store disagrees with the ledger of "
                  + HarmlessText.visible(Json.compact(subscriptions)));
    }
    if (verified.unreadable() > 0) {
      terminal().error(Words.count(verified.unreadable(), "record") + " cannot be read");
    }
    for (WrongPayload wrong : verified.wrongPayloads()) {
      terminal()
          .error(
              "the payload of message "
                  + HarmlessText.visible(wrong.messageId())
                  + (wrong.stored() ? " is stored" : " is missing")
                  + ", counted for "
                  + wrong.counted()
                  + " and needed by "
                  + wrong.needed()
                  + " deliveries");
    }
  }

  private void print(LedgerDocument ledger) {
    List<String> headings = new ArrayList<>();
    headings.add("SUBSCRIPTION");
    for (Column column : Column.values()) {
      headings.add(">" + column.heading().toUpperCase(Locale.ROOT));
    }
    Table table = new Table(headings.toArray(String[]::new));
    for (LedgerDocument.Line line : ledger.subscriptions()) {
      add(table, line.id(), line.counts(), Style.PLAIN);
    }
    if (ledger.removed().accepted() > 0) {
      add(table, "(deleted)", ledger.removed(), Style.DIM);
    }
    add(table, "total", ledger.total(), Style.BOLD);
    table.print(terminal(), "");
    print(ledger.notTaken());
    Verified verified = ledger.verified();
    if (verified != null && verified.agrees()) {
      terminal()
          .line(
              "Verified: the store was counted in "
                  + AmountText.exact(Duration.ofMillis(verified.millis()))
                  + ", and agrees. Pending deliveries, dead letters and their payloads have"
                  + " records; the other figures are counters.");
    }
  }

  private void print(LedgerDocument.@Nullable NotTaken notTaken) {
    if (notTaken == null) {
      return;
    }
    if (notTaken.records() > 0) {
      terminal()
          .line(
              "Accepted, and not yet taken by their shards: "
                  + Words.count(notTaken.records(), "record")
                  + ", the oldest for "
                  + NotTakenText.age(notTaken.oldestAt(), notTaken.orEarlier())
                  + ". None of them is among the deliveries above: see ./reprise cluster.");
    }
    if (!notTaken.unknownShards().isEmpty()) {
      terminal()
          .line(
              "Not known of "
                  + Words.count(notTaken.unknownShards().size(), "shard")
                  + ", which may have more that was accepted and is not taken: "
                  + notTaken.unknownShards().stream()
                      .map(String::valueOf)
                      .collect(Collectors.joining(", ")));
    }
  }

  private static void add(Table table, String name, LedgerCounts counts, Style style) {
    List<Object> cells = new ArrayList<>();
    cells.add(new Cell(name, style));
    for (Column column : Column.values()) {
      long count = column.countOf(counts);
      boolean wrong = column == Column.UNEXPLAINED && count != 0;
      cells.add(new Cell(String.format(Locale.ROOT, "%,d", count), wrong ? Style.BAD : style));
    }
    table.row(cells.toArray());
  }
}
