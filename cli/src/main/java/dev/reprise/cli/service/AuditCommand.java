package dev.reprise.cli.service;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.server.document.AuditDocument;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** The audit log. */
@Command(
    name = "audit",
    description = "List the changes that were made, newest first.",
    footer = {
      "  ./reprise audit --since 24h",
      "  ./reprise audit --target orders-7",
      "  ./reprise audit --operation revokeKey --project shop"
    })
public final class AuditCommand extends BaseCommand {
  private static final int MAX_FIELDS_CHARS = 48;

  @Option(
      names = "--since",
      paramLabel = "TIME",
      description = "Only what was made then or later: a time, or how long ago, such as 2h.")
  private @Nullable String since;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      description = "Only what was made before: a time, or how long ago.")
  private @Nullable String until;

  @Option(names = "--key", paramLabel = "ID", description = "Only what was made with this API key.")
  private @Nullable String key;

  @Option(
      names = "--target",
      paramLabel = "ID",
      description = "Only what was made to this topic, subscription, key, carrier or project.")
  private @Nullable String target;

  @Option(
      names = "--operation",
      paramLabel = "NAME",
      description = "Only this operation, as /openapi.json calls it, such as unsubscribe.")
  private @Nullable String operation;

  @Mixin private LimitOption limit = new LimitOption();

  @Override
  public Integer call() {
    Instant now = Instant.now();
    Map<String, @Nullable Object> query = new LinkedHashMap<>();
    query.put("from", since == null ? null : Moments.read("--since", since, now));
    query.put("to", until == null ? null : Moments.read("--until", until, now));
    query.put("key", key);
    query.put("target", target);
    query.put("operation", operation);
    JsonNode pages = Pages.read(root().client(), "/v1/audit", query, limit.value());
    if (root().printedAsJson(pages)) {
      return ExitCode.DONE;
    }
    if (pages.path("items").isEmpty()) {
      terminal()
          .note(
              "No changes are recorded"
                  + (query.values().stream().allMatch(v -> v == null) ? "." : " that match."));
      return ExitCode.DONE;
    }
    Table table = new Table("AT", "KEY", "PROJECT", "OPERATION", "TARGET", "FIELDS", "OUTCOME");
    for (AuditDocument record : Pages.items(pages, AuditDocument.class)) {
      boolean done = record.outcome().equals("done");
      table.row(
          record.at(),
          record.keyName() + (record.key().equals(record.keyName()) ? "" : " " + record.key()),
          record.project(),
          record.operation(),
          record.target(),
          Words.shortened(String.join(" ", record.fields()), MAX_FIELDS_CHARS),
          new Cell(record.outcome(), done ? Style.PLAIN : Style.BAD));
    }
    table.print(terminal(), "");
    Pages.noteMore(terminal(), pages);
    return ExitCode.DONE;
  }
}
