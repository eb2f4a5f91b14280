package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.GroupCommand;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Facts;
import dev.reprise.cli.terminal.Table;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.delivery.LimitReason;
import dev.reprise.delivery.RefusalHold;
import dev.reprise.server.document.LedgerCounts;
import dev.reprise.server.document.SubscriptionDetails;
import dev.reprise.server.document.SubscriptionDetails.HealthDocument;
import dev.reprise.server.document.SubscriptionDetails.HoldDocument;
import dev.reprise.server.document.SubscriptionDocument;
import dev.reprise.server.document.SubscriptionDocument.EffectivePolicyDocument;
import dev.reprise.server.document.SubscriptionDocument.ReceiptsDocument;
import dev.reprise.server.document.SubscriptionDocument.ThrottleDocument;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
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
    description = "List, show, update, sign, check or delete subscriptions.",
    footer = {"  ./reprise subscription show orders-1"},
    subcommands = {
      SubscriptionCommand.ListAll.class,
      SubscriptionCommand.Show.class,
      SubscriptionHealthCommand.class,
      SubscriptionCommand.Update.class,
      SubscriptionCommand.Sign.class,
      SuspensionCommands.Suspend.class,
      SuspensionCommands.Release.class,
      SuspensionCommands.Test.class,
      ReceiverCheckCommand.class,
      SubscriptionCommand.Delete.class
    })
public final class SubscriptionCommand extends GroupCommand {
  public static final String PATH = "/v1/subscriptions";

  @Command(
      name = "list",
      description = "List the subscriptions.",
      footer = {
        "  ./reprise subscription list",
        "  ./reprise subscription list --topic orders",
        "  ./reprise subscription list --search example.com --suspended",
        "  ./reprise subscription list --failing",
        "  ./reprise subscription list --customer c-42 --label team=billing"
      })
  static final class ListAll extends BaseCommand {
    @Option(names = "--topic", paramLabel = "TOPIC", description = "Only those of this topic.")
    private @Nullable String topic;

    @Option(
        names = "--search",
        paramLabel = "TEXT",
        description =
            "Only those whose id, topic, endpoint, name, customer or value of a label has this"
                + " text.")
    private @Nullable String search;

    @Option(names = "--suspended", description = "Only those that are suspended.")
    private boolean suspended;

    @Option(names = "--failing", description = "Only those whose last attempt failed.")
    private boolean failing;

    @Mixin private LabellingOptions labelling = new LabellingOptions();
    @Mixin private LimitOption limit = new LimitOption();

    @Override
    public Integer call() {
      Map<String, @Nullable Object> filter = new HashMap<>();
      filter.put("topic", topic);
      filter.put("search", search);
      filter.put("suspended", suspended ? "true" : null);
      filter.put("failing", failing ? "true" : null);
      labelling.addTo(filter);
      JsonNode pages = Pages.read(root().client(), PATH, filter, limit.value());
      if (root().printedAsJson(pages)) {
        return ExitCode.DONE;
      }
      if (pages.path("items").isEmpty()) {
        terminal()
            .note(
                search == null && !suspended && !failing && !labelling.areGiven()
                    ? "There is no subscription. Create one: ./reprise subscribe TOPIC URL"
                    : "There is no such subscription.");
        return ExitCode.DONE;
      }
      Table table =
          new Table(
              "SUBSCRIPTION",
              "TOPIC",
              "ENDPOINT",
              "NAME",
              "CUSTOMER",
              ">PENDING",
              ">DELIVERED",
              ">DEAD LETTERS",
              "FAILING SINCE",
              "FLAGS");
      for (SubscriptionDocument subscription : Pages.items(pages, SubscriptionDocument.class)) {
        LedgerCounts ledger = subscription.ledger();
        long dead = ledger.deadLettered();
        table.row(
            subscription.id(),
            subscription.topic(),
            Words.shortened(subscription.endpoint(), 48),
            LabellingOptions.inList(subscription.name()),
            LabellingOptions.inList(subscription.customer()),
            ledger.pending(),
            ledger.delivered(),
            new Cell(String.valueOf(dead), dead == 0 ? Style.PLAIN : Style.BAD),
            StandingWords.failing(subscription),
            String.join(", ", subscription.flags()));
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
        print(Json.document(subscription, SubscriptionDetails.class));
      }
      return ExitCode.DONE;
    }

