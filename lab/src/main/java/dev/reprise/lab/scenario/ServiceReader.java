package dev.reprise.lab.scenario;

import dev.reprise.policy.document.Checks;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads what fleets and calls share: how much a service takes, and what it tells the refused. */
final class ServiceReader {
  static final Quota SOME_QUOTA = new Quota(1, Duration.ZERO, 0);
  static final Duration BURST = Duration.ofMillis(100);

  private final Checks checks;

  ServiceReader(Checks checks) {
    this.checks = checks;
  }

  /** Reads a rate alone or with all that there is to say. */
  Quota quota(String path, JsonNode value) {
    if (value.isString()) {
      Double perSecond = ScenarioCodecs.RATE.reader().read(checks, path, value);
      return perSecond == null ? SOME_QUOTA : new Quota(perSecond, BURST, 0);
    }
    if (!value.isObject()) {
      checks.complain(path, value, "must be a rate such as 5000/s, or an object");
      return SOME_QUOTA;
    }
    Fields fields =
        Fields.of(checks, path, value, List.of("rate", "burst", "rejectionCost", "handshake"));
    if (fields == null) {
      return SOME_QUOTA;
    }
    double perSecond = fields.rate("rate");
    Duration burst = fields.span("burst", BURST);
    double given = fields.share("rejectionCost", 0);
    JsonNode handshake = fields.get("handshake");
    double cost = handshake == null ? given : cost(fields.at("handshake"), handshake);
    if (handshake != null && fields.has("rejectionCost")) {
      checks.complain(
          fields.at("handshake"), handshake, "must not stand beside rejectionCost: it follows");
    }
    return fields.made(() -> new Quota(perSecond, burst, cost), SOME_QUOTA);
  }

  /**
   * A refusal after the handshake has cost the handshake; an acceptance costs what follows, too.
   */
  private double cost(String path, JsonNode value) {
    Fields fields = Fields.of(checks, path, value, List.of("work", "steady", "admission"));
    if (fields == null) {
      return 0;
    }
    Duration work = fields.positiveSpan("work");
    Duration steady = fields.span("steady", Duration.ZERO);
    boolean after =
        fields.choice("admission", ScenarioWords.of("before", false, "after", true), true);
    double workNanos = work.toNanos();
    return fields.made(() -> after ? workNanos / (workNanos + steady.toNanos()) : 0.0, 0.0);
  }

  Hint hint(String path, @Nullable JsonNode value) {
    Hint none = new Hint.None();
    if (value == null) {
      return none;
    }
    Fields fields = Fields.typed(checks, path, value, Fields.namesByType(ScenarioTypes.HINTS));
    return fields == null ? none : fields.readTyped(ScenarioTypes.HINTS, none);
  }
}
