package dev.reprise.cli.demo;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.service.Pages;
import dev.reprise.cli.service.SubscriptionCommand;
import dev.reprise.cli.service.Timeline;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.common.text.AmountText;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.server.document.DeliveryDetails;
import dev.reprise.server.document.DeliveryDetails.EventDocument;
import dev.reprise.server.document.DeliveryDocument;
import dev.reprise.server.document.DeliveryDocument.NextAttempt;
import dev.reprise.server.document.SubscriptionDocument;
import dev.reprise.server.serve.Service;
import dev.reprise.server.serve.StartException;
import dev.reprise.server.settings.ServeSettings;
import dev.reprise.server.settings.Settings;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Shows the whole story on one terminal, with the real service and the real commands. */
@Command(
    name = "demo",
    description = {
      "Show the whole story on one terminal, in fifteen seconds.",
      "Starts a service in a temporary folder and an endpoint that answers 503, then hangs, then"
          + " recovers; runs the commands that it prints. Needs no network, leaves nothing behind."
    },
    footer = {"  ./reprise demo", "  ./reprise demo --endpoints", "  ./reprise demo --cluster"})
public final class DemoCommand extends BaseCommand {
  private static final String TOPIC = "orders";
  private static final String POLICY =
      "{\"healthyRetryPolicy\": {\"numRetries\": 6, \"minDelayTarget\": 1, \"maxDelayTarget\": 3}}";
  private static final String ORDER =
      "{\"type\": \"order.created\", \"order\": 1001, \"total\": \"59.90\", \"currency\": \"EUR\"}";
  private static final String INVOICE =
      "{\"type\": \"invoice.paid\", \"invoice\": \"R-2207\", \"order\": 1001}";
  private static final String SHIPMENT =
      "{\"type\": \"shipment.sent\", \"order\": 1001, \"carrier\": \"DHL\"}";

  /** A service waits 15 s, which is too long for a demonstration. */
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(4);

  final Duration attemptTimeout;

  @Option(
      names = "--endpoints",
      description =
          "One message to a webhook, a phone, a mailbox, a queue and a function instead; the SMS"
              + " centre is down at first.")
  private boolean endpoints;

  @Option(
      names = "--cluster",
      description =
          "Three brokers of Kafka and three nodes instead, all on this machine; one of each is"
              + " killed. Takes a minute and 2.5 GB of memory.")
  private boolean cluster;

  private final ToIntBiFunction<Terminal, String[]> commands;

  /**
   * A demo of these commands.
   *
   * @param commands runs a command line on a terminal and returns its exit code
   */
  public DemoCommand(ToIntBiFunction<Terminal, String[]> commands) {
    this(commands, ATTEMPT_TIMEOUT);
  }

  DemoCommand(ToIntBiFunction<Terminal, String[]> commands, Duration attemptTimeout) {
    this.commands = commands;
    this.attemptTimeout = attemptTimeout;
  }

  @Override
  public Integer call() {
    if (cluster && endpoints) {
      throw wrongUsage("--cluster and --endpoints exclude each other");
    }
    // The demo prints its steps here; the log would interrupt them.
    System.setProperty("logback.configurationFile", "dev/reprise/cli/quiet-logback.xml");
    long startedNanos = System.nanoTime();
    Path folder = temporaryFolder();
    int exitCode = cluster ? tellOfCluster(folder) : tellOfService(folder);
    if (exitCode == ExitCode.DONE) {
      whatNext((System.nanoTime() - startedNanos) / 1_000_000);
    }
    return exitCode;
  }

  private int tellOfService(Path folder) {
    Thread cleaner = cleaner(() -> delete(folder));
    try (DemoEndpoint endpoint = new DemoEndpoint();
        Service service = Service.start(settings(folder))) {
      DemoStage stage = new DemoStage(terminal(), service.baseUrl(), commands);
      return endpoints ? EndpointsDemo.tell(stage) : tell(stage, endpoint);
    } catch (StartException e) {
      throw CommandFailure.failed(String.valueOf(e.getMessage()));
    } finally {
      delete(folder);
      Runtime.getRuntime().removeShutdownHook(cleaner);
    }
  }

  private int tellOfCluster(Path folder) {
    DemoRoom.require(folder);
    DemoCluster started = new DemoCluster(folder);
    // Its processes write into the folder.
    Thread cleaner =
        cleaner(
            () -> {
              started.close();
              delete(folder);
            });
    try {
      return ClusterDemo.tell(
          new DemoStage(terminal(), started.nodes().get(0).url(), commands), started);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CommandFailure.failed("interrupted");
    } finally {
      started.close();
      delete(folder);
      Runtime.getRuntime().removeShutdownHook(cleaner);
    }
  }

  /** Has the work done when the process is stopped in the middle of the demo. */
  private static Thread cleaner(Runnable work) {
    Thread thread = new Thread(work, "reprise-demo-cleaner");
    Runtime.getRuntime().addShutdownHook(thread);
    return thread;
  }

