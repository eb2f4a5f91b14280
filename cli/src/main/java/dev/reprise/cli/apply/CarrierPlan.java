package dev.reprise.cli.apply;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.policy.document.FieldNames;
import dev.reprise.server.document.CarrierTypeDocument;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Plans the changes of carriers. */
final class CarrierPlan {
  private static final String PATH = "/v1/carriers";
  private static final String SETTINGS = "settings";
  private static final String MAX_IN_FLIGHT = "maxInFlight";
  private static final String MAX_PER_SECOND = "maxPerSecond";
  private static final List<String> FIELDS =
      List.of("type", MAX_IN_FLIGHT, MAX_PER_SECOND, SETTINGS);

  private final Plan plan;
  private final ServiceState state;
  private final Terminal terminal;
  private final boolean renewSecrets;
  private final boolean unchecked;
  private final Map<String, CarrierTypeDocument> types;

  CarrierPlan(
      Plan plan, ServiceState state, Terminal terminal, boolean renewSecrets, boolean unchecked) {
    this.plan = plan;
    this.state = state;
    this.terminal = terminal;
    this.renewSecrets = renewSecrets;
    this.unchecked = unchecked;
    this.types = state.carrierTypes();
  }

  void add(Map<String, Part> wanted) {
    Map<String, JsonNode> existing = state.carriers();
    wanted.forEach((name, part) -> add(name, part, existing.get(name)));
    existing.keySet().stream()
        .filter(name -> !wanted.containsKey(name))
        .forEach(
            name ->
                plan.superfluous.add(
                    new PlannedChange(
                        PlannedChange.Kind.DELETE,
                        "carrier",
                        name,
                        List.of(),
                        () -> state.client().delete(ApiClient.path(PATH, name)))));
  }

  private void add(String name, Part part, @Nullable JsonNode before) {
    part.rejectUnknown(FIELDS, plan.mistakes);
    String typeName = part.field("type").json().asString("");
    CarrierTypeDocument type = types.get(typeName);
    if (type == null) {
      List<String> known = List.copyOf(types.keySet());
      plan.mistakes.add(
          part.field("type")
              .mistake(
                  "is "
                      + (typeName.isEmpty() ? "absent" : typeName)
                      + ": must be one of "
                      + String.join(", ", known)
                      + FieldNames.nearest(typeName, known)
                          .map(nearest -> "; did you mean " + nearest + "?")
                          .orElse("")));
      return;
    }
    if (before != null && !before.path("type").asString("").equals(typeName)) {
      plan.mistakes.add(
          part.field("type")
              .mistake(
                  "is "
                      + typeName
                      + ": must stay "
                      + before.path("type").asString("")
                      + "; make another carrier"));
      return;
    }
    CarrierSettings described = CarrierSettings.of(type);
    Map<String, Part> given = given(part.field(SETTINGS), described);
    ObjectNode after = after(part, type, described, given);
    if (before == null) {
      create(name, part, given, described);
    } else {
      change(name, before, after, given, described, type);
    }
  }

  private Map<String, Part> given(Part settings, CarrierSettings described) {
    Map<String, Part> given = new LinkedHashMap<>();
    settings.isObject(plan.mistakes);
    settings.rejectUnknown(described.names(), plan.mistakes);
    for (Part setting : settings.fields()) {
      if (!setting.isAbsent() && described.names().contains(setting.name())) {
        given.put(setting.name(), setting);
        if (described.isSecret(setting.name())) {
          WantedReader.checkSecret(setting, plan);
        }
      }
    }
    return given;
  }

