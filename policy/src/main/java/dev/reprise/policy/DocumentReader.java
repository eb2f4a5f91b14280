package dev.reprise.policy;

import dev.reprise.core.backoff.BackoffFunction;
import dev.reprise.policy.document.Checks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
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
  private static final String REQUEST = "requestPolicy";
  private static final String CONTENT_TYPE = "headerContentType";

  private static final HealthyRetryFields FIELDS = HealthyRetryFields.OF_DOCUMENTS;

  static final List<String> RETRY_FIELDS = FIELDS.names();

  /** Deprecated fields that SNS still writes, and the only value with which they mean nothing. */
  private static final Map<String, String> MEANINGLESS =
      Map.of(
          "sicklyRetryPolicy", "null", "defaultSicklyRetryPolicy", "null", "guaranteed", "false");

  /** The fields around them that no other format has. */
  static final List<String> SECTION_FIELDS =
      List.of(
          RETRY,
          THROTTLE,
          OVERRIDES,
          RATE,
          SNS,
          REQUEST,
          "default" + capital(REQUEST),
          "sicklyRetryPolicy",
          "defaultSicklyRetryPolicy",
          "guaranteed");

  private final Checks checks = new Checks();

  /** Where {@code maxReceivesPerSecond} was found; it has three possible places. */
  private @Nullable String rateFoundAt;

  private @Nullable ThrottlePolicy throttle;

  NotificationPolicy topic(JsonNode document) {
    return finish(readTopic(document));
  }

  NotificationPolicy subscription(JsonNode document) {
    return finish(readSubscription(document));
  }

  /** Reads a topic's document, or the fields of a retry policy without anything around them. */
  NotificationPolicy topicOrRetryFields(JsonNode document) {
    boolean bare = document.isObject() && RETRY_FIELDS.stream().anyMatch(document::has);
    return finish(bare ? policy(readRetryFields(ROOT, document), false) : readTopic(document));
  }

  private NotificationPolicy readTopic(JsonNode document) {
    if (document.isObject() && document.has(SNS)) {
      checks.rejectUnknown("", document, List.of(SNS));
      return readSections(SNS, document.get(SNS), DocumentReader::ofHttp, true);
    }
    return readSections("", document, name -> name, true);
  }

  private NotificationPolicy readSubscription(JsonNode document) {
    return readSections("", document, name -> name, false);
  }

  private NotificationPolicy readSections(
      String path, JsonNode document, UnaryOperator<String> names, boolean ofTopic) {
    if (document.isString()) {
      return policy(readPreset(path.isEmpty() ? ROOT : path, document), false);
    }
    if (!document.isObject()) {
      checks.complain(
          path.isEmpty() ? ROOT : path, document, "must be an object or the name of a preset");
      return policy(null, false);
    }
    String retryName = names.apply(RETRY);
    String throttleName = names.apply(THROTTLE);
    String requestName = names.apply(REQUEST);
    List<String> known =
        new ArrayList<>(List.of(retryName, throttleName, requestName, RATE, PRESET));
    if (ofTopic) {
      known.add(OVERRIDES);
    } else if (document.has(OVERRIDES)) {
      checks.complain(
          Checks.join(path, OVERRIDES),
          document.get(OVERRIDES),
          "belongs on the topic: it decides whether policies of subscriptions count");
    }
    known.addAll(checkMeaningless(path, document));
    checks.rejectUnknown(path, document, ofTopic ? known : plus(known, OVERRIDES));

    HealthyRetryPolicy retry = null;
    if (document.has(PRESET)) {
      retry = readPreset(Checks.join(path, PRESET), document.get(PRESET));
      if (document.has(retryName)) {
        checks.complain(
            Checks.join(path, retryName),
            document.get(retryName),
            "must not stand beside a preset");
      }
    } else if (document.has(retryName)) {
      retry = readRetry(Checks.join(path, retryName), document.get(retryName));
    }
    if (document.has(throttleName)) {
      readThrottle(Checks.join(path, throttleName), document.get(throttleName));
    }
    if (document.has(requestName)) {
      checkRequest(Checks.join(path, requestName), document.get(requestName));
    }
    readRate(path, document);
    return policy(retry, ofTopic && checks.flag(path, document, OVERRIDES, false));
  }

  private @Nullable HealthyRetryPolicy readRetry(String path, JsonNode value) {
    if (value.isNull()) {
      return null;
    }
    if (value.isString()) {
      return readPreset(path, value);
    }
    if (!value.isObject()) {
      checks.complain(path, value, "must be an object or the name of a preset");
      return null;
    }
    if (value.has(PRESET)) {
      checks.rejectUnknown(path, value, List.of(PRESET, RATE));
      readRate(path, value);
      return readPreset(Checks.join(path, PRESET), value.get(PRESET));
    }
    return readRetryFields(path, value);
  }

  private @Nullable HealthyRetryPolicy readRetryFields(String path, JsonNode object) {
    checks.rejectUnknown(path, object, plus(RETRY_FIELDS, RATE));
    readRate(path, object);
    Integer total = FIELDS.numRetries.read(checks, path, object);
    Integer noDelay = FIELDS.numNoDelayRetries.read(checks, path, object);
    Integer min = FIELDS.numMinDelayRetries.read(checks, path, object);
    Integer max = FIELDS.numMaxDelayRetries.read(checks, path, object);
    Duration minDelay = FIELDS.minDelayTarget.read(checks, path, object);
    Duration maxDelay = FIELDS.maxDelayTarget.read(checks, path, object);
    BackoffFunction function = FIELDS.backoffFunction.read(checks, path, object);

    Set<String> defaulted = new HashSet<>(RETRY_FIELDS);
    defaulted.removeIf(object::has);
    int violationsBefore = checks.count();
    if (minDelay != null && maxDelay != null) {
      HealthyRetryPolicy.requireOrder(path, minDelay, maxDelay, defaulted, checks.collected());
    }
    if (total != null && noDelay != null && min != null && max != null) {
      HealthyRetryPolicy.requireSum(path, total, noDelay, min, max, defaulted, checks.collected());
    }
    if (checks.count() > violationsBefore
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

  private @Nullable HealthyRetryPolicy readPreset(String path, JsonNode value) {
    if (!value.isString() || !Presets.notificationNames().contains(value.stringValue())) {
      checks.complain(path, value, Presets.unknownNotificationRule());
      return null;
    }
    return Presets.get(value.stringValue());
  }

  private void readThrottle(String path, JsonNode value) {
    if (value.isNull()) {
      return;
    }
    if (!value.isObject()) {
      checks.complain(path, value, "must be an object");
      return;
    }
    checks.rejectUnknown(path, value, List.of(RATE));
    readRate(path, value);
  }

  /**
   * It is checked, so that a mistake in it is told, and then means nothing: see {@link #ignored}.
   */
  private void checkRequest(String path, JsonNode value) {
    if (value.isNull()) {
      return;
    }
    if (!value.isObject()) {
      checks.complain(path, value, "must be an object");
      return;
    }
    checks.rejectUnknown(path, value, List.of(CONTENT_TYPE));
    JsonNode type = value.get(CONTENT_TYPE);
    if (type != null && !type.isString()) {
      checks.complain(Checks.join(path, CONTENT_TYPE), type, "must be a text");
    }
  }

  /** Returns a sentence on each field that is accepted and has no effect. */
  static List<String> ignored(JsonNode document) {
    List<String> ignored = new ArrayList<>();
    JsonNode http = document.path(SNS);
    noteContentType(REQUEST, document.path(REQUEST), ignored);
    noteContentType(SNS + "." + ofHttp(REQUEST), http.path(ofHttp(REQUEST)), ignored);
    return ignored;
  }

  private static void noteContentType(String path, JsonNode request, List<String> ignored) {
    if (request.has(CONTENT_TYPE)) {
      ignored.add(
          path
              + "."
              + CONTENT_TYPE
              + " is ignored: an endpoint is told the content type that each message was published"
              + " with.");
    }
  }

  /** Returns a section's name as it is inside {@code http}. */
  private static String ofHttp(String name) {
    return "default" + capital(name);
  }

  private void readRate(String path, JsonNode object) {
    JsonNode value = object.get(RATE);
    if (value == null) {
      return;
    }
    String ownPath = Checks.join(path, RATE);
    if (rateFoundAt != null) {
      checks.complain(
          ownPath, value, "must be given once, and is given at " + rateFoundAt + " too");
      return;
    }
    rateFoundAt = ownPath;
    Integer rate = checks.whole(ownPath, value, 1, Integer.MAX_VALUE, "must be at least 1");
    if (rate != null) {
      throttle = new ThrottlePolicy(rate);
    }
  }

  /** Passes over what SNS still writes and nobody may use; returns the names to pass over. */
  private List<String> checkMeaningless(String path, JsonNode section) {
    List<String> present = MEANINGLESS.keySet().stream().filter(section::has).sorted().toList();
    for (String name : present) {
      JsonNode value = section.get(name);
      String onlyValue = MEANINGLESS.get(name);
      if (!value.toString().equals(onlyValue)) {
        checks.complain(Checks.join(path, name), value, "is not supported: must be " + onlyValue);
      }
    }
    return present;
  }

  private NotificationPolicy policy(
      @Nullable HealthyRetryPolicy retry, boolean disableSubscriptionOverrides) {
    return new NotificationPolicy(retry, throttle, disableSubscriptionOverrides);
  }

  private NotificationPolicy finish(NotificationPolicy policy) {
    PolicyException.throwIfAny(checks);
    return policy;
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
