package dev.reprise.policy;

import dev.reprise.core.BackoffFunction;
import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Reads one document and collects every rule that it breaks. Values are taken as they are: a number
 * is not read from a text, nor a whole number from a fraction.
 */
final class DocumentReader {
  private static final String ROOT = "policy";
  private static final String RETRY = "healthyRetryPolicy";
  private static final String THROTTLE = "throttlePolicy";
  private static final String OVERRIDES = "disableSubscriptionOverrides";
  private static final String RATE = "maxReceivesPerSecond";
  private static final String PRESET = "preset";
  private static final String SNS = "http";

  private static final List<String> RETRY_FIELDS =
      List.of(
          "numRetries",
          "numNoDelayRetries",
          "minDelayTarget",
          "maxDelayTarget",
          "numMinDelayRetries",
          "numMaxDelayRetries",
          "backoffFunction");

  /** Deprecated fields that SNS still writes, and the only value with which they mean nothing. */
  private static final Map<String, String> MEANINGLESS =
      Map.of(
          "sicklyRetryPolicy", "null", "defaultSicklyRetryPolicy", "null", "guaranteed", "false");

  private static final BigInteger MOST_COUNT = BigInteger.valueOf(Integer.MAX_VALUE);

  private final List<Violation> violations = new ArrayList<>();

  /** Where {@code maxReceivesPerSecond} was found; it has three possible places. */
  private @Nullable String rateFoundAt;

  private @Nullable ThrottlePolicy throttle;

  NotificationPolicy topic(JsonNode document) {
    return finish(readTopic(document));
  }

  NotificationPolicy subscription(JsonNode document) {
    return finish(readSubscription(document));
  }

  /** Reads any of the shapes, and the fields of a retry policy without anything around them. */
  NotificationPolicy anyShape(JsonNode document) {
    boolean bare = document.isObject() && RETRY_FIELDS.stream().anyMatch(document::has);
    return finish(bare ? policy(readRetryFields(ROOT, document), false) : readTopic(document));
  }

  private NotificationPolicy readTopic(JsonNode document) {
    if (document.isObject() && document.has(SNS)) {
      rejectUnknown("", document, List.of(SNS));
      return readSections(
          SNS, document.get(SNS), "default" + capital(RETRY), "default" + capital(THROTTLE), true);
    }
    return readSections("", document, RETRY, THROTTLE, true);
  }

  private NotificationPolicy readSubscription(JsonNode document) {
    return readSections("", document, RETRY, THROTTLE, false);
  }

  private NotificationPolicy readSections(
      String path, JsonNode document, String retryName, String throttleName, boolean ofTopic) {
    if (document.isString()) {
      return policy(readPreset(path.isEmpty() ? ROOT : path, document), false);
    }
    if (!document.isObject()) {
      complain(path.isEmpty() ? ROOT : path, document, "must be an object or the name of a preset");
      return policy(null, false);
    }
    List<String> known = new ArrayList<>(List.of(retryName, throttleName, RATE, PRESET));
    if (ofTopic) {
      known.add(OVERRIDES);
    } else if (document.has(OVERRIDES)) {
      complain(
          join(path, OVERRIDES),
          document.get(OVERRIDES),
          "belongs on the topic: it decides whether policies of subscriptions count");
    }
    known.addAll(checkMeaningless(path, document));
    rejectUnknown(path, document, ofTopic ? known : plus(known, OVERRIDES));

    HealthyRetryPolicy retry = null;
    if (document.has(PRESET)) {
      retry = readPreset(join(path, PRESET), document.get(PRESET));
      if (document.has(retryName)) {
        complain(join(path, retryName), document.get(retryName), "must not stand beside a preset");
      }
    } else if (document.has(retryName)) {
      retry = readRetry(join(path, retryName), document.get(retryName));
    }
    if (document.has(throttleName)) {
      readThrottle(join(path, throttleName), document.get(throttleName));
    }
    readRate(path, document);
    return policy(retry, ofTopic && readFlag(path, document));
  }

