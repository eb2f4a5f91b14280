package dev.reprise.cli.apply;

import dev.reprise.cli.apply.Wanted.WantedTopic;
import dev.reprise.cli.base.ApiClient;
import dev.reprise.delivery.catalog.InvalidRequestException;
import dev.reprise.delivery.catalog.Topic;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Plans the changes of the topics of a project. */
final class TopicPlan {
  private static final String PATH = "/v1/topics";

  private final Plan plan;
  private final ServiceState state;
  private final String project;

  TopicPlan(Plan plan, ServiceState state, String project) {
    this.plan = plan;
    this.state = state;
    this.project = project;
  }

  void add(Map<String, WantedTopic> wanted, Map<String, JsonNode> existing) {
    wanted.forEach((name, topic) -> add(name, topic, existing.get(name)));
  }

  /** Adds the topics that the files do not have; their subscriptions go before them. */
  void addSuperfluous(Map<String, WantedTopic> wanted, Map<String, JsonNode> existing) {
    existing.keySet().stream()
        .filter(name -> !wanted.containsKey(name) && !name.equals(ServiceState.RESERVED_TOPIC))
        .forEach(
            name ->
                plan.superfluous.add(
                    new PlannedChange(
                        PlannedChange.Kind.DELETE,
                        "topic",
                        named(state, project, name),
                        List.of(),
                        () -> state.client(project).delete(ApiClient.path(PATH, name)))));
  }

  private void add(String name, WantedTopic wanted, @Nullable JsonNode before) {
    try {
      Topic.checkName(name);
    } catch (InvalidRequestException e) {
      plan.mistakes.add(wanted.part().mistake("is no topic: " + e.getMessage()));
      return;
    }
    if (before == null && !name.equals(ServiceState.RESERVED_TOPIC)) {
      plan.changes.add(change(PlannedChange.Kind.ADD, name, wanted, List.of()));
      return;
    }
    JsonNode policy = before == null ? wanted.shown() : before.path("policy");
    List<String> details = Difference.lines("policy", policy, wanted.shown());
    if (details.isEmpty()) {
      plan.unchanged++;
    } else {
      plan.changes.add(change(PlannedChange.Kind.CHANGE, name, wanted, details));
    }
  }

  private PlannedChange change(
      PlannedChange.Kind kind, String name, WantedTopic wanted, List<String> details) {
    return new PlannedChange(
        kind,
        "topic",
        named(state, project, name),
        details,
        () ->
            state.client(project).send("PUT", ApiClient.path(PATH, name), wanted.policy(), "name"));
  }

  /** Returns a name as lines have it: with the project, unless it is the usual one. */
  static String named(ServiceState state, String project, String name) {
    return project.equals(state.ownProject()) ? name : name + " in project " + project;
  }
}
