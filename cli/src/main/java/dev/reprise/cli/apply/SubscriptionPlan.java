package dev.reprise.cli.apply;

import dev.reprise.cli.apply.Wanted.WantedSubscription;
import dev.reprise.cli.apply.Wanted.WantedTopic;
import dev.reprise.cli.base.ApiClient;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Words;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Plans the changes of the subscriptions of a project. */
final class SubscriptionPlan {
  private static final String PATH = "/v1/subscriptions";

  private final Plan plan;
  private final ServiceState state;
  private final Terminal terminal;
  private final String project;
  private final boolean renewSecrets;
  private final Map<String, JsonNode> existing;
  private final Map<String, List<JsonNode>> ofTopics = new LinkedHashMap<>();
  private final IdentityHashMap<WantedSubscription, JsonNode> found = new IdentityHashMap<>();

  /** The ids of those that exist, and of those that were made meanwhile. */
  private final IdentityHashMap<WantedSubscription, String> ids = new IdentityHashMap<>();

  SubscriptionPlan(
      Plan plan, ServiceState state, Terminal terminal, String project, boolean renewSecrets) {
    this.plan = plan;
    this.state = state;
    this.terminal = terminal;
    this.project = project;
    this.renewSecrets = renewSecrets;
    this.existing = state.subscriptions(project);
    existing
        .values()
        .forEach(
            each ->
                ofTopics
                    .computeIfAbsent(each.path("topic").asString(""), key -> new ArrayList<>())
                    .add(each));
  }

  void add(Map<String, WantedTopic> topics) {
    List<WantedSubscription> all = new ArrayList<>();
    topics.forEach(
        (name, topic) -> {
          if (topic.subscriptions() != null) {
            all.addAll(topic.subscriptions());
            found.putAll(
                SubscriptionMatch.of(
                    topic.subscriptions(), ofTopics.getOrDefault(name, List.of()), plan.mistakes));
          }
        });
    found.forEach((wanted, other) -> ids.put(wanted, SubscriptionMatch.id(other)));
    Targets targets = new Targets(all, existing, plan.mistakes);
    Set<WantedSubscription> done = Collections.newSetFromMap(new IdentityHashMap<>());
    for (WantedSubscription each : all) {
      addAfterTarget(each, targets, done, new ArrayList<>());
    }
  }

  /** A target is there before those that name it. */
  private void addAfterTarget(
      WantedSubscription each,
      Targets targets,
      Set<WantedSubscription> done,
      List<WantedSubscription> way) {
    if (done.contains(each)) {
      return;
    }
    if (way.contains(each)) {
      plan.mistakes.add(
          each.part().field(ShownSettings.TARGET).mistake("must not lead back to itself"));
      return;
    }
    way.add(each);
    WantedSubscription target = targets.wanted(each);
    if (target != null) {
      addAfterTarget(target, targets, done, way);
    }
    done.add(each);
    JsonNode before = found.get(each);
    if (before == null) {
      create(each, targets);
    } else {
      change(each, before, targets);
    }
  }

  private String name(String id, String endpoint) {
    return TopicPlan.named(state, project, id + " (" + endpoint + ")");
  }

  private void create(WantedSubscription wanted, Targets targets) {
    ObjectNode body = wanted.settings().deepCopy();
    if (body.get(ShownSettings.HTTP) instanceof ObjectNode http) {
      for (String name : List.copyOf(http.propertyNames())) {
        http.set(name, httpValue(wanted, name));
      }
    }
    plan.changes.add(
        new PlannedChange(
            PlannedChange.Kind.ADD,
            "subscription",
            "of " + name(wanted.topic(), wanted.endpoint()),
            List.of(),
            () -> {
              @Nullable String target = targets.id(wanted, ids);
              if (target != null) {
                body.put(ShownSettings.TARGET, target);
              }
              JsonNode made =
                  state
                      .client(project)
                      .send(
                          "POST",
                          ApiClient.path("/v1/topics", wanted.topic(), "subscriptions"),
                          body,
                          "id");
              ids.put(wanted, SubscriptionMatch.id(made));
              return made;
            }));
  }

