package dev.reprise.delivery;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
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
 * one of its values has to fit.
 *
 * <p>A filter takes about as much memory as its text has bytes, whatever its conditions are: it
 * keeps the text, one interval for each {@code numeric}, and values packed. Immutable and safe for
 * use by many threads.
 */
public final class AttributeFilter {
  /**
   * The most conditions in one filter, because matching is done for each publish. Each value of an
   * {@code anything-but} and each comparison of a {@code numeric} is one.
   */
  public static final int MAX_CONDITIONS = 150;

  /** The filter that every message passes. */
  public static final AttributeFilter ALL = new AttributeFilter("{}".getBytes(UTF_8), List.of(), 0);

  /** So many characters of a prefix or suffix are compared in about the time of one condition. */
  private static final int CHARACTERS_PER_CONDITION = 16;

  private static final int SHOWN_CHARACTERS = 200;

  private static final JsonMapper EXACT =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  /** The document as text: a tree takes many times the memory. */
  private final byte[] document;

  private final List<Field> fields;
  private final long weight;

  /**
   * The condition on one attribute; {@code operands} is the number of comparisons that were
   * written.
   */
  private record Field(String attribute, Values values, List<Condition> anyOf, int operands) {}

  /** A condition on an attribute. */
  sealed interface Condition {
    /** {@code value} is null if the attribute is absent. */
    boolean holds(@Nullable JsonNode value);

    /** Returns the number of comparisons that it was written with. */
    int operands();

    /** About how many values are compared with at the most. */
    default long weight() {
      return 1;
    }
  }

  record Prefix(String prefix) implements Condition {
    @Override
    public boolean holds(@Nullable JsonNode value) {
      return value != null && value.isString() && value.stringValue().startsWith(prefix);
    }

    @Override
    public int operands() {
      return 1;
    }

    @Override
    public long weight() {
      return 1L + prefix.length() / CHARACTERS_PER_CONDITION;
    }
  }

  record Suffix(String suffix) implements Condition {
    @Override
    public boolean holds(@Nullable JsonNode value) {
      return value != null && value.isString() && value.stringValue().endsWith(suffix);
    }

    @Override
    public int operands() {
      return 1;
    }

    @Override
    public long weight() {
      return 1L + suffix.length() / CHARACTERS_PER_CONDITION;
    }
  }

  record Exists(boolean wanted) implements Condition {
    @Override
    public boolean holds(@Nullable JsonNode value) {
      return (value != null) == wanted;
    }

    @Override
    public int operands() {
      return 1;
    }
  }

  record AnythingBut(Values excluded, int operands) implements Condition {
    @Override
    public boolean holds(@Nullable JsonNode value) {
      return value != null && !excluded.contain(value);
    }
  }

  /**
   * The numbers that all comparisons of a {@code numeric} leave.
   *
   * @param low the lower bound; null for none
   * @param lowIncluded whether the lower bound is one of them
   * @param high the upper bound; null for none
   * @param highIncluded whether the upper bound is one of them
   */
  record Interval(
      @Nullable BigDecimal low,
      boolean lowIncluded,
      @Nullable BigDecimal high,
      boolean highIncluded,
      int operands)
      implements Condition {
    static final Interval EVERYTHING = new Interval(null, true, null, true, 0);

    @Override
    public boolean holds(@Nullable JsonNode value) {
      BigDecimal number = value == null ? null : finite(value);
      if (number == null) {
        return false;
      }
      int overLow = low == null ? 1 : number.compareTo(low);
      int underHigh = high == null ? 1 : high.compareTo(number);
      return (overLow > 0 || (overLow == 0 && lowIncluded))
          && (underHigh > 0 || (underHigh == 0 && highIncluded));
    }

    Interval from(BigDecimal bound, boolean included) {
      int order = low == null ? 1 : bound.compareTo(low);
      return order < 0
          ? new Interval(low, lowIncluded, high, highIncluded, operands + 1)
          : new Interval(
              bound, included && (order > 0 || lowIncluded), high, highIncluded, operands + 1);
    }

    Interval to(BigDecimal bound, boolean included) {
      int order = high == null ? -1 : bound.compareTo(high);
      return order > 0
          ? new Interval(low, lowIncluded, high, highIncluded, operands + 1)
          : new Interval(
              low, lowIncluded, bound, included && (order < 0 || highIncluded), operands + 1);
    }

    /** Both bounds at once, counted once. */
    Interval at(BigDecimal bound) {
      Interval both = from(bound, true).to(bound, true);
      return new Interval(both.low, both.lowIncluded, both.high, both.highIncluded, operands + 1);
    }
  }

  /** A set of JSON values. Numbers are the same if their values are: 1 and 1.0. */
  record Values(PackedValues strings, PackedValues others) {
    static Values of(List<JsonNode> nodes) {
      return new Values(
          new PackedValues(
              nodes.stream().filter(JsonNode::isString).map(JsonNode::stringValue).toList()),
          new PackedValues(
              nodes.stream().filter(node -> !node.isString()).map(Values::text).toList()));
    }

    boolean contain(JsonNode value) {
      if (value.isString()) {
        return strings.size() > 0 && strings.contains(value.stringValue());
      }
      return others.size() > 0 && value.isValueNode() && others.contains(text(value));
    }

    private static String text(JsonNode node) {
      BigDecimal number = finite(node);
      return number == null ? node.toString() : number.stripTrailingZeros().toString();
    }

    int held() {
      return strings.held() + others.held();
    }
  }

  private AttributeFilter(byte[] document, List<Field> fields, long weight) {
    this.document = document;
    this.fields = fields;
    this.weight = weight;
  }

