package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.GroupCommand;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Words;
import dev.reprise.server.document.ChangeDocument;
import dev.reprise.server.document.DeadLetterSummaryDocument;
import dev.reprise.server.document.DeadLetterSummaryDocument.ReasonDocument;
import dev.reprise.server.document.DeliveryDocument;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Dead letters: deliveries that were given up and are kept for a decision. */
@Command(
    name = "dead-letters",
    description = "List, count or purge what was given up.",
    footer = {"  ./reprise dead-letters list orders-1"},
    subcommands = {
      DeadLettersCommand.ListAll.class,
      DeadLettersCommand.Reasons.class,
      DeadLettersCommand.Purge.class
    })
public final class DeadLettersCommand extends GroupCommand {
  static String path(String subscription, String what) {
    return ApiClient.path(SubscriptionCommand.PATH, subscription, what);
  }

  @Command(
      name = "list",
      description = "List the dead letters of a subscription.",
      footer = {
        "  ./reprise dead-letters list orders-1",
        "  ./reprise dead-letters list orders-1 --reason attempts --died-after 2h"
      })
  static final class ListAll extends BaseCommand {
    @Parameters(paramLabel = "SUBSCRIPTION", description = "The subscription.")
    private String subscription = "";

    @Mixin private FilterOptions filter = new FilterOptions();
    @Mixin private LimitOption limit = new LimitOption();

    @Override
    public Integer call() {
      JsonNode pages =
          Pages.read(
              root().client(), path(subscription, "dead-letters"), filter.query(), limit.value());
      if (root().printedAsJson(pages)) {
        return ExitCode.DONE;
      }
      if (pages.path("items").isEmpty()) {
        terminal().note("No dead letters" + (filter.all() ? "." : " match."));
        return ExitCode.DONE;
      }
      Table table = new Table("DELIVERY", "GIVEN UP", "REASON", ">ATTEMPTS", "LAST OUTCOME");
      for (DeliveryDocument delivery : Pages.items(pages, DeliveryDocument.class)) {
        table.row(
            delivery.id(),
            Objects.requireNonNullElse(delivery.endedAt(), ""),
            Objects.requireNonNullElse(delivery.stopReason(), ""),
            delivery.attempts(),
            Words.shortened(Objects.requireNonNullElse(delivery.lastOutcome(), ""), 48));
      }
      table.print(terminal(), "");
      Pages.noteMore(terminal(), pages);
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "reasons",
      description = "Count the dead letters of a subscription by reason.",
      footer = {
        "  ./reprise dead-letters reasons orders-1",
        "  ./reprise dead-letters reasons orders-1 --died-after 2h"
      })
  static final class Reasons extends BaseCommand {
    @Parameters(paramLabel = "SUBSCRIPTION", description = "The subscription.")
    private String subscription = "";

    @Mixin private FilterOptions filter = new FilterOptions();

    @Override
    public Integer call() {
      Map<String, ReasonDocument> sums = new TreeMap<>();
      long seen = 0;
      String cursor = null;
      do {
        Map<String, @Nullable Object> query = new LinkedHashMap<>(filter.query());
        query.put("cursor", cursor);
        String path = path(subscription, "dead-letters") + "/summary";
        DeadLetterSummaryDocument part =
            Json.document(
                root().client().get(ApiClient.withQuery(path, query), "reasons"),
                DeadLetterSummaryDocument.class);
        part.reasons().forEach(count -> sums.merge(count.reason(), count, Reasons::plus));
        seen += part.seen();
        cursor = part.next() == null || part.next().isEmpty() ? null : part.next();
      } while (cursor != null);
      print(sums, seen);
      return ExitCode.DONE;
    }

    private void print(Map<String, ReasonDocument> sums, long seen) {
      ObjectNode json = Json.object().put("seen", seen);
      json.set("reasons", Json.array(sums.values()));
      if (root().printedAsJson(json)) {
        return;
      }
      if (sums.isEmpty()) {
        terminal().note("No dead letters" + (filter.all() ? "." : " match."));
        return;
      }
      Table table = new Table("REASON", ">DEAD LETTERS", "OLDEST", "NEWEST");
      sums.values()
          .forEach(
              count -> table.row(count.reason(), count.count(), count.oldest(), count.newest()));
      table.print(terminal(), "");
    }

    /** Parts come oldest first. */
    private static ReasonDocument plus(ReasonDocument first, ReasonDocument then) {
      return new ReasonDocument(
          first.reason(), first.count() + then.count(), first.oldest(), then.newest());
    }
  }

  @Command(
      name = "purge",
      description = "Delete dead letters for good.",
      footer = {
        "  ./reprise dead-letters purge orders-1 --died-before 720h",
        "  ./reprise dead-letters purge orders-1 --all"
      })
  static final class Purge extends BaseCommand {
    @Parameters(paramLabel = "SUBSCRIPTION", description = "The subscription.")
    private String subscription = "";

    @Mixin private FilterOptions filter = new FilterOptions();

    @Option(names = "--all", description = "All of them; without it a filter is needed.")
    private boolean all;

    @Override
    public Integer call() {
      if (all != filter.all()) {
        throw wrongUsage(
            all
                ? "--all and a filter contradict each other: give one of them"
                : "which dead letters? Give a filter, or --all");
      }
      ApiClient client = root().client();
      Progress progress = new Progress(terminal());
      long purged = 0;
      String cursor = null;
      do {
        Map<String, @Nullable Object> query = new LinkedHashMap<>(filter.query());
        query.put("cursor", cursor);
        ChangeDocument part =
            Json.document(
                client.delete(ApiClient.withQuery(path(subscription, "dead-letters"), query)),
                ChangeDocument.class);
        purged += part.count();
        cursor = part.next();
        progress.show(Words.count(purged, "dead letter") + " purged");
      } while (cursor != null);
      progress.clear();
      if (!root().printedAsJson(Json.object().put("changed", purged).putNull("next"))) {
        terminal().line(Words.count(purged, "dead letter") + " purged");
      }
      return ExitCode.DONE;
    }
  }
}
