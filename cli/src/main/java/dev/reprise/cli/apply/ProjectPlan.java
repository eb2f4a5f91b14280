package dev.reprise.cli.apply;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.Json;
import dev.reprise.policy.document.Violation;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.ProjectSettings;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Plans the changes of projects. */
final class ProjectPlan {
  private static final String PATH = "/v1/projects";
  private static final List<String> FIELDS = List.of("carriers", "quotas");

  private final Plan plan;
  private final ServiceState state;

  ProjectPlan(Plan plan, ServiceState state) {
    this.plan = plan;
    this.state = state;
  }

  void add(Map<String, Part> wanted) {
    wanted.forEach(this::add);
    state.projects().keySet().stream()
        .filter(name -> !wanted.containsKey(name) && !name.equals(ServiceState.DEFAULT_PROJECT))
        .forEach(
            name ->
                plan.superfluous.add(
                    new PlannedChange(
                        PlannedChange.Kind.DELETE,
                        "project",
                        name,
                        List.of(),
                        () -> state.client().delete(ApiClient.path(PATH, name)))));
  }

  private void add(String name, Part part) {
    part.rejectUnknown(FIELDS, plan.mistakes);
    ObjectNode after;
    try {
      after = settings(name, part.json());
    } catch (ApiException e) {
      for (Violation each : e.error().violations()) {
        plan.mistakes.add(part.mistake(each.toString()));
      }
      return;
    }
    JsonNode before = state.projects().get(name);
    if (before == null) {
      ObjectNode body = after.deepCopy().put("name", name);
      plan.changes.add(
          new PlannedChange(
              PlannedChange.Kind.ADD,
              "project",
              name,
              List.of(),
              () -> state.client().send("POST", PATH, body, "quotas")));
      return;
    }
    List<String> details = Difference.lines("", shown(before), after);
    if (details.isEmpty()) {
      plan.unchanged++;
      return;
    }
    plan.changes.add(
        new PlannedChange(
            PlannedChange.Kind.CHANGE,
            "project",
            name,
            details,
            () -> state.client().send("PUT", ApiClient.path(PATH, name), after, "quotas")));
  }

  /** Returns what the API shows of a project that people choose. */
  static ObjectNode shown(JsonNode project) {
    ObjectNode shown = Json.object();
    shown.set("carriers", project.path("carriers"));
    shown.set("quotas", project.path("quotas"));
    return shown;
  }

  /**
   * Returns the settings with their defaults: the default project may use every carrier, others may
   * use none.
   */
  static ObjectNode settings(String name, JsonNode written) {
    ObjectNode document = ProjectSettings.read(written).write();
    boolean chosen = written.path("carriers").isArray();
    if (name.equals(ServiceState.DEFAULT_PROJECT) && !chosen) {
      document.set("carriers", ProjectSettings.OF_DEFAULT.write().path("carriers"));
    }
    return document;
  }
}
