package dev.reprise.policy;

import dev.reprise.core.backoff.AtCap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The types of backoff that a document can name, and the fields of each. */
enum BackoffType {
  NONE,
  FIXED,
  LINEAR,
  EXPONENTIAL,
  EXPONENTIAL_WITH_JITTER,
  TRUNCATED_EXPONENTIAL,
  DECORRELATED_JITTER,
  STAGED;

  static final String TYPE = "type";
  static final String CAP = "cap";
  static final String JITTER = "jitter";
  static final String NO_JITTER = "none";
  static final String FULL = "full";
  static final String EQUAL = "equal";
  static final String AT_CAP = "atCap";
  static final String RETRIES = "retries";
  static final String THEN = "then";

  String wireName() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the names of all fields of the type. */
  List<String> fields() {
    List<String> fields = new ArrayList<>(List.of(TYPE));
    fields.addAll(ownFields());
    if (takesJitter()) {
      fields.add(JITTER);
    }
    fields.addAll(List.of(RETRIES, THEN));
    return fields;
  }

  private List<String> ownFields() {
    return switch (this) {
      case NONE -> List.of();
      case FIXED -> List.of("delay", CAP);
      case LINEAR -> List.of("base", "step", CAP);
      case EXPONENTIAL -> List.of("base", "factor", CAP);
      case EXPONENTIAL_WITH_JITTER ->
          List.of("interval", "minDelay", "maxDelay", "jitterDown", "jitterUp", AT_CAP);
      case TRUNCATED_EXPONENTIAL -> List.of("maximumBackoff", AT_CAP);
      case DECORRELATED_JITTER -> List.of("base", CAP);
      case STAGED ->
          List.of(
              "noDelayRetries",
              "minDelayRetries",
              "backoffRetries",
              "maxDelayRetries",
              "minDelay",
              "maxDelay",
              "function",
              CAP);
    };
  }

  /** Returns false where the formula has jitter of its own, or nothing to vary. */
  boolean takesJitter() {
    return switch (this) {
      case FIXED, LINEAR, EXPONENTIAL, STAGED -> true;
      case NONE, EXPONENTIAL_WITH_JITTER, TRUNCATED_EXPONENTIAL, DECORRELATED_JITTER -> false;
    };
  }

  static @Nullable BackoffType read(String name) {
    return Arrays.stream(values()).filter(t -> t.wireName().equals(name)).findFirst().orElse(null);
  }

  /** Returns the type of a backoff that is written. */
  static BackoffType of(ObjectNode written) {
    String name = written.get(TYPE).stringValue();
    BackoffType type = read(name);
    if (type == null) {
      throw new IllegalStateException("type is " + name + ": is not known");
    }
    return type;
  }

  static String all() {
    return Arrays.stream(values()).map(BackoffType::wireName).collect(Collectors.joining(", "));
  }

  static @Nullable AtCap atCap(String name) {
    return Arrays.stream(AtCap.values())
        .filter(value -> wireName(value).equals(name))
        .findFirst()
        .orElse(null);
  }

  static String wireName(AtCap atCap) {
    return atCap.name().toLowerCase(Locale.ROOT);
  }
}
