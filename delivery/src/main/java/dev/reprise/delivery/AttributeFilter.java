package dev.reprise.delivery;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Chooses messages by their attributes. A filter is a JSON object: each field names an attribute
 * and lists the conditions of which one must hold; all fields must hold.
 *
 * <pre>{@code
 * {"type": ["order.created", {"prefix": "invoice."}],
 *  "amount": [{"numeric": [">=", 100, "<", 500]}],
 *  "test": [{"exists": false}]}
 * }</pre>
 *
 * <p>A condition is a string, number, boolean or null to equal, or an object with one of {@code
 * prefix}, {@code suffix}, {@code anything-but} (a value or a list), {@code exists} (true or false)
 * and {@code numeric} (pairs of {@code < <= = > >=} and a number). Where an attribute is a list,
 * one of its values has to fit. Immutable and safe for use by many threads.
 */
public final class AttributeFilter {
  /** The most conditions in one filter: matching is done for each publish. */
  public static final int MAX_CONDITIONS = 150;

  /** The filter that every message passes. */
  public static final AttributeFilter ALL =
      new AttributeFilter(JsonMapper.shared().createObjectNode(), List.of());

  private final JsonNode document;
  private final List<Field> fields;

  private record Field(String attribute, List<Condition> anyOf) {}

  private interface Condition {
    /** {@code value} is null if the attribute is absent. */
    boolean holds(@Nullable JsonNode value);
  }

  private AttributeFilter(JsonNode document, List<Field> fields) {
    this.document = document;
    this.fields = fields;
  }

  /**
   * Reads a filter.
   *
   * @throws IllegalArgumentException naming the field, the value and the rule
   */
  public static AttributeFilter of(JsonNode document) {
    if (!document.isObject()) {
      throw wrong("filter", document, "must be an object of attribute names and lists");
    }
    List<Field> fields = new ArrayList<>();
    int conditions = 0;
    for (Map.Entry<String, JsonNode> entry : document.properties()) {
      String path = "filter." + entry.getKey();
      JsonNode list = entry.getValue();
      if (!list.isArray() || list.isEmpty()) {
        throw wrong(path, list, "must be a list of at least one condition");
      }
      List<Condition> anyOf = new ArrayList<>();
      for (int i = 0; i < list.size(); i++) {
        anyOf.add(condition(path + "[" + i + "]", list.get(i)));
      }
      conditions += anyOf.size();
      fields.add(new Field(entry.getKey(), anyOf));
    }
    if (conditions > MAX_CONDITIONS) {
      throw new IllegalArgumentException(
          "filter has " + conditions + " conditions: must have at most " + MAX_CONDITIONS);
    }
    return fields.isEmpty() ? ALL : new AttributeFilter(document, List.copyOf(fields));
  }

  /** The filter as it was written. */
  public JsonNode document() {
    return document;
  }

  /** Whether every message passes. */
  public boolean isAll() {
    return fields.isEmpty();
  }

  /** Whether a message with these attributes passes. {@code attributes} is an object. */
  public boolean matches(JsonNode attributes) {
    for (Field field : fields) {
      if (!matches(field, attributes.get(field.attribute()))) {
        return false;
      }
    }
    return true;
  }

  /** The same for stored attributes: a JSON object, or nothing if there are none. */
  public boolean matches(byte[] attributes) {
    if (isAll()) {
      return true;
    }
    try {
      return matches(
          attributes.length == 0
              ? JsonMapper.shared().createObjectNode()
              : JsonMapper.shared().readTree(attributes));
    } catch (JacksonException e) {
      throw new IllegalStateException("stored attributes are not JSON", e);
    }
  }

  private static boolean matches(Field field, @Nullable JsonNode value) {
    if (value == null || !value.isArray()) {
      return matchesOne(field, value);
    }
    for (JsonNode element : value) {
      if (matchesOne(field, element)) {
        return true;
      }
    }
    return false;
  }

  private static boolean matchesOne(Field field, @Nullable JsonNode value) {
    for (Condition condition : field.anyOf()) {
      if (condition.holds(value)) {
        return true;
      }
    }
    return false;
  }

