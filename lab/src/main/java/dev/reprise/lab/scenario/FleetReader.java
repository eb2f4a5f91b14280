package dev.reprise.lab.scenario;

import dev.reprise.policy.Policy;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Reads a fleet. */
final class FleetReader {
  static final Duration SPREAD = Duration.ofMillis(100);
  static final Duration HORIZON = Duration.ofHours(4);

  static final FleetModel SOME =
      new FleetModel(
          1,
          SPREAD,
          ServiceReader.SOME_QUOTA,
          Duration.ZERO,
          List.of(),
          new Hint.None(),
          Overactive.NONE,
          Minority.NONE,
          Costs.NONE,
          HORIZON);

  private static final List<String> FIELDS =
      List.of(
          "devices",
          "spread",
          "quota",
          "perDeviceInterval",
          "failures",
          "hint",
          "overactive",
          "minority",
          "costs",
          "horizon");

  private final ScenarioReader whole;

  FleetReader(ScenarioReader whole) {
    this.whole = whole;
  }

  FleetModel read(String path, JsonNode value) {
    Fields fields = Fields.of(whole.checks(), path, value, FIELDS);
    if (fields == null) {
      return SOME;
    }
    ServiceReader service = new ServiceReader(whole.checks());
    int devices = fields.count("devices", 1, 200_000_000);
    Duration spread = fields.span("spread", SPREAD);
    JsonNode written = fields.required("quota", "must be a rate such as 5000/s, or an object");
    Quota quota =
        written == null ? ServiceReader.SOME_QUOTA : service.quota(fields.at("quota"), written);
    Duration perDevice = fields.span("perDeviceInterval", Duration.ZERO);
    List<Failure> failures = whole.failures(fields);
    Hint hint = service.hint(fields.at("hint"), fields.get("hint"));
    Overactive overactive = overactive(fields);
    Minority minority = minority(fields);
    Costs costs = costs(fields);
    Duration horizon = fields.positiveSpan("horizon", HORIZON);
    return fields.made(
        () ->
            new FleetModel(
                devices,
                spread,
                quota,
                perDevice,
                failures,
                hint,
                overactive,
                minority,
                costs,
                horizon),
        SOME);
  }

  private Overactive overactive(Fields fleet) {
    JsonNode value = fleet.get("overactive");
    Fields fields =
        value == null
            ? null
            : Fields.of(
                whole.checks(), fleet.at("overactive"), value, List.of("share", "interval"));
    if (fields == null) {
      return Overactive.NONE;
    }
    double share = fields.share("share");
    Duration interval = fields.positiveSpan("interval", Overactive.NONE.interval());
    return fields.made(() -> new Overactive(share, interval), Overactive.NONE);
  }

  private Minority minority(Fields fleet) {
    JsonNode value = fleet.get("minority");
    Fields fields =
        value == null
            ? null
            : Fields.of(whole.checks(), fleet.at("minority"), value, List.of("share", "policy"));
    if (fields == null) {
      return Minority.NONE;
    }
    double share = fields.share("share");
    JsonNode written = fields.required("policy", ScenarioReader.POLICY_RULE);
    Policy policy = written == null ? null : whole.policy(fields.at("policy"), written);
    return fields.made(() -> new Minority(share, policy), Minority.NONE);
  }

  private Costs costs(Fields fleet) {
    JsonNode value = fleet.get("costs");
    Fields fields =
        value == null
            ? null
            : Fields.of(
                whole.checks(),
                fleet.at("costs"),
                value,
                List.of("bytesPerAttempt", "workPerSuccess", "pricePerMillion"));
    if (fields == null) {
      return Costs.NONE;
    }
    int bytes = fields.count("bytesPerAttempt", 0, 1_000_000_000, 0);
    Duration work = fields.span("workPerSuccess", Duration.ZERO);
    double price = fields.number("pricePerMillion", BigDecimal.valueOf(1_000_000_000), 0);
    return fields.made(() -> new Costs(bytes, work, price), Costs.NONE);
  }
}
