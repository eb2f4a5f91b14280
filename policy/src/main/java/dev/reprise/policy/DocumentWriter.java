package dev.reprise.policy;

import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes the canonical form: the shape and the order of the Amazon SNS documentation, every field
 * written out.
 */
final class DocumentWriter {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private DocumentWriter() {}

  static ObjectNode topic(NotificationPolicy policy) {
    return sections(policy, true)
        .put("disableSubscriptionOverrides", policy.disableSubscriptionOverrides());
  }

  static ObjectNode stored(NotificationPolicy policy) {
    return sections(policy, false)
        .put("disableSubscriptionOverrides", policy.disableSubscriptionOverrides());
  }

  static ObjectNode subscription(NotificationPolicy policy) {
    if (policy.disableSubscriptionOverrides()) {
      throw new PolicyException("disableSubscriptionOverrides", "true", "belongs on the topic");
    }
    return sections(policy, true);
  }

  /** Writes all seven fields, whether or not a document could hold them. */
  static ObjectNode retryFields(HealthyRetryPolicy policy) {
    return HealthyRetryFields.OF_DOCUMENTS.write(policy);
  }

  private static ObjectNode sections(NotificationPolicy policy, boolean withinRanges) {
    ObjectNode node = JSON.objectNode();
    HealthyRetryPolicy retry = policy.healthyRetryPolicy();
    if (retry != null) {
      node.set(
          "healthyRetryPolicy",
          withinRanges || Presets.nameOf(retry).isPresent() ? readable(retry) : retryFields(retry));
    }
    if (policy.throttlePolicy() != null) {
      node.putObject("throttlePolicy")
          .put("maxReceivesPerSecond", policy.throttlePolicy().maxReceivesPerSecond());
    }
    return node;
  }

  /**
   * Everything that is written can be read: a preset beyond the ranges of documents is written by
   * its name.
   */
  private static ObjectNode readable(HealthyRetryPolicy policy) {
    if (policy.isWithinDocumentRanges()) {
      return retryFields(policy);
    }
    String name =
        Presets.nameOf(policy)
            .orElseThrow(
                () ->
                    new PolicyException(
                        "healthyRetryPolicy",
                        retryFields(policy).toString(),
                        "must have at most 100 retries and delays of at most 3600 seconds, or be a"
                            + " preset"));
    return JSON.objectNode().put("preset", name);
  }
}
