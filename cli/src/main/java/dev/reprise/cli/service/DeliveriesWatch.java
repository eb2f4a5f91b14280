package dev.reprise.cli.service;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.AmountText;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.delivery.pause.Pauses;
import dev.reprise.policy.document.DurationText;
import dev.reprise.server.document.DeliveryDocument;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/**
 * Lists deliveries again and again: one table that is drawn anew for a person, a line for each
 * change in a file or pipe, a line of JSON for each to programs. It goes on until it is stopped, or
 * until its output is closed.
 */
final class DeliveriesWatch {
  private static final Duration MIN_EVERY = Duration.ofMillis(100);
  private static final Duration MAX_EVERY = Duration.ofHours(1);

  /** Moves the cursor to the upper left corner and clears the screen from there. */
  private static final String CLEAR = "\u001b[H\u001b[J";

  private final Terminal terminal;
  private final boolean json;
  private final Duration every;

  /** The text that was shown of each delivery of the last list. */
  private Map<String, String> shown = new HashMap<>();

  private boolean failing;

  DeliveriesWatch(Terminal terminal, boolean json, Duration every) {
    this.terminal = terminal;
    this.json = json;
    this.every = every;
  }

  /**
   * Returns how long to wait between two lists.
   *
   * @throws CommandFailure when the text is no span, or out of range
   */
  static Duration every(String text) {
    Duration span = DurationText.read(text);
    if (span == null || span.compareTo(MIN_EVERY) < 0 || span.compareTo(MAX_EVERY) > 0) {
      throw CommandFailure.wrongUsage(
          "--every is " + text + ": must be a span between 100ms and 1h");
    }
    return span;
  }

  /**
   * Shows what {@code list} returns.
   *
   * @param table prints a list as a table
   * @throws CommandFailure when the first list cannot be had; a later failure is shown, and tried
   *     again
   */
  int run(Supplier<? extends JsonNode> list, Consumer<JsonNode> table) {
    Thread stopper = new Thread(this::stop, "reprise-stop");
    Runtime.getRuntime().addShutdownHook(stopper);
    try {
      show(list.get(), table);
      Pauses pauses = Pauses.of(Backoff.fixed(every));
      while (!terminal.abandoned() && pauses.next()) {
        again(list, table);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      forget(stopper);
    }
    return ExitCode.DONE;
  }

  private void again(Supplier<? extends JsonNode> list, Consumer<JsonNode> table) {
    try {
      JsonNode now = list.get();
      failing = false;
      show(now, table);
    } catch (CommandFailure e) {
      // A service that is started again is watched again.
      if (!failing) {
        terminal.error(HarmlessText.visible(e.inOneLine()) + "; trying again");
      }
      failing = true;
    }
  }

  private void show(JsonNode list, Consumer<JsonNode> table) {
    if (!json && terminal.interactiveOut() && terminal.canMoveCursor()) {
      terminal.out().print(CLEAR);
      terminal.line(now() + "   every " + AmountText.exact(every) + ", Ctrl-C ends it");
      terminal.line("");
      table.accept(list);
    } else {
      changes(list);
    }
    terminal.flush();
  }

  private void changes(JsonNode list) {
    Map<String, String> seen = new HashMap<>();
    for (JsonNode item : list.path("items")) {
      DeliveryDocument delivery = Json.document(item, DeliveryDocument.class);
      String change = delivery.status() + " " + delivery.attempts();
      seen.put(delivery.id(), change);
      if (!change.equals(shown.get(delivery.id()))) {
        terminal.line(json ? Json.compact(item) : line(delivery));
      }
    }
    shown = seen;
  }

  private String line(DeliveryDocument delivery) {
    String outcome = Objects.requireNonNullElse(delivery.lastOutcome(), "");
    return now()
        + "  "
        + HarmlessText.visible(delivery.id())
        + "  "
        + terminal.styled(delivery.status(), DeliveryStyles.of(delivery.status()))
        + ", "
        + Words.count(delivery.attempts(), "attempt")
        + (outcome.isEmpty() ? "" : ": " + Words.shortened(outcome, 60));
  }

  private static String now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** A stop is the normal end of this, no failure. */
  private void stop() {
    terminal.flush();
    Runtime.getRuntime().halt(ExitCode.DONE);
  }

  private static void forget(Thread stopper) {
    try {
      Runtime.getRuntime().removeShutdownHook(stopper);
    } catch (IllegalStateException ending) {
      // The process is ending, by that very thread.
    }
  }
}
