package dev.reprise.cli.apply;

import dev.reprise.cli.base.Json;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import dev.reprise.server.document.CarrierTypeDocument;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The settings of a service as documents that {@code apply} reads: only what differs from the
 * defaults, in an order that does not depend on when things were made. Not thread-safe.
 */
final class Exported {
  private static final String SETTINGS = "settings";
  private static final JsonNode NO_POLICY =
      PolicyDocuments.writeStored(PolicyDocuments.readTopic(Json.object()));

  private final ServiceState state;
  private final Set<String> variables = new HashSet<>();

  Exported(ServiceState state) {
    this.state = state;
  }

  /** Returns whether a placeholder stands for a secret. */
  boolean hasSecrets() {
    return !variables.isEmpty();
  }

  /** Returns the section of the carriers. */
  ObjectNode carriers() {
    ObjectNode section = Json.object();
    Map<String, CarrierTypeDocument> types = state.carrierTypes();
    new TreeMap<>(state.carriers())
        .forEach(
            (name, shown) -> {
              CarrierTypeDocument type = types.get(shown.path("type").asString(""));
              if (type != null) {
                section.set(name, carrier(name, shown, type));
              }
            });
    return section;
  }

  private ObjectNode carrier(String name, JsonNode shown, CarrierTypeDocument type) {
    ObjectNode carrier = Json.object().put("type", type.name());
    if (shown.path("maxInFlight").asInt(0) != type.defaultInFlight()) {
      carrier.set("maxInFlight", shown.path("maxInFlight"));
    }
    if (shown.path("maxPerSecond").asLong(0) > 0) {
      carrier.set("maxPerSecond", shown.path("maxPerSecond"));
    }
    CarrierSettings described = CarrierSettings.of(type);
    JsonNode defaults = described.normal(Json.object());
    JsonNode normal = described.normal(shown.path(SETTINGS));
    ObjectNode settings = Json.object();
    for (String setting : described.names()) {
      JsonNode value = shown.path(SETTINGS).path(setting);
      if (described.isSecret(setting)) {
        if (value.path("set").asBoolean(false)) {
          settings.set(setting, placeholder(name, setting));
        }
      } else if (!Difference.equal(normal.path(setting), defaults.path(setting))) {
        settings.set(setting, value);
      }
    }
    if (!settings.isEmpty()) {
      carrier.set(SETTINGS, settings);
    }
    return carrier;
  }

  /** Returns the section of the projects. */
  ObjectNode projects() {
    ObjectNode section = Json.object();
    new TreeMap<>(state.projects())
        .forEach(
            (name, shown) -> {
              ObjectNode defaults = ProjectPlan.settings(name, Json.object());
              ObjectNode project = Json.object();
              for (String field : List.of("carriers", "quotas")) {
                if (!Difference.equal(shown.path(field), defaults.path(field))) {
                  project.set(field, shown.path(field));
                }
              }
              if (!project.isEmpty() || !name.equals(ServiceState.DEFAULT_PROJECT)) {
                section.set(name, project);
              }
            });
    return section;
  }

  /** Returns the section of the topics of a project, with their subscriptions. */
  ObjectNode topics(String project) {
    ObjectNode section = Json.object();
    Map<String, JsonNode> subscriptions = state.subscriptions(project);
    Map<String, Integer> identities = new HashMap<>();
    subscriptions.values().forEach(each -> identities.merge(identity(each), 1, Integer::sum));
    new TreeMap<>(state.topics(project))
        .forEach(
            (name, shown) -> {
              ObjectNode topic = Json.object();
              if (!Difference.equal(shown.path("policy"), NO_POLICY)) {
                topic.set("policy", policy(shown.path("policy"), true));
              }
              List<JsonNode> own =
                  subscriptions.values().stream()
                      .filter(each -> each.path("topic").asString("").equals(name))
                      .toList();
              ArrayNode list = Json.object().putArray("subscriptions");
              for (ObjectNode each : sorted(own, subscriptions, identities)) {
                list.add(each);
              }
              nameSecrets(project, name, list);
              if (!list.isEmpty()) {
                topic.set("subscriptions", list);
              }
              boolean isReserved = name.equals(ServiceState.RESERVED_TOPIC);
              if (!isReserved || !topic.isEmpty()) {
                if (!isReserved && list.isEmpty()) {
                  topic.set("subscriptions", list);
                }
                section.set(name, topic);
              }
            });
    return section;
  }

  private static String identity(JsonNode subscription) {
    return subscription.path("topic").asString("") + " " + SubscriptionMatch.identity(subscription);
  }

  private static List<ObjectNode> sorted(
      List<JsonNode> own, Map<String, JsonNode> all, Map<String, Integer> identities) {
    List<ObjectNode> sorted = new ArrayList<>();
    own.forEach(each -> sorted.add(subscription(each, all, identities)));
    // The ids differ from service to service, the rest does not.
    sorted.sort(
        Comparator.comparing((ObjectNode each) -> each.path("endpoint").asString(""))
            .thenComparing(each -> each.path("protocol").asString(""))
            .thenComparing(each -> each.path("filter").toString())
            .thenComparing(Exported::withoutId));
    return sorted;
  }

