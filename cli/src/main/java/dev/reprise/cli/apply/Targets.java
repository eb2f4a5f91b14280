package dev.reprise.cli.apply;

import dev.reprise.cli.apply.Wanted.WantedSubscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The subscriptions that get the dead letters of others: named by an id, or by {@code {topic,
 * endpoint}} of one of the files or of the service.
 */
final class Targets {
  private static final List<String> FIELDS = List.of("topic", "protocol", "endpoint");

  private final Map<String, JsonNode> existing;
  private final List<String> mistakes;
  private final Map<String, WantedSubscription> wantedById = new HashMap<>();
  private final Map<String, List<WantedSubscription>> wantedAt = new HashMap<>();
  private final Map<String, List<JsonNode>> existingAt = new HashMap<>();
  private final IdentityHashMap<WantedSubscription, WantedSubscription> wanted =
      new IdentityHashMap<>();
  private final IdentityHashMap<WantedSubscription, String> others = new IdentityHashMap<>();

  Targets(List<WantedSubscription> all, Map<String, JsonNode> existing, List<String> mistakes) {
    this.existing = existing;
    this.mistakes = mistakes;
    all.forEach(each -> wantedById.putIfAbsent(each.id(), each));
    all.forEach(
        each ->
            wantedAt
                .computeIfAbsent(at(each.topic(), each.endpoint()), key -> new ArrayList<>())
                .add(each));
    existing
        .values()
        .forEach(
            each ->
                existingAt
                    .computeIfAbsent(
                        at(each.path("topic").asString(""), each.path("endpoint").asString("")),
                        key -> new ArrayList<>())
                    .add(each));
    all.stream().filter(each -> !each.target().isAbsent()).forEach(this::resolve);
  }

  private static String at(String topic, String endpoint) {
    return topic + " " + endpoint;
  }

  private void resolve(WantedSubscription from) {
    Part target = from.target();
    if (target.json().isString()) {
      byId(from, target.json().stringValue());
    } else if (target.isObject(mistakes)) {
      target.rejectUnknown(FIELDS, mistakes);
      byPlace(from, target);
    }
  }

  private void byId(WantedSubscription from, String id) {
    // An id of the files means that of the files: a fresh service gives it another.
    WantedSubscription ofFiles = wantedById.get(id);
    if (ofFiles != null) {
      wanted.put(from, ofFiles);
    } else if (existing.containsKey(id)) {
      others.put(from, id);
    } else {
      mistakes.add(from.target().mistake("is " + id + ": there is no such subscription"));
    }
  }

  private void byPlace(WantedSubscription from, Part target) {
    String topic = target.field("topic").json().asString("");
    String endpoint = target.field("endpoint").json().asString("");
    String protocol = target.field("protocol").json().asString("");
    List<WantedSubscription> fits =
        wantedAt.getOrDefault(at(topic, endpoint), List.of()).stream()
            .filter(each -> protocol.isEmpty() || each.protocol().equals(protocol))
            .toList();
    List<String> ids =
        existingAt.getOrDefault(at(topic, endpoint), List.of()).stream()
            .filter(
                each ->
                    protocol.isEmpty() || each.path("protocol").asString("http").equals(protocol))
            .map(SubscriptionMatch::id)
            .toList();
    if (fits.size() == 1) {
      wanted.put(from, fits.get(0));
    } else if (fits.isEmpty() && ids.size() == 1) {
      others.put(from, ids.get(0));
    } else {
      mistakes.add(
          target.mistake(
              fits.isEmpty() && ids.isEmpty()
                  ? "names no subscription: neither the files nor the service have one of topic "
                      + topic
                      + " with the endpoint "
                      + endpoint
                  : "could be several subscriptions: give an id"));
    }
  }

  /** Returns the target that is of the files itself; null if there is none. */
  @Nullable WantedSubscription wanted(WantedSubscription from) {
    return wanted.get(from);
  }

  /** Returns the id of the target; null for none, and while it is not made yet. */
  @Nullable String id(WantedSubscription from, IdentityHashMap<WantedSubscription, String> ids) {
    WantedSubscription target = wanted.get(from);
    return target == null ? others.get(from) : ids.get(target);
  }

  /** Returns whether the target is the one with this id; empty for none. */
  boolean isStill(
      WantedSubscription from, String id, IdentityHashMap<WantedSubscription, String> ids) {
    return from.target().isAbsent() ? id.isEmpty() : Objects.equals(id(from, ids), id);
  }

  /** Returns the target as lines have it. */
  String text(WantedSubscription from, IdentityHashMap<WantedSubscription, String> ids) {
    String id = id(from, ids);
    WantedSubscription target = wanted.get(from);
    return id != null
        ? id
        : target == null ? "none" : "that of " + target.topic() + " (" + target.endpoint() + ")";
  }
}