    private void print(SubscriptionDetails details) {
      SubscriptionDocument subscription = details.subscription();
      EffectivePolicyDocument policy = subscription.effectivePolicy();
      HealthDocument health = details.health();
      Facts facts =
          new Facts(terminal())
              .add("subscription", new Cell(subscription.id(), Style.BOLD))
              .add("name", subscription.name())
              .add("customer", subscription.customer())
              .add("labels", LabellingOptions.text(subscription.labels()))
              .add("topic", subscription.topic())
              .add("protocol", subscription.protocol())
              .add("endpoint", subscription.endpoint())
              .add("carrier", subscription.carrier())
              .add("format", subscription.format())
              .add("http", textOf(subscription.http()))
              .add("filter", textOf(subscription.filter()))
              .add("dead letters", deadLetters(subscription))
              .add("lifetime", subscription.lifetime())
              .add("shards", subscription.shards())
              .add("flags", String.join(", ", subscription.flags()))
              .add("created", subscription.createdAt())
              .add(
                  "suspended",
                  new Cell(SuspensionCommands.described(subscription.suspended()), Style.BAD))
              .add("failing since", StandingWords.failingSince(subscription))
              .add("last success", subscription.lastSuccess())
              .add("last outcome", StandingWords.lastOutcome(subscription))
              .add("retries", textOf(policy.healthyRetryPolicy()) + " from " + source(policy))
              .add("throttle", throttle(policy))
              .add("in flight", inFlight(health))
              .add("paused until", health == null ? null : health.pausedUntil())
              .add("held back", health == null ? null : held(health.hold()))
              .add("to go on", health == null ? null : goOn(health.hold(), subscription.id()))
              .add("receipts", receipts(subscription.receipts()))
              .add("may have come twice", repeats(subscription.repeats()))
              .add("next due", health == null ? null : health.nextDueAt());
      LedgerCommand.Column.ofDeliveries()
          .forEach(column -> facts.add(column.heading(), column.countOf(subscription.ledger())));
      facts.print();
    }

    private static String deadLetters(SubscriptionDocument subscription) {
      String target = subscription.deadLetterTarget();
      return target == null || target.isEmpty()
          ? subscription.deadLetters()
          : "to " + HarmlessText.visible(target);
    }

    private static String receipts(@Nullable ReceiptsDocument receipts) {
      return receipts == null
          ? ""
          : receipts.delivered() + " of success, " + receipts.failed() + " of failure";
    }

    private static String repeats(Map<String, Long> repeats) {
      return repeats.entrySet().stream()
          .map(each -> each.getValue() + " " + each.getKey().replace('_', ' '))
          .collect(Collectors.joining(", "));
    }

    private static @Nullable String held(@Nullable HoldDocument hold) {
      return hold == null
          ? null
          : HarmlessText.visible(hold.group() + ": " + hold.reason())
              + (hold.until() == null ? "" : "; next try at " + hold.until());
    }

    /** The end of a hold, and the command that ends it now; what is full needs nothing. */
    private static @Nullable String goOn(@Nullable HoldDocument hold, String id) {
      return hold == null || !hold.reason().startsWith(RefusalHold.BEGINNING)
          ? null
          : "by itself with the first delivery that is taken; or mend the cause, then ./reprise "
              + (hold.group().startsWith("carrier ")
                  ? "carrier resume " + HarmlessText.visible(hold.group().substring(8))
                  : "subscription release " + id);
    }

    private static String inFlight(@Nullable HealthDocument health) {
      // Zeros would be taken for the truth, just when the disk is slow.
      return health == null
          ? "not known: the shard does not answer"
          : health.inFlight()
              + " of "
              + health.limit()
              + " now, of "
              + health.maxInFlight()
              + " at most"
              + limitReason(health.limitReason());
    }

