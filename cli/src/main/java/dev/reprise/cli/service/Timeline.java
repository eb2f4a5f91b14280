package dev.reprise.cli.service;

import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Facts;
import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.common.text.AmountText;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.server.document.DeliveryDetails;
import dev.reprise.server.document.DeliveryDetails.EventDocument;
import dev.reprise.server.document.DeliveryDetails.OutcomeDocument;
import dev.reprise.server.document.DeliveryDetails.PayloadDocument;
import dev.reprise.server.document.DeliveryDetails.StateDocument;
import dev.reprise.server.document.DeliveryDocument;
import dev.reprise.server.document.DeliveryDocument.NextAttempt;
import dev.reprise.server.document.DueDocument;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Prints the history of one delivery, oldest first, and why its next attempt is when it is. */
public final class Timeline {
  private static final int EXCERPT = 72;

  private final Terminal terminal;
  private final DeliveryDetails details;
  private final DeliveryDocument delivery;

  public Timeline(Terminal terminal, DeliveryDetails details) {
    this.terminal = terminal;
    this.details = details;
    this.delivery = details.delivery();
  }

  void print() {
    String status = delivery.status();
    Facts facts =
        new Facts(terminal)
            .add("delivery", new Cell(delivery.id(), Style.BOLD))
            .add("topic", delivery.topic())
            .add(
                "status",
                new Cell(status + reason(delivery.stopReason()), DeliveryStyles.of(status)))
            .add("published", delivery.publishedAt());
    PayloadDocument payload = details.payload();
    if (payload != null) {
      JsonNode attributes = payload.attributes();
      facts
          .add("content", payload.contentType())
          .add(
              "attributes",
              attributes == null || attributes.isEmpty() ? "" : Json.compact(attributes))
          .add("body", Words.shortened(body(payload), EXCERPT))
          .add(
              "bodies",
              payload.bodies() == null
                  ? ""
                  : Words.shortened(Json.compact(payload.bodies()), EXCERPT));
    }
    facts.print();
    terminal.line("");
    details.history().forEach(this::event);
    next();
  }

  private static String reason(@Nullable String stopReason) {
    return stopReason == null || stopReason.isEmpty() ? "" : ", " + inWords(stopReason);
  }

  private static String body(PayloadDocument payload) {
    JsonNode body = payload.body();
    return body == null
        ? Objects.requireNonNullElse(payload.bodyBase64(), "")
        : body.isString() ? body.asString() : Json.compact(body);
  }

  /** Prints one event of the history, which may be the newest of a delivery that goes on. */
  public void event(EventDocument event) {
    String at = since(event.at());
    OutcomeDocument outcome = event.outcome();
    if (event.kind().equals("receipt") && outcome != null) {
      // A report that came later: what it says of the delivery's state was true before.
      terminal.line(
          at
              + "  receipt "
              + event.attempt()
              + "  "
              + terminal.styled(
                  HarmlessText.visible(outcome.summary()),
                  outcome.succeeded() ? Style.GOOD : Style.BAD));
      return;
    }
    if (!event.kind().equals("attempt") || outcome == null) {
      terminal.line(at + "  " + terminal.styled(event.kind(), Style.BOLD));
      return;
    }
    String mayRepeat = event.mayRepeat();
    if (mayRepeat != null && !mayRepeat.isEmpty()) {
      terminal.line(
          at
              + "  "
              + terminal.styled(
                  "attempt "
                      + event.attempt()
                      + " may repeat one before: "
                      + HarmlessText.visible(mayRepeat.replace('_', ' ')),
                  Style.DIM));
    }
    StringBuilder line = new StringBuilder(at).append("  attempt ");
    line.append(event.attempt()).append("  ");
    line.append(
        terminal.styled(
            HarmlessText.visible(outcome.summary()), outcome.succeeded() ? Style.GOOD : Style.BAD));
    line.append(
        terminal.styled(
            "  took " + AmountText.rough(Duration.ofMillis((long) outcome.durationMillis())),
            Style.DIM));
    String address = outcome.address();
    if (address != null && !address.isEmpty()) {
      line.append(terminal.styled("  " + HarmlessText.visible(address), Style.DIM));
    }
    terminal.line(line.toString());
    if (!outcome.response().isBlank()) {
      detail("answered: " + Words.shortened(outcome.response().strip(), EXCERPT));
    }
    after(event);
  }

  private void after(EventDocument event) {
    StateDocument after = event.after();
    if (after == null) {
      return;
    }
    DueDocument due = event.due();
    if (!after.status().equals("pending")) {
      detail(
          terminal.styled(after.status(), DeliveryStyles.of(after.status()))
              + reason(after.stopReason()));
    } else if (due != null && !due.reason().isEmpty()) {
      detail("next: " + HarmlessText.visible(due.reason()));
    }
  }

  private void next() {
    NextAttempt next = delivery.nextAttempt();
    if (next == null) {
      return;
    }
    String when =
        next.inMillis() <= 0 ? "due" : "in " + AmountText.rough(Duration.ofMillis(next.inMillis()));
    terminal.line("");
    new Facts(terminal)
        .add(
            "next attempt",
            new Cell(
                delivery.inFlight() ? "under way" : when + " (" + next.at() + ")", Style.WAITING))
        .add("because", next.due().reason())
        .add("waits for", delivery.inFlight() ? "" : next.waitingFor())
        .print();
  }

  private void detail(String text) {
    terminal.line(" ".repeat(11) + text);
  }

  private String since(String at) {
    String span;
    try {
      long millis =
          Duration.between(Instant.parse(delivery.publishedAt()), Instant.parse(at)).toMillis();
      span = "+" + AmountText.rough(Duration.ofMillis(Math.max(0, millis)));
    } catch (DateTimeException notTime) {
      span = HarmlessText.visible(at);
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
      case "CANCELLED" -> "it was cancelled";
      case "SUSPENDED" -> "it was held for a suspended subscription for as long as is allowed";
      case "UNREADABLE" -> "its stored record cannot be read";
      default -> HarmlessText.visible(stopReason);
    };
  }
}