  private @Nullable HealthyRetryPolicy readRetry(String path, JsonNode value) {
    if (value.isNull()) {
      return null;
    }
    if (value.isString()) {
      return readPreset(path, value);
    }
    if (!value.isObject()) {
      complain(path, value, "must be an object or the name of a preset");
      return null;
    }
    if (value.has(PRESET)) {
      rejectUnknown(path, value, List.of(PRESET, RATE));
      readRate(path, value);
      return readPreset(join(path, PRESET), value.get(PRESET));
    }
    return readRetryFields(path, value);
  }

  private @Nullable HealthyRetryPolicy readRetryFields(String path, JsonNode object) {
    rejectUnknown(path, object, plus(RETRY_FIELDS, RATE));
    readRate(path, object);
    HealthyRetryPolicy standard = HealthyRetryPolicy.DEFAULT;
    Integer total =
        readCount(
            path, object, "numRetries", standard.numRetries(), HealthyRetryPolicy.MOST_RETRIES);
    Integer noDelay = readCount(path, object, "numNoDelayRetries", 0, Integer.MAX_VALUE);
    Integer min = readCount(path, object, "numMinDelayRetries", 0, Integer.MAX_VALUE);
    Integer max = readCount(path, object, "numMaxDelayRetries", 0, Integer.MAX_VALUE);
    Duration minDelay = readDelay(path, object, "minDelayTarget", standard.minDelayTarget());
    Duration maxDelay = readDelay(path, object, "maxDelayTarget", standard.maxDelayTarget());
    BackoffFunction function = readFunction(path, object);

    Set<String> defaulted = new HashSet<>(RETRY_FIELDS);
    defaulted.removeIf(object::has);
    int violationsBefore = violations.size();
    if (minDelay != null && maxDelay != null) {
      HealthyRetryPolicy.requireOrder(path, minDelay, maxDelay, defaulted, violations);
    }
    if (total != null && noDelay != null && min != null && max != null) {
      HealthyRetryPolicy.requireSum(path, total, noDelay, min, max, defaulted, violations);
    }
    if (violations.size() > violationsBefore
        || total == null
        || noDelay == null
        || min == null
        || max == null
        || minDelay == null
        || maxDelay == null
        || function == null) {
      return null;
    }
    return new HealthyRetryPolicy(total, noDelay, minDelay, maxDelay, min, max, function);
  }

  private @Nullable Integer readCount(
      String path, JsonNode object, String field, int standard, int highest) {
    JsonNode value = object.get(field);
    if (value == null) {
      return standard;
    }
    String rule =
        highest == Integer.MAX_VALUE ? "must be at least 0" : "must be between 0 and " + highest;
    return readWhole(join(path, field), value, 0, highest, rule);
  }

  private @Nullable Integer readWhole(
      String path, JsonNode value, int lowest, int highest, String rule) {
    if (!value.isIntegralNumber()) {
      complain(path, value, "must be a whole number");
      return null;
    }
    BigInteger number = value.bigIntegerValue();
    if (number.compareTo(MOST_COUNT) > 0 && highest == Integer.MAX_VALUE) {
      complain(path, value, "must be at most " + MOST_COUNT);
      return null;
    }
    if (number.compareTo(BigInteger.valueOf(lowest)) < 0
        || number.compareTo(BigInteger.valueOf(highest)) > 0) {
      complain(path, value, rule);
      return null;
    }
    return number.intValueExact();
  }

  private @Nullable Duration readDelay(
      String path, JsonNode object, String field, Duration standard) {
    JsonNode value = object.get(field);
    if (value == null) {
      return standard;
    }
    boolean isNumber = value.isIntegralNumber();
    if (!isNumber && (!value.isString() || DurationText.read(value.stringValue()) == null)) {
      complain(
          join(path, field),
          value,
          "must be whole seconds as a number, or a text such as 250ms, 10s, 4m or PT10S");
      return null;
    }
    Duration delay =
        isNumber
            ? DurationText.ofSeconds(value.bigIntegerValue())
            : DurationText.read(value.stringValue());
    if (delay == null
        || delay.isNegative()
        || delay.compareTo(HealthyRetryPolicy.LONGEST_DELAY) > 0) {
      complain(
          join(path, field),
          value,
          "must be between 0 and " + HealthyRetryPolicy.LONGEST_DELAY.toSeconds() + " seconds");
      return null;
    }
    if (delay.toNanosPart() % 1_000_000 != 0) {
      complain(join(path, field), value, "must be a whole number of milliseconds");
      return null;
    }
    return delay;
  }

