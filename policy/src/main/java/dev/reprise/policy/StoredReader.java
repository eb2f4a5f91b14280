package dev.reprise.policy;

import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Quoted;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads what {@link DocumentWriter} has written, perhaps in another version: ranges of documents do
 * not count, for it was accepted once, and fields that are not known are passed over. What cannot
 * be understood is refused all the same.
 */
final class StoredReader {
  private final Checks checks = new Checks();

  NotificationPolicy read(JsonNode document) {
    if (!document.isObject()) {
      throw new PolicyException("policy", Quoted.json(document), "must be an object");
    }
    HealthyRetryPolicy retry = retry(document.get("healthyRetryPolicy"));
    ThrottlePolicy throttle = throttle(document.get("throttlePolicy"));
    boolean overrides = checks.flag("", document, "disableSubscriptionOverrides", false);
    PolicyException.throwIfAny(checks);
    return new NotificationPolicy(retry, throttle, overrides);
  }

  private @Nullable HealthyRetryPolicy retry(@Nullable JsonNode value) {
    if (value == null || value.isNull()) {
      return null;
    }
    String path = "healthyRetryPolicy";
    JsonNode preset = value.get("preset");
    if (preset != null) {
      if (!preset.isString() || !Presets.notificationNames().contains(preset.stringValue())) {
        checks.complain(path + ".preset", preset, Presets.unknownNotificationRule());
        return null;
      }
      return Presets.get(preset.stringValue());
    }
    HealthyRetryFields fields = HealthyRetryFields.STORED;
    Integer total = fields.numRetries.read(checks, path, value);
    Integer noDelay = fields.numNoDelayRetries.read(checks, path, value);
    Duration minDelay = fields.minDelayTarget.read(checks, path, value);
    Duration maxDelay = fields.maxDelayTarget.read(checks, path, value);
    Integer min = fields.numMinDelayRetries.read(checks, path, value);
    Integer max = fields.numMaxDelayRetries.read(checks, path, value);
    BackoffFunction function = fields.backoffFunction.read(checks, path, value);
    return total == null
            || noDelay == null
            || minDelay == null
            || maxDelay == null
            || min == null
            || max == null
            || function == null
        ? null
        : new HealthyRetryPolicy(total, noDelay, minDelay, maxDelay, min, max, function);
  }

  private @Nullable ThrottlePolicy throttle(@Nullable JsonNode value) {
    JsonNode rate = value == null ? null : value.get("maxReceivesPerSecond");
    if (rate == null) {
      return null;
    }
    Integer perSecond =
        checks.whole(
            "throttlePolicy.maxReceivesPerSecond",
            rate,
            1,
            Integer.MAX_VALUE,
            "must be at least 1");
    return perSecond == null ? null : new ThrottlePolicy(perSecond);
  }
}
