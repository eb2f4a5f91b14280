package dev.reprise.cli.service;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.Json;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Options that choose among the dead letters of a subscription. */
final class FilterOptions {
  private static final List<String> REASONS =
      List.of(
          "not_retryable",
          "attempts",
          "hint_too_long",
          "deadline",
          "cancelled",
          "suspended",
          "unreadable");

  @Option(
      names = "--reason",
      paramLabel = "R",
      description =
          "Given up for this reason: not_retryable, attempts, hint_too_long, deadline, cancelled,"
              + " suspended, unreadable.")
  private @Nullable String reason;

  @Option(names = "--message", paramLabel = "ID", description = "The one of this message.")
  private @Nullable String message;

  @Option(
      names = "--attributes",
      paramLabel = "JSON",
      description = "Whose attributes match this filter, such as '{\"country\": [\"DE\"]}'.")
  private @Nullable String attributes;

  @Option(
      names = "--text",
      paramLabel = "TEXT",
      description = "Whose last outcome contains this text, in upper or lower case.")
  private @Nullable String text;

  @Option(
      names = "--died-after",
      paramLabel = "TIME",
      description = "Given up at or after: 2026-01-31T18:00:00Z, or how long ago: 2h.")
  private @Nullable String diedAfter;

  @Option(names = "--died-before", paramLabel = "TIME", description = "Given up before.")
  private @Nullable String diedBefore;

  private final Instant now = Instant.now();

  boolean all() {
    return values().isEmpty();
  }

  /** Returns the parameters of a query. */
  Map<String, String> query() {
    Map<String, String> query = new LinkedHashMap<>();
    values()
        .forEach(
            (name, value) ->
                query.put(name, value.isString() ? value.asString() : Json.compact(value)));
    return query;
  }

  /** Returns the filter of a redrive. */
  ObjectNode document() {
    ObjectNode filter = Json.object();
    values().forEach(filter::set);
    return filter;
  }

  private Map<String, JsonNode> values() {
    ObjectNode values = Json.object();
    if (reason != null) {
      String name = reason.toUpperCase(Locale.ROOT).replace('-', '_');
      if (!REASONS.contains(name.toLowerCase(Locale.ROOT))) {
        throw CommandFailure.wrongUsage(
            "--reason is " + reason + ": must be one of " + String.join(", ", REASONS));
      }
      values.put("reason", name);
    }
    if (message != null) {
      values.put("message", message);
    }
    if (diedAfter != null) {
      values.put("diedFrom", Moments.read("--died-after", diedAfter, now).toString());
    }
    if (diedBefore != null) {
      values.put("diedTo", Moments.read("--died-before", diedBefore, now).toString());
    }
    if (text != null) {
      values.put("text", text);
    }
    if (attributes != null) {
      values.set("attributes", Json.read("--attributes", attributes));
    }
    Map<String, JsonNode> map = new LinkedHashMap<>();
    values.properties().forEach(entry -> map.put(entry.getKey(), entry.getValue()));
    return map;
  }
}