    /** A service of another version may know other reasons, or none. */
    private static String limitReason(String name) {
      String reason = LimitReason.of(name).map(LimitReason::describe).orElse(name);
      return reason.isEmpty() ? "" : " (" + HarmlessText.visible(reason) + ")";
    }

    private static String source(EffectivePolicyDocument policy) {
      String source = policy.healthyRetryPolicyFrom();
      return source.equals("preset") ? "preset " + policy.preset() : "the " + source;
    }

    private static String throttle(EffectivePolicyDocument policy) {
      ThrottleDocument throttle = policy.throttlePolicy();
      return throttle == null
          ? ""
          : throttle.maxReceivesPerSecond() + " a second, from the " + policy.throttlePolicyFrom();
    }

    private static String textOf(@Nullable JsonNode node) {
      return node == null || node.isEmpty() ? "" : Json.compact(node);
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

    @Option(names = "--endpoint", paramLabel = "ENDPOINT", description = "Where messages go.")
    private @Nullable String endpoint;

    @Mixin private SettingsOptions settings = new SettingsOptions();

    @Option(
        names = "--reset",
        paramLabel = "FIELD",
        description =
            "A setting that gets its default again: policy, filter, format, deadLetters, lifetime,"
                + " maxInFlight, carrier, http, deadLetterTarget, suspendWhenGone, name, labels or"
                + " customer. May be repeated.")
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
      JsonNode subscription = root().client().send("POST", ApiClient.path(PATH, id), body, "id");
      if (!root().printedAsJson(subscription)) {
        terminal().line("subscription " + HarmlessText.visible(id) + " changed");
        if (body.has("policy")) {
          terminal()
              .note(
                  "What waits keeps its time: ./reprise deliveries attempt-now "
                      + HarmlessText.visible(id)
                      + " makes it due.");
        }
      }
      root().warnOf(subscription);
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "sign",
      description = {
        "Sign the deliveries of a subscription with a new secret (Standard Webhooks), and show it,"
            + " once.",
        "The previous secret signs as well for a while, so that the receiver has time to change."
      },
      footer = {
        "  ./reprise subscription sign orders-1",
        "  ./reprise subscription sign orders-1 --kind ed25519 --overlap 72h"
      })
  static final class Sign extends BaseCommand {
    @Parameters(paramLabel = "ID", description = "The subscription.")
    private String id = "";

    @Option(
        names = "--kind",
        paramLabel = "KIND",
        description =
            "shared (the default): a secret that the receiver knows as well. ed25519: a private key"
                + " that stays here; the receiver gets the public one.")
    private @Nullable String kind;

    @Option(
        names = "--overlap",
        paramLabel = "SPAN",
        description = "How long the previous secret signs as well. Default: 24h.")
    private @Nullable String overlap;

    @Override
    public Integer call() {
      ObjectNode body = Json.object();
      if (kind != null) {
        body.put("kind", kind);
      }
      if (overlap != null) {
        body.put("overlap", overlap);
      }
      JsonNode answer =
          root()
              .client()
              .send("POST", ApiClient.path(PATH, id, "signing-secret"), body, "signingSecret");
      if (!root().printedAsJson(answer)) {
        String until = answer.path("oldSigningUntil").asString("");
        // The secret alone, so that a script can take it; the rest is for people.
        terminal()
            .line(
                HarmlessText.visible(
                    answer.path("publicKey").asString(answer.path("signingSecret").asString(""))));
        terminal()
            .note(
                "For the receiver, which verifies with it. It is shown this once."
                    + (until.isEmpty()
                        ? ""
                        : " The secret before signs as well until "
                            + HarmlessText.visible(until)
                            + "."));
      }
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
        terminal().line("subscription " + HarmlessText.visible(id) + " deleted");
      }
      return ExitCode.DONE;
    }
  }
}
