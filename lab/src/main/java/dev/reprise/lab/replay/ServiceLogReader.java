package dev.reprise.lab.replay;

import dev.reprise.lab.replay.AttemptLog.Delivery;
import dev.reprise.lab.replay.AttemptLog.End;
import dev.reprise.lab.replay.AttemptLog.RecordedAttempt;
import dev.reprise.lab.replay.AttemptLog.RecordedOutcome;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.JsonFault;
import dev.reprise.policy.document.Violation;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MappingIterator;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.StringNode;

/**
 * Reads deliveries as the service prints them. Of its fields those that matter here must be right;
 * any others may be there or not.
 */
final class ServiceLogReader {
  private static final JsonMapper MAPPER = new JsonMapper();
  private static final double MAX_MILLIS = Duration.ofDays(365).toMillis();
  private static final String TIME_RULE = "must be a time such as 2026-11-21T14:02:00.250Z";

  private final Checks checks = new Checks();
  private final Map<String, Delivery> deliveries = new LinkedHashMap<>();
  private int documents;

  AttemptLog read(String text) {
    try (MappingIterator<JsonNode> nodes = MAPPER.readerFor(JsonNode.class).readValues(text)) {
      while (nodes.hasNextValue()) {
        JsonNode node = nodes.nextValue();
        documents++;
        delivery("delivery " + documents, node);
      }
    } catch (JacksonException e) {
      checks.add(new Violation("delivery " + (documents + 1), "not readable", JsonFault.of(e)));
    }
    if (checks.count() == 0 && deliveries.isEmpty()) {
      checks.missing("history", "must have an attempt of at least one delivery");
    }
    if (checks.count() > 0) {
      throw new LogException(checks.violations());
    }
    return new AttemptLog(List.copyOf(deliveries.values()));
  }

  private void delivery(String path, JsonNode document) {
    if (!document.isObject()) {
      checks.complain(path, document, "must be an object");
      return;
    }
    int before = checks.count();
    String id = text(path, document, "id");
    String endpoint = text(path, document, "subscription");
    End end = end(path, document);
    Instant published = time(path, document, "publishedAt");
    JsonNode history = document.get("history");
    if (history == null || !history.isArray()) {
      checks.missing(
          Checks.join(path, "history"),
          "must be there: `deliveries show` prints it, and `deliveries list` does not");
      return;
    }
    List<RecordedAttempt> first = new ArrayList<>();
    List<RecordedAttempt> later = new ArrayList<>();
    boolean redriven = false;
    for (int i = 0; i < history.size(); i++) {
      JsonNode event = history.get(i);
      String at = Checks.join(path, "history[" + i + "]");
      switch (event.path("kind").asString("")) {
        case "attempt" -> {
          RecordedAttempt attempt = attempt(at, event);
          if (attempt != null) {
            (redriven ? later : first).add(attempt);
          }
        }
        case "redriven" -> redriven = true;
        default -> {
          // Nothing else says anything of the endpoint.
        }
      }
    }
    String historyPath = Checks.join(path, "history");
    List<RecordedAttempt> attempts = inOrder(historyPath, first);
    List<RecordedAttempt> after = inOrder(historyPath, later);
    if (checks.count() > before || published == null || attempts.isEmpty()) {
      return;
    }
    Instant began = attempts.get(0).startedAt();
    Delivery delivery =
        new Delivery(
            id,
            endpoint,
            published.isAfter(began) ? began : published,
            redriven ? End.GIVEN_UP : end,
            attempts,
            after);
    // Printed at two moments, the later one knows more.
    deliveries.merge(
        id,
        delivery,
        (a, b) ->
            a.attempts().size() + a.later().size() > b.attempts().size() + b.later().size()
                ? a
                : b);
  }

  private List<RecordedAttempt> inOrder(String path, List<RecordedAttempt> attempts) {
    return AttemptOrder.inOrder(
        attempts,
        (attempt, rule) ->
            checks.add(
                new Violation(
                    path + " attempt " + attempt.number(), attempt.startedAt().toString(), rule)));
  }

  private End end(String path, JsonNode document) {
    String status = text(path, document, "status");
    return switch (status) {
      case "delivered" -> End.DELIVERED;
      case "pending" -> End.OPEN;
      case "dead-lettered", "discarded", "expired", "" -> End.GIVEN_UP;
      default -> {
        checks.complain(
            Checks.join(path, "status"),
            StringNode.valueOf(status),
            "must be one of pending, delivered, dead-lettered, discarded, expired");
        yield End.GIVEN_UP;
      }
    };
  }

  private @Nullable RecordedAttempt attempt(String path, JsonNode event) {
    int before = checks.count();
    Instant ended = time(path, event, "at");
    JsonNode number = event.path("attempt");
    if (!number.isInt() || number.intValue() < 1) {
      complain(Checks.join(path, "attempt"), number, "must be a whole number of at least 1");
    }
    JsonNode outcome = event.path("outcome");
    JsonNode succeeded = outcome.path("succeeded");
    if (!succeeded.isBoolean()) {
      complain(Checks.join(path, "outcome.succeeded"), succeeded, "must be true or false");
    }
    JsonNode millis = outcome.path("durationMillis");
    if (!millis.isNumber() || !(millis.doubleValue() >= 0 && millis.doubleValue() <= MAX_MILLIS)) {
      complain(
          Checks.join(path, "outcome.durationMillis"), millis, "must be between 0 and 365 days");
    }
    if (checks.count() > before || ended == null) {
      return null;
    }
    JsonNode hint = event.path("due").path("hintMillis");
    boolean isRefused = event.path("after").path("stopReason").asString("").equals("NOT_RETRYABLE");
    return new RecordedAttempt(
        number.intValue(),
        ended.minusNanos(Math.round(millis.doubleValue() * 1e6)),
        ended,
        succeeded.booleanValue()
            ? RecordedOutcome.SUCCEEDED
            : isRefused ? RecordedOutcome.REFUSED : RecordedOutcome.FAILED,
        outcome.path("status").asInt(0),
        hint.canConvertToLong() && hint.longValue() >= 0
            ? Duration.ofMillis(Math.min(hint.longValue(), (long) MAX_MILLIS))
            : null);
  }

  private String text(String path, JsonNode object, String field) {
    JsonNode value = object.path(field);
    if (!value.isString() || value.stringValue().isEmpty()) {
      complain(Checks.join(path, field), value, "must be a text");
      return "";
    }
    return value.stringValue();
  }

  private @Nullable Instant time(String path, JsonNode object, String field) {
    JsonNode value = object.path(field);
    Instant time = value.isString() ? Timestamp.instant(value.stringValue()) : null;
    if (time == null) {
      complain(Checks.join(path, field), value, TIME_RULE);
    }
    return time;
  }

  private void complain(String path, JsonNode value, String rule) {
    if (value.isMissingNode()) {
      checks.missing(path, rule);
    } else {
      checks.complain(path, value, rule);
    }
  }
}
