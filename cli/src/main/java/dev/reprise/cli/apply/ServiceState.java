package dev.reprise.cli.apply;

import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Reprise;
import dev.reprise.cli.service.Pages;
import dev.reprise.server.document.CarrierTypeDocument;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** The service as it is: asked once for each thing that the files concern. Not thread-safe. */
final class ServiceState {
  static final String DEFAULT_PROJECT = "default";
  static final String RESERVED_TOPIC = "reprise:operator";

  private final Reprise root;
  private final ApiClient own;
  private final String ownProject;
  private final Map<String, JsonNode> projects = new LinkedHashMap<>();
  private final Map<String, ApiClient> clients = new LinkedHashMap<>();

  ServiceState(Reprise root) {
    this.root = root;
    this.own = root.client();
    for (JsonNode project : all(own, "/v1/projects")) {
      projects.put(project.path("name").asString(""), project);
    }
    String named = root.project();
    this.ownProject =
        named != null
            ? named
            : projects.size() == 1 ? projects.keySet().iterator().next() : DEFAULT_PROJECT;
  }

  /** Returns the project of whatever names none. */
  String ownProject() {
    return ownProject;
  }

  /** Returns the projects that the key may see, by name. */
  Map<String, JsonNode> projects() {
    return projects;
  }

  /** Returns the client that asks about a project. */
  ApiClient client(String project) {
    return project.equals(ownProject) ? own : clients.computeIfAbsent(project, root::client);
  }

  /** Returns the client for what belongs to no project. */
  ApiClient client() {
    return own;
  }

  /**
   * Returns whether the key is an operator's, even one that may only read: others see no settings
   * of carriers. Only a refusal shows whose key it is.
   */
  boolean isOperator() {
    try {
      own.get("/v1/cluster", "nodes");
      return true;
    } catch (CommandFailure e) {
      if (e.exitCode() == ExitCode.UNREACHABLE) {
        throw e;
      }
      return e.exitCode() != ExitCode.REFUSED || !e.text().contains("is of project");
    }
  }

  Map<String, JsonNode> carriers() {
    return byName(all(own, "/v1/carriers"));
  }

  Map<String, CarrierTypeDocument> carrierTypes() {
    Map<String, CarrierTypeDocument> types = new LinkedHashMap<>();
    // The list has no pages: there is a handful of kinds.
    for (CarrierTypeDocument type :
        Pages.items(own.get("/v1/carrier-types", "items"), CarrierTypeDocument.class)) {
      types.put(type.name(), type);
    }
    return types;
  }

  /** Returns the topics of a project by name; none if there is no such project. */
  Map<String, JsonNode> topics(String project) {
    if (!projects.containsKey(project)) {
      return new LinkedHashMap<>();
    }
    Map<String, JsonNode> topics = byName(all(client(project), "/v1/topics"));
    if (!topics.containsKey(RESERVED_TOPIC)) {
      topics.put(
          RESERVED_TOPIC,
          client(project).get(ApiClient.path("/v1/topics", RESERVED_TOPIC), "name"));
    }
    return topics;
  }

  /** Returns the subscriptions of a project by id, in the order in which they were made. */
  Map<String, JsonNode> subscriptions(String project) {
    Map<String, JsonNode> subscriptions = new LinkedHashMap<>();
    if (projects.containsKey(project)) {
      for (JsonNode each : all(client(project), "/v1/subscriptions")) {
        subscriptions.put(each.path("id").asString(""), each);
      }
    }
    return subscriptions;
  }

  private static Map<String, JsonNode> byName(List<JsonNode> items) {
    Map<String, JsonNode> named = new LinkedHashMap<>();
    items.forEach(item -> named.put(item.path("name").asString(""), item));
    return named;
  }

  private static List<JsonNode> all(ApiClient client, String path) {
    List<JsonNode> items = new ArrayList<>();
    Pages.read(client, path, Map.of(), Integer.MAX_VALUE).path("items").forEach(items::add);
    return items;
  }
}
