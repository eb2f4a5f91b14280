package dev.reprise.cli.apply;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The contents of all files of one apply. */
final class Wanted {
  /** By name; null if no file has the section. */
  @Nullable Map<String, Part> carriers;

  /** By name; null if no file has the section. */
  @Nullable Map<String, Part> projects;

  /** By project and name; a project is there if a file has the section of its topics. */
  final Map<String, Map<String, WantedTopic>> topics = new LinkedHashMap<>();

  /**
   * A topic.
   *
   * @param part where it stands
   * @param policy the document to send, an object or the name of a preset
   * @param shown the policy as the API shows it
   * @param subscriptions those of the topic; null if the files do not say which it has
   */
  record WantedTopic(
      Part part,
      JsonNode policy,
      ObjectNode shown,
      @Nullable List<WantedSubscription> subscriptions) {}

  /**
   * A subscription.
   *
   * @param part where it stands
   * @param topic its topic
   * @param id empty if the file gives none
   * @param settings as the file has them, but for the names of policies, without id and
   *     deadLetterTarget
   * @param shown the same as the API shows them
   * @param target the subscription that gets its dead letters; absent for none
   */
  record WantedSubscription(
      Part part, String topic, String id, ObjectNode settings, ObjectNode shown, Part target) {
    String protocol() {
      return shown.path("protocol").asString("");
    }

    String endpoint() {
      return shown.path("endpoint").asString("");
    }

    String identity() {
      return protocol() + " " + endpoint();
    }
  }

  /** Returns the subscriptions that a project is to have, of all topics. */
  List<WantedSubscription> subscriptions(String project) {
    List<WantedSubscription> all = new ArrayList<>();
    for (WantedTopic topic : topics.getOrDefault(project, Map.of()).values()) {
      if (topic.subscriptions() != null) {
        all.addAll(topic.subscriptions());
      }
    }
    return all;
  }
}