  private static String withoutId(ObjectNode subscription) {
    ObjectNode rest = subscription.deepCopy();
    rest.remove("id");
    return rest.toString();
  }

  private static ObjectNode subscription(
      JsonNode shown, Map<String, JsonNode> all, Map<String, Integer> identities) {
    ObjectNode normal = ShownSettings.normal(shown, Json.object());
    ObjectNode subscription = Json.object();
    if (identities.getOrDefault(identity(shown), 0) > 1) {
      subscription.put("id", SubscriptionMatch.id(shown));
    }
    for (String name : normal.propertyNames()) {
      JsonNode value = normal.get(name);
      if (name.equals(ShownSettings.HTTP)) {
        ObjectNode http = http(value);
        if (!http.isEmpty()) {
          subscription.set(name, http);
        }
      } else if (name.equals("policy")) {
        subscription.set(name, policy(value, false));
      } else if (name.equals("format")
          ? !isUsualFormat(shown)
          : !ShownSettings.isDefault(name, value)) {
        subscription.set(name, value);
      }
    }
    String target = shown.path(ShownSettings.TARGET).asString("");
    if (!target.isEmpty()) {
      subscription.set(ShownSettings.TARGET, target(target, all, identities));
    }
    return subscription;
  }

  /** The usual format depends on the protocol; SMS and email have none to speak of. */
  private static boolean isUsualFormat(JsonNode shown) {
    ObjectNode bare = Json.object();
    for (String name : List.of("protocol", "endpoint", "carrier")) {
      if (shown.has(name)) {
        bare.set(name, shown.get(name));
      }
    }
    return CatalogDocuments.shownSettings(bare).path("format").equals(shown.path("format"));
  }

  private static ObjectNode http(JsonNode normal) {
    ObjectNode http = Json.object();
    for (String name : normal.propertyNames()) {
      if (!ShownSettings.isHttpDefault(name, normal.get(name))) {
        http.set(name, normal.get(name));
      }
    }
    return http;
  }

  /** The shortest way to write a policy: the name of a preset where it is one. */
  private static JsonNode policy(JsonNode shown, boolean ofTopic) {
    JsonNode retry = shown.path("healthyRetryPolicy");
    for (String preset : Presets.notificationNames()) {
      JsonNode asPreset = PolicyDocuments.writeStored(PolicyDocuments.readTopic(Json.text(preset)));
      JsonNode compared = ofTopic ? asPreset : withoutOverrides(asPreset);
      if (Difference.equal(shown, compared)) {
        return Json.text(preset);
      }
      if (shown instanceof ObjectNode object
          && Difference.equal(retry, asPreset.path("healthyRetryPolicy"))) {
        ObjectNode named = object.deepCopy();
        named.put("healthyRetryPolicy", preset);
        return pruned(named);
      }
    }
    return shown instanceof ObjectNode object ? pruned(object.deepCopy()) : shown;
  }

  private static ObjectNode withoutOverrides(JsonNode policy) {
    ObjectNode rest = ((ObjectNode) policy).deepCopy();
    rest.remove("disableSubscriptionOverrides");
    return rest;
  }

  private static ObjectNode pruned(ObjectNode policy) {
    if (!policy.path("disableSubscriptionOverrides").asBoolean(false)) {
      policy.remove("disableSubscriptionOverrides");
    }
    for (String name : List.copyOf(policy.propertyNames())) {
      if (policy.get(name).isNull()) {
        policy.remove(name);
      }
    }
    return policy;
  }

  private static JsonNode target(
      String id, Map<String, JsonNode> all, Map<String, Integer> identities) {
    JsonNode target = all.get(id);
    if (target == null || identities.getOrDefault(identity(target), 0) > 1) {
      return Json.text(id);
    }
    ObjectNode place = Json.object().put("topic", target.path("topic").asString(""));
    String protocol = target.path("protocol").asString("http");
    if (!protocol.equals("http")) {
      place.put("protocol", protocol);
    }
    return place.put("endpoint", target.path("endpoint").asString(""));
  }

  private void nameSecrets(String project, String topic, ArrayNode subscriptions) {
    String owner = project.equals(ServiceState.DEFAULT_PROJECT) ? topic : project + "_" + topic;
    for (int i = 0; i < subscriptions.size(); i++) {
      if (subscriptions.get(i).path(ShownSettings.HTTP) instanceof ObjectNode http) {
        for (String name : List.copyOf(http.propertyNames())) {
          if (ShownSettings.isSecret(name)) {
            http.set(name, placeholder(owner + "_" + (i + 1), name));
          }
        }
      }
    }
  }

  private ObjectNode placeholder(String owner, String field) {
    String name =
        (owner + "_" + field.replaceAll("(?<=[a-z])(?=[A-Z])", "_"))
            .replaceAll("[^A-Za-z0-9]+", "_")
            .toUpperCase(Locale.ROOT);
    String first = name.matches("[0-9].*") ? "_" + name : name;
    String unique = first;
    for (int i = 2; !variables.add(unique); i++) {
      unique = first + "_" + i;
    }
    return Json.object().put("variable", unique);
  }
}
