package dev.reprise.cli.apply;

import dev.reprise.cli.apply.Wanted.WantedSubscription;
import dev.reprise.cli.apply.Wanted.WantedTopic;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.delivery.catalog.CatalogDocuments;
import dev.reprise.delivery.catalog.InvalidRequestException;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.PolicyException;
import dev.reprise.policy.Presets;
import dev.reprise.policy.document.Violation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Makes of the documents of all files what the service is to have. Not thread-safe. */
final class WantedReader {
  static final List<String> SECTIONS =
      List.of("project", "carriers", "projects", "policies", "topics");

  private static final String POLICY = "policy";
  private static final String HTTP = "http";
  private static final String TARGET = "deadLetterTarget";
  private static final List<String> TOPIC_FIELDS = List.of(POLICY, "subscriptions");
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private final Terminal terminal;
  private final String ownProject;
  private final Plan plan;
  private final Wanted wanted = new Wanted();
  private final Map<String, Part> policies = new HashMap<>();
  private final List<String> settingNames;
  private final JsonNode httpSchema;

  /**
   * A reader.
   *
   * @param ownProject the project of documents that name none
   * @param plan takes the mistakes and the warnings
   */
  WantedReader(Terminal terminal, String ownProject, Plan plan) {
    this.terminal = terminal;
    this.ownProject = ownProject;
    this.plan = plan;
    ObjectNode schema = CatalogDocuments.settingsSchema();
    this.settingNames =
        Stream.concat(Stream.of("id"), schema.path("properties").propertyNames().stream()).toList();
    this.httpSchema = schema.at("/properties/http/properties");
  }

  Wanted read(List<Part> documents) {
    for (Part document : documents) {
      if (!document.isObject(plan.mistakes)) {
        continue;
      }
      document.rejectUnknown(SECTIONS, plan.mistakes);
      wanted.carriers = named(document.field("carriers"), "carrier", wanted.carriers);
      wanted.projects = named(document.field("projects"), "project", wanted.projects);
      for (Part policy : document.field("policies").fields()) {
        readNamedPolicy(policy);
      }
      document.field("policies").isObject(plan.mistakes);
    }
    // A topic may name a policy of a file behind its own.
    documents.stream().filter(each -> each.json().isObject()).forEach(this::readTopics);
    return wanted;
  }

  private @Nullable Map<String, Part> named(
      Part section, String what, @Nullable Map<String, Part> before) {
    if (!section.isObject(plan.mistakes) && section.isAbsent()) {
      // "topics:" with nothing behind it is written by mistake more often than to mean none.
      return before;
    }
    Map<String, Part> all = before == null ? new LinkedHashMap<>() : before;
    for (Part each : section.fields()) {
      each.isObject(plan.mistakes);
      putOnce(all, each, what);
    }
    return all;
  }

  private void putOnce(Map<String, Part> all, Part part, String what) {
    Part first = all.putIfAbsent(part.name(), part);
    if (first != null) {
      plan.mistakes.add(
          part.mistake("is the same " + what + " as in " + first.place() + ": name it once"));
    }
  }

  private void readNamedPolicy(Part policy) {
    if (Presets.names().contains(policy.name())) {
      plan.mistakes.add(policy.mistake("has the name of a preset: choose another"));
    }
    putOnce(policies, policy, POLICY);
    readPolicy(policy, policy.json());
  }

  /** Returns the policy as the API shows it; an empty object after a mistake. */
  private ObjectNode readPolicy(Part part, JsonNode policy) {
    try {
      return PolicyDocuments.writeStored(
          PolicyDocuments.readTopic(policy.isNull() ? JSON.objectNode() : policy));
    } catch (PolicyException e) {
      complain(part, e.violations());
      return JSON.objectNode();
    }
  }

  private void complain(Part part, List<Violation> violations) {
    for (Violation each : violations) {
      String path = each.path();
      Part at = part;
      String rest = path;
      // The place of the innermost field that the file has.
      for (String step : path.split("\\.", -1)) {
        if (!at.json().has(step)) {
          break;
        }
        at = at.field(step);
        rest = rest.length() > step.length() ? rest.substring(step.length() + 1) : "";
      }
      plan.mistakes.add(
          at.mistake(
              (rest.isEmpty() || rest.equals(POLICY) ? "" : "(" + rest + ") ")
                  + "is "
                  + each.value()
                  + ": "
                  + each.rule()));
    }
  }

  /** Returns the policy itself where the name of one of the files stands. */
  private JsonNode resolved(Part policy) {
    if (!policy.json().isString() || Presets.names().contains(policy.json().stringValue())) {
      return policy.json();
    }
    Part named = policies.get(policy.json().stringValue());
    if (named != null) {
      return named.json();
    }
    List<String> known =
        Stream.concat(Presets.notificationNames().stream(), policies.keySet().stream().sorted())
            .toList();
    plan.mistakes.add(
        policy.mistake(
            "is "
                + policy.json().stringValue()
                + ": must be a policy, or the name of a preset or of one of policies: "
                + String.join(", ", known)));
    return JSON.objectNode();
  }