  private @Nullable BackoffFunction readFunction(String path, JsonNode object) {
    JsonNode value = object.get("backoffFunction");
    if (value == null) {
      return HealthyRetryPolicy.DEFAULT.backoffFunction();
    }
    BackoffFunction function = value.isString() ? FunctionNames.read(value.stringValue()) : null;
    if (function == null) {
      complain(
          join(path, "backoffFunction"),
          value,
          "must be linear, arithmetic, geometric or exponential");
    }
    return function;
  }

  private @Nullable HealthyRetryPolicy readPreset(String path, JsonNode value) {
    if (!value.isString() || !Presets.contains(value.stringValue())) {
      complain(path, value, Presets.unknownNameRule());
      return null;
    }
    return Presets.get(value.stringValue());
  }

  private void readThrottle(String path, JsonNode value) {
    if (value.isNull()) {
      return;
    }
    if (!value.isObject()) {
      complain(path, value, "must be an object");
      return;
    }
    rejectUnknown(path, value, List.of(RATE));
    readRate(path, value);
  }

  private void readRate(String path, JsonNode object) {
    JsonNode value = object.get(RATE);
    if (value == null) {
      return;
    }
    String ownPath = join(path, RATE);
    if (rateFoundAt != null) {
      complain(ownPath, value, "must be given once, and is given at " + rateFoundAt + " too");
      return;
    }
    rateFoundAt = ownPath;
    Integer rate = readWhole(ownPath, value, 1, Integer.MAX_VALUE, "must be at least 1");
    if (rate != null) {
      throttle = new ThrottlePolicy(rate);
    }
  }

  private boolean readFlag(String path, JsonNode document) {
    JsonNode value = document.get(OVERRIDES);
    if (value == null) {
      return false;
    }
    if (!value.isBoolean()) {
      complain(join(path, OVERRIDES), value, "must be true or false");
      return false;
    }
    return value.booleanValue();
  }

  private void rejectUnknown(String path, JsonNode object, List<String> known) {
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      String name = field.getKey();
      if (!known.contains(name)) {
        complain(
            join(path, Quoted.fieldName(name)),
            field.getValue(),
            FieldNames.unknownRule(name, known));
      }
    }
  }

  /** Passes over what SNS still writes and nobody may use; returns the names to pass over. */
  private List<String> checkMeaningless(String path, JsonNode section) {
    List<String> present = MEANINGLESS.keySet().stream().filter(section::has).sorted().toList();
    for (String name : present) {
      JsonNode value = section.get(name);
      String onlyValue = MEANINGLESS.get(name);
      if (!value.toString().equals(onlyValue)) {
        complain(join(path, name), value, "is not supported: must be " + onlyValue);
      }
    }
    return present;
  }

  private NotificationPolicy policy(
      @Nullable HealthyRetryPolicy retry, boolean disableSubscriptionOverrides) {
    return new NotificationPolicy(retry, throttle, disableSubscriptionOverrides);
  }

  private NotificationPolicy finish(NotificationPolicy policy) {
    if (!violations.isEmpty()) {
      throw new PolicyException(violations);
    }
    return policy;
  }

  private void complain(String path, JsonNode value, String rule) {
    violations.add(new Violation(path, Quoted.json(value), rule));
  }

  private static String join(String path, String field) {
    return path.isEmpty() ? field : path + "." + field;
  }

  private static String capital(String name) {
    return Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }

  private static List<String> plus(List<String> names, String name) {
    List<String> more = new ArrayList<>(names);
    more.add(name);
    return more;
  }
}
