package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.GroupCommand;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.AmountText;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.document.ChangeDocument;
import dev.reprise.server.document.DeliveryDetails;
import dev.reprise.server.document.DeliveryDocument;
import dev.reprise.server.document.DeliveryDocument.NextAttempt;
import dev.reprise.server.document.SubscriptionDocument;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Deliveries: one message for one subscription each. */
@Command(
    name = "deliveries",
    description =
        "List deliveries, or show one: its attempts, and the reason for the time of the next one.",
    footer = {
      "  ./reprise deliveries list --status pending",
      "  ./reprise deliveries show MESSAGE@orders-1"
    },
    subcommands = {
      DeliveriesCommand.ListAll.class,
      DeliveriesCommand.Show.class,
      DeliveriesCommand.AttemptNow.class,
      DeliveriesCommand.Cancel.class,
      DeliveriesCommand.Export.class
    })
public final class DeliveriesCommand extends GroupCommand {
  private static final String PATH = "/v1/deliveries";

  /** Waits that are no reason to look further. */
  private static final Set<String> IN_TURN = Set.of("in flight", "throttle", "backlog");

  @Option(names = "--watch", description = "Like `deliveries list --watch`.")
  private boolean watch;

  @Override
  public Integer call() {
    ListAll list = Objects.requireNonNull(spec().subcommands().get("list")).getCommand();
    return watch ? list.watched() : super.call();
  }

  @Command(
      name = "list",
      description = "List deliveries.",
      footer = {
        "  ./reprise deliveries list",
        "  ./reprise deliveries list --subscription orders-1 --status pending",
        "  ./reprise deliveries list --subscription orders-1 --watch"
      })
  static final class ListAll extends BaseCommand {
    @Option(names = "--subscription", paramLabel = "ID", description = "Of this subscription.")
    private @Nullable String subscription;

    @Option(names = "--message", paramLabel = "ID", description = "Of this message.")
    private @Nullable String message;

    @Option(
        names = "--status",
        paramLabel = "S",
        description = "pending, delivered, dead-lettered, discarded or expired.")
    private @Nullable String status;

    @Mixin private LimitOption limit = new LimitOption();

    @Option(
        names = "--watch",
        description =
            "List repeatedly until Ctrl-C: a table that is redrawn on a terminal, elsewhere a line"
                + " for each change.")
    private boolean watch;

    @Option(
        names = "--every",
        paramLabel = "SPAN",
        description = "With --watch: how long to wait between two lists. Default: 1s.")
    private @Nullable String every;

    @Override
    public Integer call() {
      if (every != null && !watch) {
        throw wrongUsage("--every is for --watch");
      }
      if (subscription != null && message != null) {
        throw wrongUsage(
            "--subscription and --message exclude each other: a delivery is"
                + " `deliveries show MESSAGE@SUBSCRIPTION`");
      }
      int most = limit.value();
      if (watch) {
        return new DeliveriesWatch(
                terminal(), json(), DeliveriesWatch.every(every == null ? "1s" : every))
            .run(() -> pages(most), this::print);
      }
      JsonNode pages = pages(most);
      if (!root().printedAsJson(pages)) {
        print(pages);
      }
      return ExitCode.DONE;
    }

    private int watched() {
      watch = true;
      return call();
    }

    private ObjectNode pages(int most) {
      return subscription == null && message == null
          ? ofAllSubscriptions(most)
          : page(subscription, most);
    }

    private ObjectNode page(@Nullable String subscription, int most) {
      Map<String, @Nullable Object> query = new LinkedHashMap<>();
      query.put("subscription", subscription);
      query.put("message", message);
      query.put("status", status);
      return Pages.read(root().client(), PATH, query, most);
    }

    /** The service keeps deliveries by subscription, and lists them so. */
    private ObjectNode ofAllSubscriptions(int most) {
      ObjectNode whole = Json.object();
      ArrayNode items = whole.putArray("items");
      whole.putNull("next");
      JsonNode subscriptions =
          Pages.read(root().client(), SubscriptionCommand.PATH, Map.of(), Integer.MAX_VALUE);
      for (SubscriptionDocument each : Pages.items(subscriptions, SubscriptionDocument.class)) {
        int room = most - items.size();
        ObjectNode page = page(each.id(), Math.max(1, room));
        if ((room == 0 && !page.path("items").isEmpty()) || !page.path("next").isNull()) {
          whole.put("next", "more");
        }
        if (room > 0) {
          page.path("items").forEach(items::add);
        }
        if (!whole.path("next").isNull()) {
          break;
        }
      }
      return whole;
    }

    private void print(JsonNode pages) {
      if (pages.path("items").isEmpty()) {
        terminal().note("No deliveries" + (status == null ? "." : " are " + status + "."));
        return;
      }
      Table table = new Table("DELIVERY", "STATUS", ">ATTEMPTS", "LAST OUTCOME", "NEXT ATTEMPT");
      for (DeliveryDocument delivery : Pages.items(pages, DeliveryDocument.class)) {
        String outcome = Objects.requireNonNullElse(delivery.lastOutcome(), "");
        table.row(
            delivery.id(),
            new Cell(delivery.status(), DeliveryStyles.of(delivery.status())),
            delivery.attempts(),
            Words.shortened(outcome.isEmpty() ? "-" : outcome, 40),
            next(delivery));
      }
      table.print(terminal(), "");
      waiting(pages);
      Pages.noteMore(terminal(), pages);
    }

