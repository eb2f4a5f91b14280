package dev.reprise.lab.scenario;

import dev.reprise.policy.Checks;
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
      int before = checks.count();
      double perSecond = Fields.rate(checks, path, value, false);
      return checks.count() > before ? SOME_QUOTA : new Quota(perSecond, BURST, 0);
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
    boolean after = fields.choice("admission", Words.of("before", false, "after", true), true);
    double workNanos = work.toNanos();
    return fields.made(() -> after ? workNanos / (workNanos + steady.toNanos()) : 0.0, 0.0);
  }

  Hint hint(String path, @Nullable JsonNode value) {
    Hint none = new Hint.None();
    if (value == null) {
      return none;
    }
    Fields fields =
        Fields.typed(
            checks,
            path,
            value,
            Words.of(
                "none", List.of(Fields.TYPE),
                "fixed", List.of(Fields.TYPE, "delay"),
                "uniform", List.of(Fields.TYPE, "lowest", "highest"),
                "slots", List.of(Fields.TYPE)));
    if (fields == null) {
      return none;
    }
    switch (fields.type()) {
      case "fixed" -> {
        Duration delay = fields.span("delay");
        return fields.made(() -> new Hint.Fixed(delay), none);
      }
      case "uniform" -> {
        Duration lowest = fields.span("lowest", Duration.ZERO);
        Duration highest = fields.span("highest");
        return fields.made(() -> new Hint.Uniform(lowest, highest), none);
      }
      case "slots" -> {
        return new Hint.Slots();
      }
      default -> {
        return none;
      }
    }
  }
}
