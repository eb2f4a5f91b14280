package dev.reprise.delivery.catalog;

import dev.reprise.common.text.HarmlessText;
import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Codec;
import dev.reprise.policy.document.Violation;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The kinds of value of a {@link Labelling}. */
final class LabellingCodecs {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final String HARMLESS =
      " characters, none of which is a control character or changes how others are shown";

  private LabellingCodecs() {}

  /**
   * Returns the texts of one line.
   *
   * @param most the most characters; at least one is needed
   * @param judged whether the rules are checked; what is stored was accepted once
   */
  static Codec<String> text(int most, boolean judged) {
    Codec<String> any = CatalogCodecs.text("must be a text of 1 to " + most + HARMLESS);
    return new Codec<>(
        any.type(),
        any.rule(),
        (checks, path, value) -> {
          String read = any.reader().read(checks, path, value);
          if (read == null || !judged || (!read.isEmpty() && fits(read, most))) {
            return read;
          }
          checks.add(new Violation(path, value.toString(), any.rule()));
          return null;
        },
        any.writer(),
        any.schema().put("minLength", 1).put("maxLength", most));
  }

  /**
   * Returns the labels.
   *
   * @param judged whether the rules are checked; what is stored was accepted once
   */
  static Codec<Map<String, String>> labels(boolean judged) {
    String rule = "must be an object of at most " + Labelling.MAX_LABELS + " labels";
    ObjectNode schema =
        JSON.objectNode().put("type", "object").put("maxProperties", Labelling.MAX_LABELS);
    // Whole and not only somewhere in the key, as a schema reads a pattern.
    schema.putObject("propertyNames").put("pattern", "^" + Labelling.KEY.pattern() + "$");
    schema
        .putObject("additionalProperties")
        .put("type", "string")
        .put("maxLength", Labelling.MAX_VALUE);
    return new Codec<>(
        "object of texts",
        rule,
        (checks, path, value) -> {
          if (!value.isObject()) {
            checks.add(new Violation(path, value.toString(), rule));
            return null;
          }
          if (judged && value.size() > Labelling.MAX_LABELS) {
            checks.add(new Violation(path, value.size() + " labels", rule));
            return null;
          }
          return read(checks, path, value, judged);
        },
        labels -> {
          ObjectNode written = JSON.objectNode();
          labels.forEach(written::put);
          return written;
        },
        schema);
  }

  private static @Nullable Map<String, String> read(
      Checks checks, String path, JsonNode value, boolean judged) {
    Map<String, String> labels = new LinkedHashMap<>();
    int before = checks.count();
    for (Map.Entry<String, JsonNode> label : value.properties()) {
      String key = label.getKey();
      JsonNode text = label.getValue();
      if (judged && !Labelling.KEY.matcher(key).matches()) {
        checks.add(
            new Violation(
                path,
                JSON.stringNode(key).toString(),
                "must have keys of 1 to "
                    + Labelling.MAX_KEY
                    + " of the characters A-Z a-z 0-9 . _ - /"));
      } else if (judged && !(text.isString() && fits(text.stringValue(), Labelling.MAX_VALUE))) {
        checks.add(
            new Violation(
                Checks.join(path, key),
                text.toString(),
                "must be a text of at most " + Labelling.MAX_VALUE + HARMLESS));
      } else {
        labels.put(key, text.asString(""));
      }
    }
    return checks.count() > before ? null : labels;
  }

  private static boolean fits(String text, int most) {
    return text.codePointCount(0, text.length()) <= most
        && text.codePoints().noneMatch(HarmlessText::isHarmful);
  }
}