    /** Says once what keeps several back. */
    private void waiting(JsonNode pages) {
      Map<String, Integer> reasons = new LinkedHashMap<>();
      for (DeliveryDocument delivery : Pages.items(pages, DeliveryDocument.class)) {
        NextAttempt next = delivery.nextAttempt();
        if (next != null && isHeld(next)) {
          reasons.merge(Objects.requireNonNull(next.waitingFor()), 1, Integer::sum);
        }
      }
      reasons.forEach(
          (reason, count) ->
              terminal()
                  .paragraph(
                      Words.count(count, "delivery")
                          + " held back: "
                          + HarmlessText.visible(reason),
                      ""));
    }

    /** A delivery that waits for its turn alone is as it should be. */
    private static boolean isHeld(NextAttempt next) {
      String what = next.waitingFor();
      return what != null
          && !what.isEmpty()
          && !IN_TURN.contains(what)
          && !what.startsWith("attempts under way");
    }

    private static String next(DeliveryDocument delivery) {
      NextAttempt next = delivery.nextAttempt();
      if (delivery.inFlight()) {
        return "under way";
      }
      if (next == null) {
        return "-";
      }
      long inMillis = next.inMillis();
      if (inMillis <= 0 && isHeld(next)) {
        return "held back";
      }
      return inMillis <= 0 ? "due" : "in " + AmountText.rough(Duration.ofMillis(inMillis));
    }
  }

  @Command(
      name = "attempt-now",
      description = {
        "Make deliveries that wait for a later retry due now.",
        "A pause that the endpoint asked for ends. Retries made so far still count."
      },
      footer = {
        "  ./reprise deliveries attempt-now orders-1",
        "  ./reprise deliveries attempt-now orders-1 --message MESSAGE"
      })
  static final class AttemptNow extends BaseCommand {
    @Parameters(paramLabel = "SUBSCRIPTION", description = "The subscription.")
    private String subscription = "";

    @Option(names = "--message", paramLabel = "ID", description = "Only the one of this message.")
    private @Nullable String message;

    @Override
    public Integer call() {
      long sum = changed(root().client(), subscription, "attempt-now", message);
      if (!root().printedAsJson(Json.object().put("changed", sum).putNull("next"))) {
        String now = sum == 1 ? " is due now" : " are due now";
        terminal().line(Words.count(sum, "waiting delivery") + now);
      }
      return ExitCode.DONE;
    }
  }

  /** Changes what is pending, part by part; returns how many. */
  private static long changed(
      ApiClient client, String subscription, String operation, @Nullable String message) {
    ObjectNode request = Json.object().put("message", message);
    long sum = 0;
    String cursor = null;
    do {
      request.put("cursor", cursor);
      ChangeDocument part =
          Json.document(
              client.send(
                  "POST", DeadLettersCommand.path(subscription, operation), request, "changed"),
              ChangeDocument.class);
      sum += part.count();
      cursor = part.next();
    } while (cursor != null);
    return sum;
  }

  @Command(
      name = "cancel",
      description = {
        "Cancel pending deliveries, or the one of a message.",
        "It becomes a dead letter unless the subscription discards. An attempt under way ends."
      },
      footer = {
        "  ./reprise deliveries cancel orders-1 --message MESSAGE",
        "  ./reprise deliveries cancel orders-1 --all"
      })
  static final class Cancel extends BaseCommand {
    @Parameters(paramLabel = "SUBSCRIPTION", description = "The subscription.")
    private String subscription = "";

    @Option(names = "--message", paramLabel = "ID", description = "Only the one of this message.")
    private @Nullable String message;

    @Option(names = "--all", description = "All of them; without it a message is needed.")
    private boolean all;

    @Override
    public Integer call() {
      if (all == (message != null)) {
        throw wrongUsage(
            all
                ? "--all and --message contradict each other: give one of them"
                : "which deliveries? Give --message, or --all");
      }
      long sum = changed(root().client(), subscription, "cancel", message);
      if (!root().printedAsJson(Json.object().put("changed", sum).putNull("next"))) {
        terminal().line(Words.count(sum, "pending delivery") + " cancelled");
      }
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "show",
      description = "Show a delivery: its attempts, and the reason for the time of the next one.",
      footer = "  ./reprise deliveries show MESSAGE@orders-1")
  static final class Show extends BaseCommand {
    @Parameters(paramLabel = "ID", description = "The delivery: MESSAGE@SUBSCRIPTION.")
    private String id = "";

    @Override
    public Integer call() {
      JsonNode delivery = root().client().get(ApiClient.path(PATH, id), "history");
      if (!root().printedAsJson(delivery)) {
        new Timeline(terminal(), Json.document(delivery, DeliveryDetails.class)).print();
      }
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "export",
      description = {
        "Print every delivery of a subscription with its attempts, a line of JSON each.",
        "`lab replay` reads it. Attempts older than the history are missing."
      },
      footer = "  ./reprise deliveries export orders-1 > attempts.jsonl")
  static final class Export extends BaseCommand {
    @Parameters(paramLabel = "SUBSCRIPTION", description = "The subscription.")
    private String subscription = "";

    @Override
    public Integer call() {
      ApiClient client = root().client();
      JsonNode list =
          Pages.read(client, PATH, Map.of("subscription", subscription), Integer.MAX_VALUE);
      List<DeliveryDocument> items = Pages.items(list, DeliveryDocument.class);
      Progress progress = new Progress(terminal());
      int read = 0;
      for (DeliveryDocument item : items) {
        progress.show(++read + " of " + Words.count(items.size(), "delivery"));
        terminal().line(Json.compact(client.get(ApiClient.path(PATH, item.id()), "history")));
        if (terminal().abandoned()) {
          break;
        }
      }
      progress.clear();
      return ExitCode.DONE;
    }
  }
}
