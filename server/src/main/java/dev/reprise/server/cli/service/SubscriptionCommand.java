package dev.reprise.server.cli.service;

import dev.reprise.delivery.shard.LimitReason;
import dev.reprise.server.cli.base.ApiClient;
import dev.reprise.server.cli.base.BaseCommand;
import dev.reprise.server.cli.base.ExitCode;
import dev.reprise.server.cli.base.GroupCommand;
import dev.reprise.server.cli.base.Json;
import dev.reprise.server.cli.terminal.Facts;
import dev.reprise.server.cli.terminal.Table;
import dev.reprise.server.cli.terminal.Table.Cell;
import dev.reprise.server.cli.terminal.Terminal.Style;
import dev.reprise.server.cli.terminal.Words;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Subscriptions: which endpoint gets the messages of which topic, and how. */
@Command(
    name = "subscription",
    description = "List, show, update or delete subscriptions.",
    footer = {"  ./reprise subscription show orders-1"},
    subcommands = {
      SubscriptionCommand.ListAll.class,
      SubscriptionCommand.Show.class,
      SubscriptionCommand.Update.class,
      SubscriptionCommand.Delete.class
    })
public final class SubscriptionCommand extends GroupCommand {
  static final String PATH = "/v1/subscriptions";

  @Command(
      name = "list",
      description = "List the subscriptions.",
      footer = {"  ./reprise subscription list", "  ./reprise subscription list --topic orders"})
  static final class ListAll extends BaseCommand {
    @Option(names = "--topic", paramLabel = "TOPIC", description = "Only those of this topic.")
    private @Nullable String topic;

    @Mixin private LimitOption limit = new LimitOption();

    @Override
    public Integer call() {
      JsonNode pages =
          Pages.read(
              root().client(), PATH, Collections.singletonMap("topic", topic), limit.value());
      if (root().printedAsJson(pages)) {
        return ExitCode.DONE;
      }
      if (pages.path("items").isEmpty()) {
        terminal().note("There is no subscription. Create one: ./reprise subscribe TOPIC URL");
        return ExitCode.DONE;
      }
      Table table =
          new Table("SUBSCRIPTION", "TOPIC", "ENDPOINT", ">PENDING", ">DELIVERED", ">DEAD LETTERS");
      for (JsonNode subscription : pages.path("items")) {
        JsonNode ledger = subscription.path("ledger");
        long dead = ledger.path("deadLettered").asLong(0);
        table.row(
            subscription.path("id").asString(""),
            subscription.path("topic").asString(""),
            Words.shortened(subscription.path("endpoint").asString(""), 48),
            ledger.path("pending").asLong(0),
            ledger.path("delivered").asLong(0),
            new Cell(String.valueOf(dead), dead == 0 ? Style.PLAIN : Style.BAD));
      }
      table.print(terminal(), "");
      Pages.noteMore(terminal(), pages);
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "show",
      description = "Show a subscription: settings, the policy in force, health, ledger.",
      footer = "  ./reprise subscription show orders-1")
  static final class Show extends BaseCommand {
    @Parameters(paramLabel = "ID", description = "The subscription.")
    private String id = "";

    @Override
    public Integer call() {
      JsonNode subscription = root().client().get(ApiClient.path(PATH, id), "endpoint");
      if (!root().printedAsJson(subscription)) {
        print(subscription);
      }
      return ExitCode.DONE;
    }

    private void print(JsonNode subscription) {
      JsonNode policy = subscription.path("effectivePolicy");
      JsonNode health = subscription.path("health");
      JsonNode ledger = subscription.path("ledger");
      Facts facts =
          new Facts(terminal())
              .add("subscription", new Cell(subscription.path("id").asString(id), Style.BOLD))
              .add("topic", subscription.path("topic").asString(""))
              .add("endpoint", subscription.path("endpoint").asString(""))
              .add("format", subscription.path("format").asString(""))
              .add("filter", textOf(subscription.path("filter")))
              .add("dead letters", subscription.path("deadLetters").asString(""))
              .add("lifetime", subscription.path("lifetime").asString(""))
              .add("created", subscription.path("createdAt").asString(""))
              .add(
                  "retries",
                  textOf(policy.path("healthyRetryPolicy"))
                      + " from "
                      + from(policy.path("healthyRetryPolicyFrom").asString(""), policy))
              .add("throttle", throttle(policy))
              .add("in flight", inFlight(health))
              .add("paused until", health.path("pausedUntil").asString(""))
              .add("next due", health.path("nextDueAt").asString(""));
      for (String state :
          List.of("pending", "delivered", "deadLettered", "discarded", "expired", "attempts")) {
        facts.add(LedgerCommand.heading(state), ledger.path(state).asLong(0));
      }
      facts.print();
    }