  private static Condition condition(String path, JsonNode node) {
    if (node.isValueNode()) {
      return value -> value != null && same(value, node);
    }
    if (!node.isObject() || node.size() != 1) {
      throw wrong(path, node, "must be a value or an object with one operator");
    }
    Map.Entry<String, JsonNode> entry = node.properties().iterator().next();
    JsonNode operand = entry.getValue();
    String at = path + "." + entry.getKey();
    return switch (entry.getKey()) {
      case "prefix" -> {
        String prefix = string(at, operand);
        yield value -> value != null && value.isString() && value.stringValue().startsWith(prefix);
      }
      case "suffix" -> {
        String suffix = string(at, operand);
        yield value -> value != null && value.isString() && value.stringValue().endsWith(suffix);
      }
      case "exists" -> {
        if (!operand.isBoolean()) {
          throw wrong(at, operand, "must be true or false");
        }
        boolean wanted = operand.booleanValue();
        yield value -> (value != null) == wanted;
      }
      case "anything-but" -> anythingBut(at, operand);
      case "numeric" -> numeric(at, operand);
      default ->
          throw wrong(path, node, "must use prefix, suffix, anything-but, exists or numeric");
    };
  }

  private static Condition anythingBut(String path, JsonNode operand) {
    List<JsonNode> excluded = new ArrayList<>();
    if (operand.isArray()) {
      operand.forEach(excluded::add);
    } else {
      excluded.add(operand);
    }
    if (excluded.isEmpty() || !excluded.stream().allMatch(JsonNode::isValueNode)) {
      throw wrong(path, operand, "must be a value or a list of values");
    }
    return value -> value != null && excluded.stream().noneMatch(one -> same(value, one));
  }

  private static Condition numeric(String path, JsonNode operand) {
    if (!operand.isArray() || operand.isEmpty() || operand.size() % 2 != 0) {
      throw wrong(path, operand, "must be a list of comparisons and numbers, such as [\">=\", 10]");
    }
    List<Condition> all = new ArrayList<>();
    for (int i = 0; i < operand.size(); i += 2) {
      all.add(comparison(path + "[" + i + "]", operand.get(i), operand.get(i + 1)));
    }
    return value -> all.stream().allMatch(one -> one.holds(value));
  }

  private static Condition comparison(String path, JsonNode operator, JsonNode number) {
    BigDecimal bound = finite(number);
    if (bound == null) {
      throw wrong(path, number, "must be followed by a finite number");
    }
    String sign = string(path, operator);
    return switch (sign) {
      case "<" -> value -> compare(value, bound, -1, -1);
      case "<=" -> value -> compare(value, bound, -1, 0);
      case "=" -> value -> compare(value, bound, 0, 0);
      case ">=" -> value -> compare(value, bound, 0, 1);
      case ">" -> value -> compare(value, bound, 1, 1);
      default -> throw wrong(path, operator, "must be one of < <= = >= >");
    };
  }

  private static boolean compare(@Nullable JsonNode value, BigDecimal bound, int from, int to) {
    BigDecimal number = value == null ? null : finite(value);
    if (number == null) {
      return false;
    }
    int sign = Integer.signum(number.compareTo(bound));
    return sign >= from && sign <= to;
  }

  /** Numbers are the same if their values are: 1 and 1.0. */
  private static boolean same(JsonNode value, JsonNode wanted) {
    BigDecimal one = finite(value);
    BigDecimal other = finite(wanted);
    return (one != null && other != null) ? one.compareTo(other) == 0 : value.equals(wanted);
  }

  /** The number; null if it is none, or one like 1e999 that no double can hold. */
  private static @Nullable BigDecimal finite(JsonNode node) {
    return node.isNumber() && Double.isFinite(node.doubleValue(Double.NaN))
        ? node.decimalValue()
        : null;
  }

  private static String string(String path, JsonNode node) {
    if (!node.isString()) {
      throw wrong(path, node, "must be a string");
    }
    return node.stringValue();
  }

  private static IllegalArgumentException wrong(String path, JsonNode value, String rule) {
    return new IllegalArgumentException(path + " is " + value + ": " + rule);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AttributeFilter filter && document.equals(filter.document);
  }

  @Override
  public int hashCode() {
    return document.hashCode();
  }

  @Override
  public String toString() {
    return document.toString();
  }
}
