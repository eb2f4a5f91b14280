package dev.reprise.cli.demo;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.server.document.DeliveryDetails;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntBiFunction;

/** The stage of the demo's stories: steps, remarks, and the commands of this program. */
final class DemoStage {
  /** Far more than a story takes, so that a fault ends it. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final Duration LOOK = Duration.ofMillis(100);

  private final Terminal terminal;
  private final String url;
  private final ToIntBiFunction<Terminal, String[]> commands;
  private final ApiClient client;
  private int step;

  /** A stage on which commands ask the service at {@code url}, whatever the environment says. */
  DemoStage(Terminal outer, String url, ToIntBiFunction<Terminal, String[]> commands) {
    Map<String, String> environment = new HashMap<>(outer.environment());
    environment.put("REPRISE_URL", url);
    environment.remove("REPRISE_KEY");
    this.terminal =
        new Terminal(
            outer.in(),
            outer.out(),
            outer.err(),
            true,
            outer.interactiveOut(),
            outer.interactiveErr(),
            outer.width(),
            environment);
    this.url = url;
    this.commands = commands;
    this.client = new ApiClient(url, null);
  }

  Terminal terminal() {
    return terminal;
  }

  String url() {
    return url;
  }

  ApiClient client() {
    return client;
  }

  void step(String text) {
    terminal.line("");
    terminal.line(terminal.styled(++step + ". " + text, Style.BOLD));
    terminal.flush();
  }

  void say(String text) {
    terminal.line("   " + text);
    terminal.flush();
  }

  /** Runs a command of this very command line, and shows it as one would type it. */
  int run(String... args) {
    StringBuilder typed = new StringBuilder("   $ ./reprise");
    for (String arg : args) {
      typed.append(' ').append(arg.matches("[\\w./:@+=-]+") ? arg : "'" + arg + "'");
    }
    terminal.line(terminal.styled(typed.toString(), Style.DIM));
    int exitCode = commands.applyAsInt(terminal, args);
    if (exitCode != ExitCode.DONE) {
      throw CommandFailure.failed("the demo ends here: the command above failed");
    }
    return exitCode;
  }

  DeliveryDetails delivery(String id) {
    return Json.document(
        client.get(ApiClient.path("/v1/deliveries", id), "history"), DeliveryDetails.class);
  }

  void awaitEnd(String id) {
    Pauses pauses = patience();
    while (delivery(id).delivery().status().equals("pending")) {
      pause(pauses);
    }
  }

  /** The pauses of a story until it goes on, or is given up. */
  static Pauses patience() {
    return Pauses.every(LOOK).within(PATIENCE);
  }

  /** Waits a little. */
  static void pause(Pauses pauses) {
    try {
      if (!pauses.next()) {
        throw CommandFailure.failed("what the demo waits for did not come within three minutes");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CommandFailure.failed("interrupted");
    }
  }
}