  private void readTopics(Part document) {
    Part named = document.field("project");
    if (!named.isAbsent() && !named.json().isString()) {
      plan.mistakes.add(named.mistake("must be the name of a project"));
      return;
    }
    String project = named.isAbsent() ? ownProject : named.json().stringValue();
    Part section = document.field("topics");
    if (!section.isObject(plan.mistakes)) {
      return;
    }
    Map<String, WantedTopic> topics =
        wanted.topics.computeIfAbsent(project, any -> new LinkedHashMap<>());
    for (Part topic : section.fields()) {
      WantedTopic first = topics.get(topic.name());
      if (first != null) {
        plan.mistakes.add(
            topic.mistake("is the same topic as in " + first.part().place() + ": name it once"));
        continue;
      }
      topic.isObject(plan.mistakes);
      topic.rejectUnknown(TOPIC_FIELDS, plan.mistakes);
      Part policy = topic.field(POLICY);
      JsonNode resolved = resolved(policy);
      topics.put(
          topic.name(),
          new WantedTopic(
              topic,
              resolved.isNull() ? JSON.objectNode() : preset(resolved),
              readPolicy(policy, resolved),
              readSubscriptions(topic)));
    }
  }

  /** A name alone is not JSON as the body of a request. */
  private static JsonNode preset(JsonNode policy) {
    return policy.isString() ? JSON.objectNode().put("preset", policy.stringValue()) : policy;
  }

  private @Nullable List<WantedSubscription> readSubscriptions(Part topic) {
    Part list = topic.field("subscriptions");
    if (!list.isAbsent() && !list.json().isArray()) {
      plan.mistakes.add(list.mistake("must be a list of subscriptions"));
    }
    if (!list.json().isArray()) {
      return null;
    }
    List<WantedSubscription> all = new ArrayList<>();
    Map<String, WantedSubscription> seen = new HashMap<>();
    for (Part part : list.elements()) {
      WantedSubscription one = readSubscription(topic.name(), part);
      if (one == null) {
        continue;
      }
      String key = one.id() + " " + one.identity() + " " + one.shown().path("filter");
      WantedSubscription first = seen.putIfAbsent(key, one);
      if (first != null) {
        plan.mistakes.add(
            part.mistake(
                "is the same subscription as "
                    + first.part().path()
                    + ": give it once, or give each its id"));
      }
      all.add(one);
    }
    return all;
  }

  private @Nullable WantedSubscription readSubscription(String topic, Part part) {
    if (!(part.json() instanceof ObjectNode written)) {
      plan.mistakes.add(part.mistake("must be an object"));
      return null;
    }
    part.rejectUnknown(settingNames, plan.mistakes);
    part.field(HTTP).rejectUnknown(List.copyOf(httpSchema.propertyNames()), plan.mistakes);
    Part id = part.field("id");
    if (!id.isAbsent() && !id.json().isString()) {
      plan.mistakes.add(id.mistake("must be the id of a subscription"));
    }
    ObjectNode settings = written.deepCopy();
    settings.remove(List.of("id", TARGET));
    // A field without a value is one that is not given.
    settings.propertyNames().stream()
        .filter(name -> settings.get(name).isNull())
        .toList()
        .forEach(settings::remove);
    settings.retain(settingNames);
    if (settings.has(POLICY)) {
      settings.set(POLICY, resolved(part.field(POLICY)));
    }
    if (settings.get(HTTP) instanceof ObjectNode http) {
      http.retain(httpSchema.propertyNames());
      readHttp(http, part.field(HTTP));
    }
    try {
      return new WantedSubscription(
          part,
          topic,
          id.json().asString(""),
          settings,
          CatalogDocuments.shownSettings(settings),
          part.field(TARGET));
    } catch (InvalidRequestException e) {
      complain(part, e.violations());
      return null;
    }
  }

  /** Texts that are no secrets are compared with the service's, so they are read at once. */
  private void readHttp(ObjectNode http, Part part) {
    for (String name : List.copyOf(http.propertyNames())) {
      JsonNode schema = httpSchema.path(name);
      Part value = part.field(name);
      if (value.isAbsent()) {
        http.remove(name);
      } else if (schema.path("writeOnly").asBoolean(false)) {
        checkSecret(value);
      } else if (schema.path("type").asString("").equals("string")
          && SecretSource.isSource(value.json())) {
        http.put(name, SecretSource.read(value, terminal));
      }
    }
  }

  /** A secret stands elsewhere; one that stands in the file is taken, with a warning. */
  private void checkSecret(Part secret) {
    checkSecret(secret, plan);
  }

  static void checkSecret(Part secret, Plan plan) {
    if (secret.json().isString()) {
      plan.warnings.add(
          secret.mistake("is a secret that stands in the file: name a {file: …} or {variable: …}"));
    } else if (!SecretSource.isSource(secret.json())) {
      plan.mistakes.add(secret.mistake("must be {file: PATH} or {variable: NAME}"));
    }
  }
}
