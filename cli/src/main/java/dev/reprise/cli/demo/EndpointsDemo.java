package dev.reprise.cli.demo;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.service.Pages;
import dev.reprise.cli.service.SubscriptionCommand;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.server.document.DeliveryDocument;
import dev.reprise.server.document.SubscriptionDocument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import tools.jackson.databind.JsonNode;

/**
 * The story of one message and five kinds of endpoints, whose servers start in this process; the
 * SMS centre is down at first.
 */
final class EndpointsDemo {
  private static final String TOPIC = "shipments";
  private static final String SHIPMENT = "{\"order\": 1001, \"parcel\": \"JD0146\"}";
  private static final String BODIES =
      "{\"sms\": \"Order 1001 is on its way: JD0146\", \"email\": {\"subject\": \"Order 1001 is on"
          + " its way\", \"text\": \"Your parcel is JD0146.\", \"html\": \"<p>Your parcel is"
          + " <b>JD0146</b>.\"}}";

  private EndpointsDemo() {}

  static int tell(DemoStage stage) {
    try (DemoHttp http = new DemoHttp();
        DemoMailServer mail = new DemoMailServer();
        DemoSmsCentre phone = new DemoSmsCentre()) {
      mail.start();
      carriers(stage, http, mail, phone);
      subscriptions(stage, http);

      stage.step("One message, with bodies of their own for the phone and the mailbox:");
      stage.run("publish", TOPIC, SHIPMENT, "--bodies", BODIES);
      String sms = sms(stage.client());
      await(() -> mail.received().size() == 1 && http.hooked().size() == 1 && queued(http));
      stage.run("deliveries", "list");
      stage.say("The SMS centre does not answer. Nothing is attempted, and no retry is used up:");
      await(() -> waitsForCarrier(stage, sms));
      stage.run("deliveries", "show", sms);

      stage.step("The SMS centre comes back:");
      phone.start();
      stage.awaitEnd(sms);
      await(() -> stage.delivery(sms).history().size() == 2);
      stage.run("deliveries", "show", sms);
      stage.run("carrier", "list");

      stage.step("What has arrived:");
      arrived(stage, "webhook", http.hooked());
      arrived(stage, "phone", phone.received());
      arrived(stage, "mailbox", mail.received());
      arrived(stage, "queue", http.queued());
      stage.say("function: a line in the service's log");
      return stage.run("ledger");
    }
  }

  private static void carriers(
      DemoStage stage, DemoHttp http, DemoMailServer mail, DemoSmsCentre phone) {
    Path secret = secretFile();
    try {
      stage.step("Carriers reach what is no URL. Each is proven by connecting, but the last:");
      stage.run(
          "carrier",
          "create",
          "relay",
          "--type",
          "smtp",
          "--set",
          "addresses=" + mail.address(),
          "--set",
          "security=none",
          "--set",
          "from=shop@example.com");
      stage.run(
          "carrier",
          "create",
          "account",
          "--type",
          "aws",
          "--set",
          "region=eu-central-1",
          "--set",
          "accessKeyId=AKIDEXAMPLE",
          "--set",
          "accountId=123456789012",
          "--set",
          "sqsUrl=" + http.queueUrl(),
          "--secret",
          "secretAccessKey=" + secret);
      stage.run(
          "carrier",
          "create",
          "smsc",
          "--type",
          "smpp",
          "--set",
          "addresses=" + phone.address(),
          "--set",
          "systemId=reprise",
          "--secret",
          "password=" + secret,
          "--unchecked");
    } finally {
      try {
        Files.deleteIfExists(secret);
      } catch (IOException e) {
        // A temporary file: the system clears it.
      }
    }
  }

  private static void subscriptions(DemoStage stage, DemoHttp http) {
    stage.step("Five kinds of endpoints subscribe to one topic:");
    stage.run("topic", "create", TOPIC);
    stage.run("subscribe", TOPIC, http.hookUrl(), "--format", "raw");
    stage.run("subscribe", TOPIC, "+4915112345678", "--protocol", "sms", "--carrier", "smsc");
    stage.run("subscribe", TOPIC, "ann@example.com", "--protocol", "email", "--carrier", "relay");
    stage.run("subscribe", TOPIC, "parcels", "--protocol", "queue", "--carrier", "account");
    stage.run("subscribe", TOPIC, "log", "--protocol", "function");
  }

  private static Path secretFile() {
    try {
      return Files.writeString(Files.createTempFile("reprise-demo-", ".secret"), "demo-key");
    } catch (IOException e) {
      throw CommandFailure.failed("the demo needs a temporary file: " + e.getMessage());
    }
  }

  private static boolean queued(DemoHttp http) {
    return http.queued().size() == 1;
  }

  /** The id of the delivery to the phone. */
  private static String sms(ApiClient client) {
    for (SubscriptionDocument subscription :
        Pages.items(client.get(SubscriptionCommand.PATH, "items"), SubscriptionDocument.class)) {
      if (subscription.protocol().equals("sms")) {
        JsonNode page =
            client.get(
                ApiClient.withQuery("/v1/deliveries", Map.of("subscription", subscription.id())),
                "items");
        return Pages.items(page, DeliveryDocument.class).get(0).id();
      }
    }
    throw CommandFailure.failed("the demo's phone has no subscription");
  }

  private static boolean waitsForCarrier(DemoStage stage, String id) {
    var next = stage.delivery(id).delivery().nextAttempt();
    String waits = next == null ? null : next.waitingFor();
    return waits != null && waits.startsWith("carrier") && !waits.contains("not bound yet");
  }

  private static void await(BooleanSupplier condition) {
    Pauses pauses = DemoStage.patience();
    while (!condition.getAsBoolean()) {
      DemoStage.pause(pauses);
    }
  }

  private static void arrived(DemoStage stage, String where, List<String> messages) {
    messages.forEach(message -> stage.say(where + ": " + message));
  }
}