  private void change(WantedSubscription wanted, JsonNode shown, Targets targets) {
    String id = SubscriptionMatch.id(shown);
    ObjectNode before = ShownSettings.normal(shown, wanted.shown());
    ObjectNode after = ShownSettings.normal(wanted.shown(), wanted.shown());
    List<String> details = new ArrayList<>(Difference.lines("", before, after));
    ObjectNode body = Json.object();
    for (String name : Difference.fields(before, after)) {
      if (name.equals("shards")) {
        plan.mistakes.add(
            wanted
                .part()
                .field(name)
                .mistake(
                    "is "
                        + after.path(name)
                        + ": must stay "
                        + before.path(name)
                        + ", as it was chosen when "
                        + id
                        + " was created; make another subscription"));
      } else if (!name.equals(ShownSettings.HTTP)) {
        JsonNode value = wanted.settings().get(name);
        body.set(name, value == null ? body.nullNode() : value);
      }
    }
    ObjectNode http = http(wanted, before, after, body.has("endpoint"), details);
    if (!http.isEmpty()) {
      body.set(ShownSettings.HTTP, http);
    }
    String targetBefore = shown.path(ShownSettings.TARGET).asString("");
    boolean newTarget = !targets.isStill(wanted, targetBefore, ids);
    if (newTarget) {
      details.add(
          ShownSettings.TARGET
              + " "
              + (targetBefore.isEmpty() ? "none" : targetBefore)
              + " -> "
              + targets.text(wanted, ids));
    }
    if (body.isEmpty() && !newTarget) {
      plan.unchanged++;
      return;
    }
    plan.changes.add(
        new PlannedChange(
            PlannedChange.Kind.CHANGE,
            "subscription",
            name(id, wanted.endpoint()),
            details,
            () -> {
              if (newTarget) {
                @Nullable String target = targets.id(wanted, ids);
                body.set(
                    ShownSettings.TARGET, target == null ? body.nullNode() : Json.text(target));
              }
              return state.client(project).send("POST", ApiClient.path(PATH, id), body, "id");
            }));
  }

  private ObjectNode http(
      WantedSubscription wanted,
      ObjectNode before,
      ObjectNode after,
      boolean moves,
      List<String> details) {
    JsonNode wantedHttp = after.path(ShownSettings.HTTP);
    List<String> differing = Difference.fields(before.path(ShownSettings.HTTP), wantedHttp);
    // What was meant for one host does not follow to another: it must be given again.
    boolean again = renewSecrets || moves || differing.contains("tokenUrl");
    ObjectNode http = Json.object();
    for (String name : ShownSettings.httpNames()) {
      boolean given = wanted.settings().path(ShownSettings.HTTP).has(name);
      boolean repeats =
          given && ((again && ShownSettings.isSecret(name)) || (moves && name.equals("headers")));
      if (differing.contains(name) || repeats) {
        http.set(name, given ? httpValue(wanted, name) : http.nullNode());
        if (!differing.contains(name)) {
          details.add("http." + name + " sent again");
        }
      }
    }
    return http;
  }

  private JsonNode httpValue(WantedSubscription wanted, String name) {
    JsonNode value = wanted.settings().path(ShownSettings.HTTP).path(name);
    return ShownSettings.isSecret(name)
        ? Json.text(
            SecretSource.read(wanted.part().field(ShownSettings.HTTP).field(name), terminal))
        : value;
  }

  /**
   * Adds the subscriptions that the files do not have: of topics that they name with a list, and of
   * those that they do not name.
   */
  void addSuperfluous(Map<String, WantedTopic> topics) {
    Set<JsonNode> kept = Collections.newSetFromMap(new IdentityHashMap<>());
    kept.addAll(found.values());
    List<JsonNode> chosen = new ArrayList<>();
    ofTopics.forEach(
        (name, all) -> {
          WantedTopic topic = topics.get(name);
          boolean isChosen =
              topic == null
                  ? !name.equals(ServiceState.RESERVED_TOPIC)
                  : topic.subscriptions() != null;
          if (isChosen) {
            all.stream().filter(each -> !kept.contains(each)).forEach(chosen::add);
          }
        });
    List<JsonNode> left = chosen;
    // One that others name as their target goes after them.
    while (!left.isEmpty()) {
      Set<String> targets =
          left.stream()
              .map(each -> each.path(ShownSettings.TARGET).asString(""))
              .collect(Collectors.toSet());
      Map<Boolean, List<JsonNode>> byTurn =
          left.stream()
              .collect(
                  Collectors.partitioningBy(each -> !targets.contains(SubscriptionMatch.id(each))));
      List<JsonNode> next = byTurn.getOrDefault(true, List.of());
      next.forEach(each -> plan.superfluous.add(deletion(each)));
      if (next.isEmpty()) {
        break;
      }
      left = byTurn.getOrDefault(false, List.of());
    }
  }

  private PlannedChange deletion(JsonNode shown) {
    String id = SubscriptionMatch.id(shown);
    long pending = shown.at("/ledger/pending").asLong(0);
    long dead = shown.at("/ledger/deadLettered").asLong(0);
    List<String> details =
        pending + dead == 0
            ? List.of()
            : List.of(
                Words.count(pending, "pending delivery")
                    + " and "
                    + Words.count(dead, "dead letter")
                    + " are discarded with it");
    return new PlannedChange(
        PlannedChange.Kind.DELETE,
        "subscription",
        name(id, shown.path("endpoint").asString("")),
        details,
        () -> state.client(project).delete(ApiClient.path(PATH, id)));
  }
}