  private ServeSettings settings(Path folder) {
    return ServeSettings.in(folder)
        .with(Settings.PORT, 0)
        .with(Settings.DEV, true)
        .with(Settings.SHARDS, 1)
        .with(Settings.HISTORY, Duration.ofHours(1))
        .with(Settings.ATTEMPT_TIMEOUT, attemptTimeout)
        .with(Settings.GRACE, Duration.ZERO)
        .with(Settings.DRAIN, Duration.ZERO);
  }

  private int tell(DemoStage stage, DemoEndpoint endpoint) {
    ApiClient client = stage.client();

    stage.step(
        "A service runs at " + stage.url() + ". A topic says how failed deliveries are retried:");
    stage.run("topic", "create", TOPIC, "--policy", POLICY);

    stage.step("Somebody subscribes. Their endpoint has a bad day: 503 first, then silence.");
    stage.run("subscribe", TOPIC, endpoint.url());
    String subscription = onlySubscription(client);

    stage.step("An order is published: safe on disk before the answer. Watch it being delivered:");
    stage.run("publish", TOPIC, ORDER);
    String order = newest(client, subscription);
    watch(stage, order);
    stage.say(
        "It asked for 2 s and got them; the time-out took "
            + AmountText.exact(attemptTimeout)
            + " (a service waits 15 s); then it was back.");

    stage.step("Two more: one is fine, the endpoint does not understand the other (422).");
    stage.run("publish", TOPIC, SHIPMENT);
    watch(stage, newest(client, subscription));
    stage.run("publish", TOPIC, INVOICE);
    String invoice = newest(client, subscription);
    watch(stage, invoice);
    stage.say(
        "Trying a 422 again would not help, so it is a dead letter at once. Nothing is lost:");
    stage.run("dead-letters", "list", subscription);

    stage.step("Its owners mend the endpoint, and the dead letter is delivered again:");
    endpoint.mend();
    stage.run("redrive", subscription);
    stage.awaitEnd(invoice);
    stage.run("deliveries", "show", invoice);

    stage.step("The ledger accounts for everything that was accepted:");
    return stage.run("ledger", "--verify");
  }

  private static String onlySubscription(ApiClient client) {
    JsonNode page = client.get(SubscriptionCommand.PATH, "items");
    return Pages.items(page, SubscriptionDocument.class).get(0).id();
  }

  /** Returns the delivery that was published last. */
  private static String newest(ApiClient client, String subscription) {
    JsonNode page =
        client.get(
            ApiClient.withQuery("/v1/deliveries", Map.of("subscription", subscription)), "items");
    String newest = "";
    String newestAt = "";
    for (DeliveryDocument delivery : Pages.items(page, DeliveryDocument.class)) {
      if (delivery.publishedAt().compareTo(newestAt) >= 0) {
        newest = delivery.id();
        newestAt = delivery.publishedAt();
      }
    }
    return newest;
  }

  /** Shows each attempt as it ends, and what is waited for, until the delivery has ended. */
  private static void watch(DemoStage stage, String id) {
    Terminal terminal = stage.terminal();
    Progress progress = new Progress(terminal);
    Pauses pauses = DemoStage.patience();
    int shown = 0;
    while (true) {
      DeliveryDetails details = stage.delivery(id);
      List<EventDocument> history = details.history();
      if (shown < history.size()) {
        progress.clear();
      }
      for (; shown < history.size(); shown++) {
        new Timeline(terminal, details).event(history.get(shown));
        terminal.flush();
      }
      if (!details.delivery().status().equals("pending")) {
        progress.clear();
        return;
      }
      progress.show(waiting(details.delivery()));
      DemoStage.pause(pauses);
    }
  }

  private static String waiting(DeliveryDocument delivery) {
    NextAttempt next = delivery.nextAttempt();
    long attempt = delivery.attempts() + 1;
    long inMillis = next == null ? 0 : next.inMillis();
    return delivery.inFlight() || inMillis <= 0
        ? "           attempt " + attempt + " is under way..."
        : "           attempt "
            + attempt
            + " in "
            + AmountText.rough(Duration.ofMillis(inMillis))
            + "...";
  }

  private void whatNext(long millis) {
    terminal().line("");
    terminal()
        .line("That was it, in " + AmountText.rough(Duration.ofMillis(millis)) + ". What next:");
    terminal().line("  ./reprise serve --dev                 a service that stays");
    terminal()
        .line("  ./reprise preview notification-http   when retries come, before you use them");
    terminal().line("  ./reprise --help                      everything else");
  }

  private static Path temporaryFolder() {
    try {
      return Files.createTempDirectory("reprise-demo-");
    } catch (IOException e) {
      throw CommandFailure.failed("the demo needs a temporary folder: " + e.getMessage());
    }
  }

  private static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path emptied, @Nullable IOException fault)
                throws IOException {
              Files.deleteIfExists(emptied);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      // A temporary folder: the system clears what is left of it.
    }
  }
}
