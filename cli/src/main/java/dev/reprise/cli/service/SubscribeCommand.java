package dev.reprise.cli.service;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.document.SubscriptionDocument;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Subscribes an endpoint to a topic. */
@Command(
    name = "subscribe",
    description = "Have a topic's messages delivered to an endpoint.",
    footer = {
      "  ./reprise subscribe orders https://example.com/hooks/orders",
      "  ./reprise subscribe orders http://localhost:9000/ --format raw --lifetime 1h",
      "  ./reprise subscribe orders https://example.com/de --filter '{\"country\": [\"DE\"]}'",
      "  ./reprise subscribe orders +4915112345678 --protocol sms --carrier smsc"
    })
public final class SubscribeCommand extends BaseCommand {
  @Parameters(index = "0", paramLabel = "TOPIC", description = "The topic.")
  private String topic = "";

  @Parameters(
      index = "1",
      paramLabel = "ENDPOINT",
      description =
          "Where messages go: a URL, or a phone number, a mailbox, a queue or a function, as the"
              + " protocol has it.")
  private String endpoint = "";

  @Option(
      names = "--protocol",
      paramLabel = "PROTOCOL",
      description = "http (the default), sms, email, queue or function.")
  private @Nullable String protocol;

  @Option(
      names = "--suspended",
      description = "Hold what is published until the subscription is released.")
  private boolean suspended;

  @Option(
      names = "--shards",
      paramLabel = "K",
      description =
          "The number of shards that its deliveries are spread over, for a subscription that gets"
              + " more than one shard can do. Cannot be changed later. Default: 1.")
  private @Nullable Integer shards;

  @Mixin private SettingsOptions settings = new SettingsOptions();

  @Override
  public Integer call() {
    ObjectNode body = Json.object().put("endpoint", endpoint);
    if (protocol != null) {
      body.put("protocol", protocol);
    }
    if (suspended) {
      body.put("startSuspended", true);
    }
    if (shards != null) {
      body.put("shards", shards);
    }
    settings.writeTo(body, terminal());
    JsonNode subscription =
        root()
            .client()
            .send("POST", ApiClient.path("/v1/topics", topic, "subscriptions"), body, "id");
    if (!root().printedAsJson(subscription)) {
      terminal()
          .line(
              "subscription "
                  + HarmlessText.visible(
                      Json.document(subscription, SubscriptionDocument.class).id()));
    }
    root().warnOf(subscription);
    return ExitCode.DONE;
  }
}
