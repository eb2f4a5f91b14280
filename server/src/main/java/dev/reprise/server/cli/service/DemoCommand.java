package dev.reprise.server.cli.service;

import dev.reprise.common.text.AmountText;
import dev.reprise.server.cli.base.ApiClient;
import dev.reprise.server.cli.base.BaseCommand;
import dev.reprise.server.cli.base.ExitCode;
import dev.reprise.server.cli.base.Failure;
import dev.reprise.server.cli.base.Json;
import dev.reprise.server.cli.terminal.Progress;
import dev.reprise.server.cli.terminal.Terminal;
import dev.reprise.server.cli.terminal.Terminal.Style;
import dev.reprise.server.document.DeliveryDetails;
import dev.reprise.server.document.DeliveryDetails.EventDocument;
import dev.reprise.server.document.DeliveryDocument;
import dev.reprise.server.document.DeliveryDocument.NextAttempt;
import dev.reprise.server.document.SubscriptionDocument;
import dev.reprise.server.serve.ServeSettings;
import dev.reprise.server.serve.Service;
import dev.reprise.server.serve.StartException;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

/** Shows the whole story on one terminal, with the real service and the real commands. */
@Command(
    name = "demo",
    description = {
      "Show the whole story on one terminal, in fifteen seconds.",
      "Starts a service in a temporary folder and an endpoint that answers 503, then hangs, then"
          + " recovers; runs the commands that it prints. Needs no network, leaves nothing behind."
    },
    footer = "  ./reprise demo")
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

  /** Far more than the story takes, so that a fault ends it. */
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(3);

  private static final long LOOK_MILLIS = 100;

  /** A service waits 15 s, which is too long for a demonstration. */
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(4);

  final Duration attemptTimeout;
  private int step;

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
    // The story is told here; the log would interrupt it.
    System.setProperty("logback.configurationFile", "dev/reprise/server/cli/quiet-logback.xml");
    long startedNanos = System.nanoTime();
    Path folder = temporaryFolder();
    Thread cleaner = new Thread(() -> delete(folder), "reprise-demo-cleaner");
    Runtime.getRuntime().addShutdownHook(cleaner);
    int exitCode;
    try (DemoEndpoint endpoint = new DemoEndpoint();
        Service service = Service.start(settings(folder))) {
      exitCode = tell(service.baseUrl(), endpoint);
    } catch (StartException e) {
      throw Failure.failed(String.valueOf(e.getMessage()));
    } finally {
      delete(folder);
      Runtime.getRuntime().removeShutdownHook(cleaner);
    }
    if (exitCode == ExitCode.DONE) {
      whatNext((System.nanoTime() - startedNanos) / 1_000_000);
    }
    return exitCode;
  }

  private ServeSettings settings(Path folder) {
    return new ServeSettings(
        folder,
        ServeSettings.DEFAULT_HOST,
        0,
        true,
        List.of(),
        1,
        Duration.ofHours(1),
        attemptTimeout,
        Duration.ZERO);
  }

  private int tell(String url, DemoEndpoint endpoint) {
    Map<String, String> environment = new HashMap<>(terminal().environment());
    environment.put("REPRISE_URL", url);
    environment.remove("REPRISE_KEY");
    Terminal stage =
        new Terminal(
            terminal().in(),
            terminal().out(),
            terminal().err(),
            true,
            terminal().interactiveOut(),
            terminal().interactiveErr(),
            terminal().width(),
            environment);
    ApiClient client = new ApiClient(url, null);

    step("A service runs at " + url + ". A topic says how failed deliveries are retried:");
    run(stage, "topic", "create", TOPIC, "--policy", POLICY);

    step("Somebody subscribes. Their endpoint has a bad day: 503 first, then silence.");
    run(stage, "subscribe", TOPIC, endpoint.url());
    String subscription = onlySubscription(client);

    step("An order is published: safe on disk before the answer. Watch it being delivered:");
    run(stage, "publish", TOPIC, ORDER);
    String order = newest(client, subscription);
    watch(stage, client, order);
    say(
        "It asked for 2 s and got them; the time-out took "
            + AmountText.exact(attemptTimeout)
            + " (a service waits 15 s); then it was back.");

    step("Two more: one is fine, the endpoint does not understand the other (422).");
    run(stage, "publish", TOPIC, SHIPMENT);
    watch(stage, client, newest(client, subscription));
    run(stage, "publish", TOPIC, INVOICE);
    String invoice = newest(client, subscription);
    watch(stage, client, invoice);
    say("Trying a 422 again would not help, so it is a dead letter at once. Nothing is lost:");
    run(stage, "dead-letters", "list", subscription);

    step("Its owners mend the endpoint, and the dead letter is delivered again:");
    endpoint.mend();
    run(stage, "redrive", subscription);
    awaitEnd(client, invoice);
    run(stage, "deliveries", "show", invoice);

    step("The ledger accounts for everything that was accepted:");
    return run(stage, "ledger", "--verify");
  }

  private void step(String text) {
    Terminal terminal = terminal();
    terminal.line("");
    terminal.line(terminal.styled(++step + ". " + text, Style.BOLD));
    terminal.flush();
  }

  private void say(String text) {
    terminal().line("   " + text);
    terminal().flush();
  }

  /** Runs a command of this very command line, and shows it as one would type it. */
  private int run(Terminal stage, String... args) {
    StringBuilder typed = new StringBuilder("   $ ./reprise");
    for (String arg : args) {
      typed.append(' ').append(arg.matches("[\\w./:@-]+") ? arg : "'" + arg + "'");
    }
    terminal().line(terminal().styled(typed.toString(), Style.DIM));
    int exitCode = commands.applyAsInt(stage, args);
    if (exitCode != ExitCode.DONE) {
      throw Failure.failed("the demo ends here: the command above failed");
    }
    return exitCode;
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
  private void watch(Terminal stage, ApiClient client, String id) {
    Progress progress = new Progress(stage);
    long giveUpNanos = System.nanoTime() + PATIENCE_NANOS;
    int shown = 0;
    while (true) {
      DeliveryDetails details = delivery(client, id);
      List<EventDocument> history = details.history();
      if (shown < history.size()) {
        progress.clear();
      }
      for (; shown < history.size(); shown++) {
        new Timeline(stage, details).event(history.get(shown));
        stage.flush();
      }
      if (!details.delivery().status().equals("pending")) {
        progress.clear();
        return;
      }
      progress.show(waiting(details.delivery()));
      pause(giveUpNanos);
    }
  }

  private static DeliveryDetails delivery(ApiClient client, String id) {
    return Json.document(
        client.get(ApiClient.path("/v1/deliveries", id), "history"), DeliveryDetails.class);
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

  private static void awaitEnd(ApiClient client, String id) {
    long giveUpNanos = System.nanoTime() + PATIENCE_NANOS;
    while (delivery(client, id).delivery().status().equals("pending")) {
      pause(giveUpNanos);
    }
  }

  private static void pause(long giveUpNanos) {
    if (System.nanoTime() > giveUpNanos) {
      throw Failure.failed("the demo's delivery did not end within three minutes");
    }
    try {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Failure.failed("interrupted");
    }
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
      throw Failure.failed("the demo needs a temporary folder: " + e.getMessage());
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
