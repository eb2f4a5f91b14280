package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.common.text.AmountText;
import dev.reprise.common.text.Bars;
import dev.reprise.server.document.MinuteDocument;
import dev.reprise.server.document.MinuteDocument.LatencyDocument;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** The figures of a subscription over time, as a table and as bars. */
@Command(
    name = "health",
    description = {
      "Show the figures of an endpoint over time: attempts, failures, latency, limit, pauses.",
      "Minutes in which nothing happened are left out."
    },
    footer = {
      "  ./reprise subscription health orders-1",
      "  ./reprise subscription health orders-1 --since 24h --step 1h"
    })
final class SubscriptionHealthCommand extends BaseCommand {
  @Parameters(paramLabel = "ID", description = "The subscription.")
  private String id = "";

  @Option(
      names = "--since",
      paramLabel = "TIME",
      defaultValue = "1h",
      description =
          "From when on: a time such as 2026-01-31T18:00:00Z, or how long ago. Default:"
              + " ${DEFAULT-VALUE}.")
  private String since = "";

  @Option(
      names = "--step",
      paramLabel = "SPAN",
      defaultValue = "1m",
      description = "The span of a row: 1m, 5m or 1h. Default: ${DEFAULT-VALUE}.")
  private String step = "";

  @Mixin private LimitOption limit = new LimitOption();

  @Override
  public Integer call() {
    Instant from = Moments.read("--since", since, Instant.now());
    Map<String, Object> query = new LinkedHashMap<>();
    query.put("from", from.toString());
    query.put("step", step);
    JsonNode pages =
        Pages.read(
            root().client(),
            ApiClient.path(SubscriptionCommand.PATH, id, "minutes"),
            query,
            limit.value());
    if (root().printedAsJson(pages)) {
      return ExitCode.DONE;
    }
    List<MinuteDocument> minutes = Pages.items(pages, MinuteDocument.class);
    if (minutes.isEmpty()) {
      terminal().note("There was no attempt in that time. Look further back: --since 24h");
      return ExitCode.DONE;
    }
    bars("attempts", minutes, MinuteDocument::attempts);
    bars("failed", minutes, minute -> minute.attempts() - (double) minute.delivered());
    bars("p99", minutes, SubscriptionHealthCommand::p99);
    bars("limit", minutes, MinuteDocument::limit);
    bars("paused", minutes, MinuteDocument::pausedMillis);
    terminal().line("");
    table(minutes);
    Pages.noteMore(terminal(), pages);
    return ExitCode.DONE;
  }

  private static double p99(MinuteDocument minute) {
    LatencyDocument latency = minute.latencyMillis();
    return latency == null ? 0 : latency.p99();
  }

  /** Draws as many of the last spans as the terminal is wide. */
  private void bars(
      String name, List<MinuteDocument> minutes, ToDoubleFunction<MinuteDocument> figure) {
    int shown = Math.max(1, Math.min(minutes.size(), terminal().width() - 14));
    double[] values =
        minutes.subList(minutes.size() - shown, minutes.size()).stream()
            .mapToDouble(figure)
            .toArray();
    double most = 0;
    for (double value : values) {
      most = Math.max(most, value);
    }
    if (most == 0) {
      return;
    }
    StringBuilder line = new StringBuilder();
    for (double value : values) {
      int eighths = Bars.eighths(value / most, 1, 1);
      line.append(terminal().unicode() ? Bars.block(eighths) : Bars.ascii(eighths));
    }
    boolean isBad = name.equals("failed") || name.equals("paused");
    terminal()
        .line(
            terminal().styled(String.format(Locale.ROOT, "%-10s", name), Style.DIM)
                + terminal().styled(line.toString(), isBad ? Style.BAD : Style.GOOD));
  }

  private void table(List<MinuteDocument> minutes) {
    Table table =
        new Table(
            "FROM",
            ">ATTEMPTS",
            ">DELIVERED",
            ">RETRIED",
            ">GIVEN UP",
            ">P50",
            ">P99",
            ">LIMIT",
            ">PAUSED",
            ">PENDING",
            "FAILURES");
    for (MinuteDocument minute : minutes) {
      LatencyDocument latency = minute.latencyMillis();
      table.row(
          minute.at().length() > 16 ? minute.at().substring(0, 16) + "Z" : minute.at(),
          minute.attempts(),
          minute.delivered(),
          minute.retried(),
          new Cell(
              String.valueOf(minute.givenUp()), minute.givenUp() == 0 ? Style.PLAIN : Style.BAD),
          latency == null ? "" : millis(latency.p50()),
          latency == null ? "" : millis(latency.p99()),
          minute.minLimit() == minute.limit()
              ? minute.limit()
              : minute.minLimit() + "-" + minute.limit(),
          minute.pausedMillis() == 0
              ? ""
              : AmountText.rough(Duration.ofMillis(minute.pausedMillis())),
          minute.pending(),
          failures(minute));
    }
    table.print(terminal(), "");
  }

  private static String millis(double millis) {
    return AmountText.rough(Duration.ofNanos(Math.round(millis * 1_000_000)));
  }

  private static String failures(MinuteDocument minute) {
    StringBuilder text = new StringBuilder();
    if (minute.outcomes() != null) {
      minute
          .outcomes()
          .forEach(
              (outcome, count) -> {
                if (!outcome.equals("2xx") && !outcome.equals("ok")) {
                  text.append(text.length() == 0 ? "" : ", ")
                      .append(outcome)
                      .append(": ")
                      .append(count);
                }
              });
    }
    return text.toString();
  }
}
