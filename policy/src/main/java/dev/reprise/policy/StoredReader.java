package dev.reprise.policy;

import dev.reprise.core.backoff.BackoffFunction;
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
    checks.throwIfAny();
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
    HealthyRetryPolicy standard = HealthyRetryPolicy.DEFAULT;
    int before = checks.count();
    int total = count(path, value, "numRetries", standard.numRetries());
    int noDelay = count(path, value, "numNoDelayRetries", standard.numNoDelayRetries());
    Duration minDelay = delay(path, value, "minDelayTarget", standard.minDelayTarget());
    Duration maxDelay = delay(path, value, "maxDelayTarget", standard.maxDelayTarget());
    int min = count(path, value, "numMinDelayRetries", standard.numMinDelayRetries());
    int max = count(path, value, "numMaxDelayRetries", standard.numMaxDelayRetries());
    BackoffFunction function = function(path, value.get("backoffFunction"));
    return checks.count() > before
        ? null
        : new HealthyRetryPolicy(total, noDelay, minDelay, maxDelay, min, max, function);
  }

  private int count(String path, JsonNode object, String field, int standard) {
    JsonNode value = object.get(field);
    Integer count =
        value == null
            ? Integer.valueOf(standard)
            : checks.whole(
                Checks.join(path, field), value, 0, Integer.MAX_VALUE, "must be at least 0");
    return count == null ? 0 : count;
  }

  private Duration delay(String path, JsonNode object, String field, Duration standard) {
    JsonNode value = object.get(field);
    if (value == null) {
      return standard;
    }
    Duration delay =
        value.isIntegralNumber()
            ? DurationText.ofSeconds(value.bigIntegerValue())
            : value.isString() ? DurationText.read(value.stringValue()) : null;
    if (delay == null) {
      checks.complain(Checks.join(path, field), value, "must be a delay");
      return standard;
    }
    return delay;
  }

  private BackoffFunction function(String path, @Nullable JsonNode value) {
    BackoffFunction standard = HealthyRetryPolicy.DEFAULT.backoffFunction();
    if (value == null) {
      return standard;
    }
    BackoffFunction function = value.isString() ? FunctionNames.read(value.stringValue()) : null;
    if (function == null) {
      checks.complain(Checks.join(path, "backoffFunction"), value, FunctionNames.RULE);
      return standard;
    }
    return function;
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
