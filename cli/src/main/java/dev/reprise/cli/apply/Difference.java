package dev.reprise.cli.apply;

import dev.reprise.common.text.HarmlessText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** The differences between two trees, of which numbers are equal if their values are. */
final class Difference {
  private static final int SHOWN = 60;

  /** The values of these are not shown. */
  private static final List<String> HIDDEN = List.of("http.headers", "http.tokenParameters");

  /** Says 0 for equal scalars, and anything else for others. */
  private static final Comparator<JsonNode> SCALARS =
      (a, b) -> {
        if (a.isNumber() && b.isNumber()) {
          return a.decimalValue().compareTo(b.decimalValue());
        }
        return a.equals(b) ? 0 : 1;
      };

  private Difference() {}

  static boolean equal(JsonNode a, JsonNode b) {
    return a.equals(SCALARS, b);
  }

  /** Returns the names of the fields that differ; a field that is null counts as absent. */
  static List<String> fields(JsonNode before, JsonNode after) {
    Set<String> names = new LinkedHashSet<>(before.propertyNames());
    names.addAll(after.propertyNames());
    return names.stream().filter(name -> !equal(field(before, name), field(after, name))).toList();
  }

  /** Returns a line such as {@code maxInFlight 64 -> 100} for each place where trees differ. */
  static List<String> lines(String path, JsonNode before, JsonNode after) {
    List<String> lines = new ArrayList<>();
    collect(path, before, after, lines);
    return lines;
  }

  private static void collect(String path, JsonNode before, JsonNode after, List<String> lines) {
    if (equal(before, after)) {
      return;
    }
    if (before.isObject() && after.isObject() && !isSecret(before) && !isSecret(after)) {
      for (String name : fields(before, after)) {
        String below = path.isEmpty() ? name : path + "." + name;
        collect(below, field(before, name), field(after, name), lines);
      }
      return;
    }
    // As in the messages of the service: they may hold a key.
    boolean isHidden = HIDDEN.stream().anyMatch(path::startsWith);
    lines.add(isHidden ? path + " changes" : path + " " + shown(before) + " -> " + shown(after));
  }

  private static JsonNode field(JsonNode object, String name) {
    JsonNode value = object.get(name);
    return value == null ? JsonNodeFactory.instance.nullNode() : value;
  }

  private static boolean isSecret(JsonNode value) {
    // Labels of a subscription may have this key as well, with a text.
    JsonNode set = value.path("set");
    return set.isBoolean() && set.booleanValue();
  }

  private static String shown(JsonNode value) {
    if (value.isNull()) {
      return "none";
    }
    if (isSecret(value)) {
      return "set";
    }
    String text = value.isString() ? value.stringValue() : value.toString();
    return HarmlessText.fitted(HarmlessText.visible(text), SHOWN);
  }
}
