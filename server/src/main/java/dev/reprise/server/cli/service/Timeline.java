package dev.reprise.server.cli.service;

import dev.reprise.server.cli.base.Json;
import dev.reprise.server.cli.terminal.Facts;
import dev.reprise.server.cli.terminal.Spans;
import dev.reprise.server.cli.terminal.Table.Cell;
import dev.reprise.server.cli.terminal.Terminal;
import dev.reprise.server.cli.terminal.Terminal.Style;
import dev.reprise.server.cli.terminal.Words;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import tools.jackson.databind.JsonNode;

/** What has become of one delivery, oldest first, and why its next attempt is when it is. */
final class Timeline {
  private static final int EXCERPT = 72;

  private final Terminal terminal;
  private final JsonNode delivery;
  private final String publishedAt;

  Timeline(Terminal terminal, JsonNode delivery) {
    this.terminal = terminal;
    this.delivery = delivery;
    this.publishedAt = delivery.path("publishedAt").asString("");
  }

  void print() {
    String status = delivery.path("status").asString("");
    JsonNode payload = delivery.path("payload");
    JsonNode attributes = payload.path("attributes");
    new Facts(terminal)
        .add("delivery", new Cell(delivery.path("id").asString(""), Style.BOLD))
        .add("topic", delivery.path("topic").asString(""))
        .add("status", new Cell(status + stopReason(), Words.styleOf(status)))
        .add("published", publishedAt)
        .add("content", payload.path("contentType").asString(""))
        .add("attributes", attributes.isEmpty() ? "" : Json.compact(attributes))
        .add("body", Words.shortened(body(payload), EXCERPT))
        .print();
    terminal.line("");
    for (JsonNode event : delivery.path("history")) {
      event(event);
    }
    next();
  }

  private String stopReason() {
    String reason = delivery.path("stopReason").asString("");
    return reason.isEmpty() ? "" : ", " + inWords(reason);
  }

  private static String body(JsonNode payload) {
    JsonNode body = payload.path("body");
    return body.isMissingNode()
        ? payload.path("bodyBase64").asString("")
        : body.isString() ? body.asString() : Json.compact(body);
  }

  /** Prints one event of the history, which may be the newest of a delivery that goes on. */
  void event(JsonNode event) {
    String kind = event.path("kind").asString("");
    String at = since(event.path("at").asString(""));
    if (!kind.equals("attempt")) {
      terminal.line(at + "  " + terminal.styled(kind, Style.BOLD));
      return;
    }
    JsonNode outcome = event.path("outcome");
    Style style = outcome.path("succeeded").asBoolean(false) ? Style.GOOD : Style.BAD;
    StringBuilder line = new StringBuilder(at).append("  attempt ");
    line.append(event.path("attempt").asLong(0)).append("  ");
    line.append(terminal.styled(Words.safe(outcome.path("summary").asString("")), style));
    line.append(
        terminal.styled(
            "  took " + Spans.rough(outcome.path("durationMillis").asLong(0)), Style.DIM));
    String address = outcome.path("address").asString("");
    if (!address.isEmpty()) {
      line.append(terminal.styled("  " + Words.safe(address), Style.DIM));
    }
    terminal.line(line.toString());
    String response = outcome.path("response").asString("");
    if (!response.isBlank()) {
      detail("answered: " + Words.shortened(response.strip(), EXCERPT));
    }
    after(event);
  }

  private void after(JsonNode event) {
    String status = event.path("after").path("status").asString("");
    String reason = event.path("after").path("stopReason").asString("");
    if (status.equals("pending")) {
      String why = event.path("due").path("reason").asString("");
      if (!why.isEmpty()) {
        detail("next: " + Words.safe(why));
      }
    } else if (!status.isEmpty()) {
      detail(
          terminal.styled(status, Words.styleOf(status))
              + (reason.isEmpty() ? "" : ", " + inWords(reason)));
    }
  }

  private void next() {
    JsonNode next = delivery.path("nextAttempt");
    if (!next.isObject()) {
      return;
    }
    long inMillis = next.path("inMillis").asLong(0);
    boolean underWay = delivery.path("inFlight").asBoolean(false);
    terminal.line("");
    new Facts(terminal)
        .add(
            "next attempt",
            new Cell(
                underWay
                    ? "under way"
                    : (inMillis <= 0 ? "due" : "in " + Spans.rough(inMillis))
                        + " ("
                        + next.path("at").asString("")
                        + ")",
                Style.WAITING))
        .add("because", next.path("reason").asString(""))
        .add("waits for", underWay ? "" : next.path("waitingFor").asString(""))
        .print();
  }

  private void detail(String text) {
    terminal.line(" ".repeat(11) + text);
  }

  private String since(String at) {
    String span;
    try {
      long millis = Duration.between(Instant.parse(publishedAt), Instant.parse(at)).toMillis();
      span = "+" + Spans.rough(Math.max(0, millis));
    } catch (DateTimeException notTime) {
      span = Words.safe(at);
    }
    return " ".repeat(Math.max(0, 9 - span.length())) + span;
  }

  /** Returns the reason why nothing is tried any more, in words. */
  static String inWords(String stopReason) {
    return switch (stopReason) {
      case "NOT_RETRYABLE" -> "not retryable";
      case "ATTEMPTS" -> "all attempts were made";
      case "HINT_TOO_LONG" -> "the endpoint asked for a longer wait than the policy allows";
      case "DEADLINE" -> "its lifetime was over";
      case "UNREADABLE" -> "its stored record cannot be read";
      default -> Words.safe(stopReason);
    };
  }
}
