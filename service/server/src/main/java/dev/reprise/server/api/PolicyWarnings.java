package dev.reprise.server.api;

import dev.reprise.delivery.catalog.Catalog;
import dev.reprise.policy.PolicyDocuments;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Warnings of a policy that was accepted: settings that have no effect. */
final class PolicyWarnings {
  private static final String OVERRIDES = "disableSubscriptionOverrides";

  private PolicyWarnings() {}

  /** Returns the warnings of a topic's new policy. */
  static List<String> ofTopic(JsonNode policy, Catalog.Entry topic) {
    List<String> warnings = new ArrayList<>(PolicyDocuments.ignored(policy));
    long overridden =
        topic.subscriptions().stream().filter(s -> s.settings().policy() != null).count();
    if (topic.topic().policy().disableSubscriptionOverrides() && overridden > 0) {
      warnings.add(
          OVERRIDES
              + " is set: the policies that "
              + (overridden == 1 ? "1 subscription has" : overridden + " subscriptions have")
              + " of their own do not count.");
    }
    return warnings;
  }

  /** Returns the warnings of a subscription's new settings. */
  static List<String> ofSubscription(JsonNode settings, Catalog.Entry topic) {
    JsonNode policy = settings.path("policy");
    List<String> warnings = new ArrayList<>(PolicyDocuments.ignored(policy));
    boolean given = !policy.isMissingNode() && !policy.isNull();
    if (given && topic.topic().policy().disableSubscriptionOverrides()) {
      warnings.add(
          "The policy does not count: topic "
              + topic.topic().name()
              + " sets "
              + OVERRIDES
              + ", so its own holds.");
    }
    return warnings;
  }
}
