package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.document.SubscriptionDocument;
import dev.reprise.server.document.SubscriptionDocument.SuspendedDocument;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The commands that suspend a subscription, release it, and try its endpoint. */
final class SuspensionCommands {
  private SuspensionCommands() {}

  /** Returns the suspension as one line for people; empty if there is none. */
  static String described(@Nullable SuspendedDocument suspended) {
    if (suspended == null) {
      return "";
    }
    String given = Objects.requireNonNullElse(suspended.reason(), "");
    String reason = given.isEmpty() ? "" : " (" + given + ")";
    String dropsAt = Objects.requireNonNullElse(suspended.dropsAt(), "");
    String drops =
        dropsAt.isEmpty() ? "" : "; the first is dropped at " + dropsAt + " unless it is released";
    return HarmlessText.visible(
        "by "
            + suspended.by()
            + " since "
            + suspended.since()
            + reason
            + ", holds "
            + suspended.held()
            + " of at most "
            + suspended.maxHeld()
            + drops);
  }

  @Command(
      name = "suspend",
      description = {
        "Make no attempts until the subscription is released; what is published is held.",
        "What is held for too long, or with too many others, is given up and kept as a dead letter."
      },
      footer = {
        "  ./reprise subscription suspend orders-1 --reason 'maintenance until noon'",
        "  ./reprise subscription suspend orders-1 --max-age 72h --max-held 100000"
      })
  static final class Suspend extends BaseCommand {
    @Parameters(paramLabel = "ID", description = "The subscription.")
    private String id = "";

    @Option(names = "--reason", paramLabel = "TEXT", description = "The reason, one line.")
    private @Nullable String reason;

    @Option(
        names = "--max-age",
        paramLabel = "SPAN",
        description = "How long a delivery is held from when it is due. Default: 14 days.")
    private @Nullable String maxAge;

    @Option(
        names = "--max-held",
        paramLabel = "N",
        description = "How many deliveries are held. Default: 1000000.")
    private @Nullable Integer maxHeld;

    @Override
    public Integer call() {
      ObjectNode request = Json.object();
      request.put("reason", reason);
      request.put("maxAge", maxAge);
      request.put("maxHeld", maxHeld);
      JsonNode answer =
          root()
              .client()
              .send("POST", DeadLettersCommand.path(id, "suspend"), request, "suspended");
      if (!root().printedAsJson(answer)) {
        SubscriptionDocument subscription = Json.document(answer, SubscriptionDocument.class);
        terminal()
            .line(
                "subscription "
                    + HarmlessText.visible(id)
                    + " suspended: "
                    + described(subscription.suspended()));
      }
      return ExitCode.DONE;
    }
  }

  @Command(
      name = "release",
      description = "Deliver again what a suspended subscription holds, and what comes.",
      footer = "  ./reprise subscription release orders-1")
  static final class Release extends BaseCommand {
    @Parameters(paramLabel = "ID", description = "The subscription.")
    private String id = "";

    @Override
    public Integer call() {
      ApiClient client = root().client();
      // The answer is that of a subscription that runs, whatever it was before.
      JsonNode before = client.get(ApiClient.path(SubscriptionCommand.PATH, id), "ledger");
      JsonNode answer =
          client.send("POST", DeadLettersCommand.path(id, "release"), Json.object(), "ledger");
      if (!root().printedAsJson(answer)) {
        String pending =
            Words.count(
                Json.document(answer, SubscriptionDocument.class).ledger().pending(),
                "pending delivery");
        terminal()
            .line(
                "subscription "
                    + HarmlessText.visible(id)
                    + (wasHeld(before)
                        ? " released, with " + pending
                        : " is not suspended; it has " + pending));
      }
      return ExitCode.DONE;
    }

    /** A release also ends a hold after equal refusals. */
    private static boolean wasHeld(JsonNode subscription) {
      return subscription.hasNonNull("suspended") || subscription.at("/health/hold").isObject();
    }
  }

  @Command(
      name = "test",
      description = "Send a test message to this subscription alone.",
      footer = "  ./reprise subscription test orders-1")
  static final class Test extends BaseCommand {
    @Parameters(paramLabel = "ID", description = "The subscription.")
    private String id = "";

    @Override
    public Integer call() {
      JsonNode answer =
          root()
              .client()
              .send("POST", DeadLettersCommand.path(id, "test"), Json.object(), "messageId");
      if (!root().printedAsJson(answer)) {
        String message = HarmlessText.visible(answer.path("messageId").asString(""));
        terminal().line(message);
        terminal()
            .note(
                "Accepted. ./reprise deliveries show "
                    + message
                    + "@"
                    + HarmlessText.visible(id)
                    + " tells what comes of it.");
      }
      return ExitCode.DONE;
    }
  }
}