  /** Returns a carrier with all defaults, in the form in which both sides are compared. */
  private ObjectNode after(
      Part part, CarrierTypeDocument type, CarrierSettings described, Map<String, Part> given) {
    ObjectNode settings = Json.object();
    given.forEach(
        (name, setting) ->
            settings.set(
                name, described.isSecret(name) ? setting.json() : value(setting, described)));
    ObjectNode after = Json.object();
    after.set(MAX_IN_FLIGHT, number(part.field(MAX_IN_FLIGHT), type.defaultInFlight()));
    after.set(MAX_PER_SECOND, number(part.field(MAX_PER_SECOND), 0));
    after.set(SETTINGS, described.normal(settings));
    return after;
  }

  private JsonNode number(Part part, int otherwise) {
    if (!part.isAbsent() && !part.json().isIntegralNumber()) {
      plan.mistakes.add(part.mistake("is " + part.json() + ": must be a whole number"));
    }
    return part.isAbsent() ? Json.object().put("n", otherwise).path("n") : part.json();
  }

  private JsonNode value(Part setting, CarrierSettings described) {
    return described.isText(setting.name()) && SecretSource.isSource(setting.json())
        ? Json.text(SecretSource.read(setting, terminal))
        : setting.json();
  }

  private JsonNode sent(Part setting, CarrierSettings described) {
    return described.isSecret(setting.name())
        ? Json.text(SecretSource.read(setting, terminal))
        : value(setting, described);
  }

  private String path(String path) {
    return unchecked ? ApiClient.withQuery(path, Map.of("unchecked", "true")) : path;
  }

  private void create(String name, Part part, Map<String, Part> given, CarrierSettings described) {
    ObjectNode body = Json.object().put("name", name);
    part.fields().forEach(field -> body.set(field.name(), field.json()));
    ObjectNode settings = body.putObject(SETTINGS);
    given.forEach((setting, value) -> settings.set(setting, sent(value, described)));
    plan.changes.add(
        new PlannedChange(
            PlannedChange.Kind.ADD,
            "carrier",
            name,
            List.of(part.field("type").json().asString("")),
            () -> state.client().send("POST", path(PATH), body, "name")));
  }

  private void change(
      String name,
      JsonNode shown,
      ObjectNode after,
      Map<String, Part> given,
      CarrierSettings described,
      CarrierTypeDocument type) {
    ObjectNode before = Json.object();
    before.set(
        MAX_IN_FLIGHT,
        shown.has(MAX_IN_FLIGHT)
            ? shown.get(MAX_IN_FLIGHT)
            : Json.object().put("n", type.defaultInFlight()).path("n"));
    before.put(MAX_PER_SECOND, shown.path(MAX_PER_SECOND).asLong(0));
    before.set(SETTINGS, described.normal(shown.path(SETTINGS)));
    List<String> details = new ArrayList<>(Difference.lines("", before, after));
    ObjectNode body = Json.object();
    for (String field : List.of(MAX_IN_FLIGHT, MAX_PER_SECOND)) {
      if (!Difference.equal(before.path(field), after.path(field))) {
        body.set(field, after.path(field));
      }
    }
    List<String> differing = Difference.fields(before.path(SETTINGS), after.path(SETTINGS));
    // Secrets do not follow to another address.
    boolean moves =
        differing.stream().anyMatch(each -> each.equals("addresses") || each.endsWith("Url"));
    ObjectNode settings = Json.object();
    for (String setting : described.names()) {
      Part value = given.get(setting);
      boolean again = value != null && described.isSecret(setting) && (renewSecrets || moves);
      if (again || differing.contains(setting)) {
        settings.set(setting, value == null ? settings.nullNode() : sent(value, described));
        if (again && !differing.contains(setting)) {
          details.add("settings." + setting + " sent again");
        }
      }
    }
    if (!settings.isEmpty()) {
      body.set(SETTINGS, settings);
    }
    if (body.isEmpty()) {
      plan.unchanged++;
      return;
    }
    plan.changes.add(
        new PlannedChange(
            PlannedChange.Kind.CHANGE,
            "carrier",
            name,
            details,
            () -> state.client().send("POST", path(ApiClient.path(PATH, name)), body, "name")));
  }
}