  /**
   * Reads a filter.
   *
   * @throws IllegalArgumentException naming the field, the value and the rule
   */
  public static AttributeFilter of(JsonNode document) {
    AttributeFilter filter = stored(document);
    long conditions = filter.fields.stream().mapToLong(Field::operands).sum();
    if (conditions > MAX_CONDITIONS) {
      throw new IllegalArgumentException(
          "filter has " + conditions + " conditions: must have at most " + MAX_CONDITIONS);
    }
    requireFinite("filter", document);
    return filter;
  }

  /** A number like 1e999 would not be the same number when it is read again. */
  private static void requireFinite(String path, JsonNode node) {
    if (node.isNumber() && finite(node) == null) {
      throw wrong(path, node, "must be a finite number");
    }
    if (node.isArray()) {
      for (int i = 0; i < node.size(); i++) {
        requireFinite(path + "[" + i + "]", node.get(i));
      }
    }
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      requireFinite(path + "." + field.getKey(), field.getValue());
    }
  }

  /**
   * Reads a filter that was accepted once, perhaps when more conditions were allowed.
   *
   * @throws IllegalArgumentException naming the field, the value and the rule
   */
  public static AttributeFilter stored(JsonNode document) {
    if (!document.isObject()) {
      throw wrong("filter", document, "must be an object of attribute names and lists");
    }
    List<Field> fields = new ArrayList<>();
    long weight = 0;
    for (Map.Entry<String, JsonNode> entry : document.properties()) {
      String path = "filter." + entry.getKey();
      JsonNode list = entry.getValue();
      if (!list.isArray() || list.isEmpty()) {
        throw wrong(path, list, "must be a list of at least one condition");
      }
      List<JsonNode> values = new ArrayList<>();
      List<Condition> anyOf = new ArrayList<>();
      int operands = 0;
      for (int i = 0; i < list.size(); i++) {
        JsonNode one = list.get(i);
        if (one.isValueNode()) {
          values.add(one);
          operands++;
        } else {
          Condition condition = condition(path + "[" + i + "]", one);
          anyOf.add(condition);
          operands += condition.operands();
        }
      }
      weight += 1 + anyOf.stream().mapToLong(Condition::weight).sum();
      fields.add(new Field(entry.getKey(), Values.of(values), List.copyOf(anyOf), operands));
    }
    return fields.isEmpty()
        ? ALL
        : new AttributeFilter(document.toString().getBytes(UTF_8), List.copyOf(fields), weight);
  }

  /** The filter as it was written. */
  public JsonNode document() {
    return EXACT.readTree(document);
  }

  /** Whether every message passes. */
  public boolean isAll() {
    return fields.isEmpty();
  }

  /** Returns the work of matching one value, in comparisons. */
  public long weight() {
    return weight;
  }

  /** Returns the bytes, characters and numbers that it holds, besides a few for each condition. */
  long held() {
    long sum = document.length;
    for (Field field : fields) {
      sum += field.values().held();
      for (Condition condition : field.anyOf()) {
        sum += condition instanceof AnythingBut but ? but.excluded().held() : condition.weight();
      }
    }
    return sum;
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
    if (value != null && field.values().contain(value)) {
      return true;
    }
    for (Condition condition : field.anyOf()) {
      if (condition.holds(value)) {
        return true;
      }
    }
    return false;
  }

  private static Condition condition(String path, JsonNode node) {
    if (!node.isObject() || node.size() != 1) {
      throw wrong(path, node, "must be a value or an object with one operator");
    }
    Map.Entry<String, JsonNode> entry = node.properties().iterator().next();
    JsonNode operand = entry.getValue();
    String at = path + "." + entry.getKey();
    return switch (entry.getKey()) {
      case "prefix" -> new Prefix(string(at, operand));
      case "suffix" -> new Suffix(string(at, operand));
      case "exists" -> {
        if (!operand.isBoolean()) {
          throw wrong(at, operand, "must be true or false");
        }
        yield new Exists(operand.booleanValue());
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
    return new AnythingBut(Values.of(excluded), excluded.size());
  }

  private static Condition numeric(String path, JsonNode operand) {
    if (!operand.isArray() || operand.isEmpty() || operand.size() % 2 != 0) {
      throw wrong(path, operand, "must be a list of comparisons and numbers, such as [\">=\", 10]");
    }
    Interval left = Interval.EVERYTHING;
    for (int i = 0; i < operand.size(); i += 2) {
      left = compared(left, path + "[" + i + "]", operand.get(i), operand.get(i + 1));
    }
    return left;
  }

  private static Interval compared(Interval left, String path, JsonNode operator, JsonNode number) {
    BigDecimal bound = finite(number);
    if (bound == null) {
      throw wrong(path, number, "must be followed by a finite number");
    }
    return switch (string(path, operator)) {
      case "<" -> left.to(bound, false);
      case "<=" -> left.to(bound, true);
      case "=" -> left.at(bound);
      case ">=" -> left.from(bound, true);
      case ">" -> left.from(bound, false);
      default -> throw wrong(path, operator, "must be one of < <= = >= >");
    };
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
    String text = value.toString();
    String shown =
        text.length() <= SHOWN_CHARACTERS ? text : text.substring(0, SHOWN_CHARACTERS) + "…";
    return new IllegalArgumentException(path + " is " + shown + ": " + rule);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof AttributeFilter filter && Arrays.equals(document, filter.document);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(document);
  }

  @Override
  public String toString() {
    return new String(document, UTF_8);
  }
}
