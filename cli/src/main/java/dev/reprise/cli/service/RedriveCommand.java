package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.AmountText;
import dev.reprise.server.document.ChangeDocument;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** Redrives dead letters: they are delivered again. */
@Command(
    name = "redrive",
    description = "Have dead letters delivered again: all, or by filter, at a pace.",
    footer = {
      "  ./reprise redrive orders-1 --dry-run",
      "  ./reprise redrive orders-1 --reason attempts --per-second 10",
      "  ./reprise redrive orders-1 --to orders-2"
    })
public final class RedriveCommand extends BaseCommand {
  @Parameters(paramLabel = "SUBSCRIPTION", description = "The subscription.")
  private String subscription = "";

  @Mixin private FilterOptions filter = new FilterOptions();

  @Option(
      names = "--per-second",
      paramLabel = "N",
      description = "Rate limit: the most first attempts per second. Default: no limit.")
  private @Nullable Integer perSecond;

  @Option(
      names = "--to",
      paramLabel = "SUBSCRIPTION",
      description = "Send them to this subscription instead, as messages of its own.")
  private @Nullable String to;

  @Option(names = "--dry-run", description = "Only print how many there are.")
  private boolean dryRun;

  @Override
  public Integer call() {
    if (dryRun && perSecond != null) {
      throw wrongUsage("--dry-run and --per-second exclude each other: nothing is redriven");
    }
    if (to != null && perSecond != null) {
      throw wrongUsage("--to and --per-second exclude each other: the other has a pace of its own");
    }
    ApiClient client = root().client();
    Progress progress = new Progress(terminal());
    ObjectNode request = Json.object();
    request.set("filter", filter.document());
    request.put("dryRun", dryRun);
    request.put("to", to);
    if (perSecond != null) {
      request.put("perSecond", perSecond);
    }
    String counted = dryRun ? "matched" : "changed";
    String done = dryRun ? " would be redriven" : " redriven";
    long sum = 0;
    String cursor = null;
    do {
      request.put("cursor", cursor);
      ChangeDocument part =
          Json.document(
              client.send(
                  "POST", DeadLettersCommand.path(subscription, "redrive"), request, counted),
              ChangeDocument.class);
      sum += part.count();
      cursor = part.next();
      progress.show(Words.count(sum, "dead letter") + done);
    } while (cursor != null);
    progress.clear();
    if (!root().printedAsJson(Json.object().put(counted, sum).putNull("next"))) {
      terminal().line(Words.count(sum, "dead letter") + done + pace(sum));
    }
    return ExitCode.DONE;
  }

  private String pace(long sum) {
    return perSecond == null || perSecond < 1 || sum == 0
        ? ""
        : ", "
            + perSecond
            + " a second: the last starts in "
            + AmountText.rough(Duration.ofMillis(sum * 1000 / perSecond));
  }
}