    private static String inFlight(JsonNode health) {
      // Zeros would be taken for the truth, just when the disk is slow.
      return health.isObject()
          ? health.path("inFlight").asLong(0)
              + " of "
              + health.path("limit").asLong(0)
              + " now, of "
              + health.path("maxInFlight").asLong(0)
              + " at most"
              + limitReason(health.path("limitReason").asString(""))
          : "not known: the shard does not answer";
    }

    /** A service of another version may know other reasons, or none. */
    private static String limitReason(String name) {
      String reason = LimitReason.of(name).map(LimitReason::describe).orElse(name);
      return reason.isEmpty() ? "" : " (" + Words.safe(reason) + ")";
    }

    private static String from(String source, JsonNode policy) {
      String preset = policy.path("preset").asString("");
      return source.equals("preset") ? "preset " + preset : "the " + source;
    }

    private static String throttle(JsonNode policy) {
      JsonNode throttle = policy.path("throttlePolicy");
      return throttle.isObject()
          ? throttle.path("maxReceivesPerSecond").asLong(0)
              + " a second, from the "
              + policy.path("throttlePolicyFrom").asString("")
          : "";
    }

    private static String textOf(JsonNode node) {
      return node.isEmpty() ? "" : Json.compact(node);
    }
  }

  @Command(
      name = "update",
      description = "Change what is named, and leave the rest.",
      footer = {
        "  ./reprise subscription update orders-1 --endpoint https://example.com/new",
        "  ./reprise subscription update orders-1 --max-in-flight 8 --reset policy --reset lifetime"
      })
  static final class Update extends BaseCommand {
    @Parameters(paramLabel = "ID", description = "The subscription.")
    private String id = "";

    @Option(names = "--endpoint", paramLabel = "URL", description = "Where messages are posted to.")
    private @Nullable String endpoint;

    @Mixin private SettingsOptions settings = new SettingsOptions();

    @Option(
        names = "--reset",
        paramLabel = "FIELD",
        description =
            "A setting that gets its default again: policy, filter, format, deadLetters, lifetime"
                + " or maxInFlight. May be repeated.")
    private List<String> reset = List.of();

    @Override
    public Integer call() {
      ObjectNode body = Json.object();
      if (endpoint != null) {
        body.put("endpoint", endpoint);
      }
      settings.writeTo(body, terminal());
      for (String field : reset) {
        if (body.has(field)) {
          throw wrongUsage("--reset is " + field + ": it is also given a value");
        }
        body.putNull(field);
      }
      if (body.isEmpty()) {
        throw wrongUsage("there is nothing to change: name at least one setting");
      }
      JsonNode subscription = root().client().send("PATCH", ApiClient.path(PATH, id), body, "id");
      if (!root().printedAsJson(subscription)) {
        terminal().line("subscription " + Words.safe(id) + " changed");
        if (body.has("policy")) {
          terminal()
              .note(
                  "What waits keeps its time: ./reprise deliveries attempt-now "
                      + Words.safe(id)
                      + " makes it due.");
        }
      }
      root().warnOf(subscription);
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "delete",
      description = "Delete a subscription, its deliveries and its dead letters.",
      footer = "  ./reprise subscription delete orders-1")
  static final class Delete extends BaseCommand {
    @Parameters(paramLabel = "ID", description = "The subscription.")
    private String id = "";

    @Override
    public Integer call() {
      JsonNode answer = root().client().delete(ApiClient.path(PATH, id));
      if (!root().printedAsJson(answer)) {
        terminal().line("subscription " + Words.safe(id) + " deleted");
      }
      return ExitCode.DONE;
    }
  }
}
