package dev.reprise.lab.scenario;

import dev.reprise.policy.document.ObjectType;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Reads a fleet. */
final class FleetReader {
  static final Duration SPREAD = Duration.ofMillis(100);

  /** From the end of the last outage on: no outage is too long for the devices to come back. */
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
    Overactive overactive = object(fields, "overactive", ScenarioTypes.OVERACTIVE, Overactive.NONE);
    Minority minority = object(fields, "minority", ScenarioTypes.MINORITY, Minority.NONE);
    Costs costs = object(fields, "costs", ScenarioTypes.COSTS, Costs.NONE);
    Duration horizon = fields.positiveSpan("horizon", HORIZON);
    boolean isGiven = fields.get("horizon") != null;
    return fields.made(
        () -> {
          FleetModel read =
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
                  horizon);
          return isGiven ? read : read.withHorizon(HORIZON.plus(read.recovery()));
        },
        SOME);
  }

  private <T> T object(Fields fleet, String field, ObjectType<T> type, T standard) {
    return Fields.object(whole.checks(), fleet.at(field), fleet.get(field), type, standard);
  }
}
