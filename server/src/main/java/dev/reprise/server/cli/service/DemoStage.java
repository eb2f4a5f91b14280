package dev.reprise.server.cli.service;

import dev.reprise.server.cli.base.ApiClient;
import dev.reprise.server.cli.base.ExitCode;
import dev.reprise.server.cli.base.Failure;
import dev.reprise.server.cli.base.Json;
import dev.reprise.server.cli.terminal.Terminal;
import dev.reprise.server.cli.terminal.Terminal.Style;
import dev.reprise.server.document.DeliveryDetails;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntBiFunction;

/** The stage of the demo's stories: steps, remarks, and the commands of this program. */
final class DemoStage {
  /** Far more than a story takes, so that a fault ends it. */
  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(3);

  private static final long LOOK_MILLIS = 100;

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
      throw Failure.failed("the demo ends here: the command above failed");
    }
    return exitCode;
  }

  DeliveryDetails delivery(String id) {
    return Json.document(
        client.get(ApiClient.path("/v1/deliveries", id), "history"), DeliveryDetails.class);
  }

  void awaitEnd(String id) {
    long giveUpNanos = patience();
    while (delivery(id).delivery().status().equals("pending")) {
      pause(giveUpNanos);
    }
  }

  /** The moment at which a story that goes on is given up, of {@link System#nanoTime}. */
  static long patience() {
    return System.nanoTime() + PATIENCE_NANOS;
  }

  /** Waits a little. */
  static void pause(long giveUpNanos) {
    if (System.nanoTime() > giveUpNanos) {
      throw Failure.failed("what the demo waits for did not come within three minutes");
    }
    try {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Failure.failed("interrupted");
    }
  }
}
