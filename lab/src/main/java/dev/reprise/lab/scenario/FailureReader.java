package dev.reprise.lab.scenario;

import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Violation;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads what goes wrong. */
final class FailureReader {
  private static final Failure SOME = new Failure.Random(0);
  private static final Failure.Interval SOME_INTERVAL =
      new Failure.Interval(Duration.ZERO, Duration.ofSeconds(1), 1);

  static final String TRACE = "trace";

  private static final Map<String, List<String>> FIELDS =
      new LinkedHashMap<>(Fields.namesByType(ScenarioTypes.FAILURES));

  static {
    FIELDS.put(TRACE, List.of(Fields.TYPE, "file", "endpoint", "intervals"));
  }

  private final Checks checks;
  private final Traces traces;

  FailureReader(Checks checks, Traces traces) {
    this.checks = checks;
    this.traces = traces;
  }

  List<Failure> read(String path, @Nullable JsonNode value) {
    List<Failure> failures = new ArrayList<>();
    if (value == null) {
      return failures;
    }
    if (!value.isArray()) {
      checks.complain(path, value, "must be an array");
      return failures;
    }
    for (int i = 0; i < value.size(); i++) {
      failures.add(failure(path + "[" + i + "]", value.get(i)));
    }
    return failures;
  }

  private Failure failure(String path, JsonNode value) {
    Fields fields = Fields.typed(checks, path, value, FIELDS);
    if (fields == null) {
      return SOME;
    }
    return fields.type().equals(TRACE)
        ? trace(fields)
        : fields.readTyped(ScenarioTypes.FAILURES, SOME);
  }

  private Failure trace(Fields fields) {
    JsonNode intervals = fields.get("intervals");
    JsonNode file = fields.get("file");
    if (file != null && intervals != null) {
      checks.complain(fields.at("file"), file, "must not stand beside intervals");
      return SOME;
    }
    String endpoint = fields.has("endpoint") ? fields.text("endpoint") : null;
    if (file != null) {
      return recorded(fields, file, endpoint);
    }
    if (intervals == null) {
      checks.missing(fields.at("file"), "must be there, or else intervals");
      return SOME;
    }
    if (endpoint != null) {
      checks.missing(fields.at("file"), "must be there when an endpoint is");
    }
    return written(fields, fields.at("intervals"), intervals);
  }

  /**
   * Whoever reads the file is not known here; nothing that goes wrong with it may pass as a bug.
   */
  private Failure recorded(Fields fields, JsonNode written, @Nullable String endpoint) {
    String file = fields.text("file");
    if (file.isEmpty()) {
      return SOME;
    }
    try {
      return traces.read(file, endpoint);
    } catch (IllegalArgumentException refused) {
      checks.complain(fields.at("file"), written, String.valueOf(refused.getMessage()));
    } catch (UncheckedIOException unreadable) {
      Throwable cause = unreadable.getCause();
      String why = String.valueOf((cause == null ? unreadable : cause).getMessage());
      checks.complain(fields.at("file"), written, "cannot be read: " + why);
    }
    return SOME;
  }

  private Failure written(Fields fields, String path, JsonNode value) {
    if (!value.isArray()) {
      checks.complain(path, value, "must be an array");
      return SOME;
    }
    List<Failure.Interval> intervals = new ArrayList<>();
    Duration end = Duration.ZERO;
    for (int i = 0; i < value.size(); i++) {
      Fields each =
          Fields.of(checks, path + "[" + i + "]", value.get(i), ScenarioTypes.INTERVAL.names());
      if (each == null) {
        continue;
      }
      Duration from = each.span("from", Duration.ZERO);
      Duration to = each.span("to");
      double probability = each.share("probability", 1);
      JsonNode start = each.get("from");
      if (!intervals.isEmpty() && from.compareTo(end) < 0) {
        String rule =
            "must not be before the end of the one before it, which is " + SpanText.write(end);
        checks.add(
            new Violation(
                each.at("from"), start == null ? "0s (default)" : start.toString(), rule));
      }
      end = to;
      intervals.add(each.made(() -> new Failure.Interval(from, to, probability), SOME_INTERVAL));
    }
    return fields.made(() -> new Failure.Trace(intervals), SOME);
  }
}
