package dev.reprise.spring;

import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.PolicyException;
import dev.reprise.policy.document.JsonFault;
import dev.reprise.spring.RepriseProperties.NamedRetry;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads the policy that properties describe: they are put together to a policy document, so that
 * the rules of documents hold for properties too.
 */
final class PropertiesPolicy {
  static final String PREFIX = "reprise.retry.";
  private static final String DEFAULT_PRESET = "reprise-default";
  private static final JsonMapper JSON = JsonFault.strictMapper();
  private static final Pattern FIELD = Pattern.compile("[.\\[]");
  private static final Pattern DASH = Pattern.compile("-([a-z0-9])");
  private static final Pattern UPPER_CASE = Pattern.compile("([A-Z])");
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]+(\\.[0-9]+)?");

  private PropertiesPolicy() {}

  /**
   * Returns the policy.
   *
   * @throws RetryPropertyException when a property breaks a rule; it names all that do
   */
  static Policy read(String name, NamedRetry properties) {
    if (!ConfigurationPropertyName.isValid(name) || name.contains(".")) {
      throw new RetryPropertyException(
          "reprise.retry",
          "the name \"" + name + "\"",
          "must be of lower-case letters, digits and dashes, and begin with a letter or digit");
    }
    Map<String, Object> fields = fields(properties);
    String policy = properties.policy();
    try {
      if (fields.isEmpty() && policy != null) {
        return PolicyDocuments.read(policy);
      }
      ObjectNode document = baseDocument(name, policy);
      fields.forEach((field, value) -> document.set(field, node(value)));
      return PolicyDocuments.read(document);
    } catch (PolicyException e) {
      throw new RetryPropertyException(
          e.violations().stream()
              .map(
                  violation ->
                      property(name, policy, fields, violation.path())
                          + " is "
                          + violation.value()
                          + ": "
                          + violation.rule())
              .toList(),
          e);
    }
  }

  /** Returns the property that a field of the document came from, as its author wrote it. */
  private static String property(
      String name, @Nullable String policy, Map<String, Object> fields, String path) {
    String field = FIELD.split(path, 2)[0];
    if (fields.containsKey(field)) {
      return PREFIX + name + "." + kebab(path);
    }
    boolean isWhole = field.equals("policy") || !isDocument(policy);
    return PREFIX + name + ".policy" + (isWhole ? "" : ": " + path);
  }

  private static Map<String, Object> fields(NamedRetry properties) {
    Map<String, Object> fields = new LinkedHashMap<>();
    put(fields, "strategy", properties.strategy());
    put(fields, "maxAttempts", properties.maxAttempts());
    put(fields, "backoff", properties.backoff());
    put(fields, "throttleBackoff", properties.throttleBackoff());
    put(fields, "budget", properties.budget());
    put(fields, "hintCeiling", properties.hintCeiling());
    put(fields, "deadline", properties.deadline());
    put(fields, "attemptTimeout", properties.attemptTimeout());
    put(fields, "hedging", properties.hedging());
    put(fields, "idempotent", properties.idempotent());
    return fields;
  }

  private static void put(Map<String, Object> fields, String field, @Nullable Object value) {
    if (value != null) {
      fields.put(field, value);
    }
  }

  /** Returns the document whose fields the properties replace. */
  private static ObjectNode baseDocument(String name, @Nullable String policy) {
    if (policy == null || !isDocument(policy)) {
      return JSON.createObjectNode()
          .put("preset", policy == null ? DEFAULT_PRESET : policy.strip());
    }
    try {
      return (ObjectNode) JSON.readTree(policy);
    } catch (JacksonException e) {
      throw new RetryPropertyException(PREFIX + name + ".policy", "not readable", JsonFault.of(e));
    }
  }

  private static boolean isDocument(@Nullable String policy) {
    return policy != null && policy.strip().startsWith("{");
  }

  private static JsonNode node(Object value) {
    if (value instanceof Map<?, ?> map) {
      ObjectNode object = JSON.createObjectNode();
      map.forEach((key, field) -> object.set(camel(String.valueOf(key)), node(field)));
      return object;
    }
    // Values from a file of properties are always text, and documents coerce nothing.
    if (value instanceof String text) {
      return ofText(text.strip());
    }
    return JSON.valueToTree(value);
  }

  private static JsonNode ofText(String text) {
    if (text.equals("true") || text.equals("false")) {
      return JSON.getNodeFactory().booleanNode(Boolean.parseBoolean(text));
    }
    if (NUMBER.matcher(text).matches()) {
      BigDecimal number = new BigDecimal(text);
      return number.scale() == 0
          ? JSON.getNodeFactory().numberNode(number.toBigIntegerExact())
          : JSON.getNodeFactory().numberNode(number);
    }
    return JSON.getNodeFactory().stringNode(text);
  }

  static String camel(String kebab) {
    return DASH.matcher(kebab).replaceAll(found -> upper(found.group(1)));
  }

  private static String upper(String letter) {
    return letter.toUpperCase(Locale.ROOT);
  }

  static String kebab(String camel) {
    return UPPER_CASE
        .matcher(camel)
        .replaceAll(found -> "-" + found.group(1).toLowerCase(Locale.ROOT));
  }
}
