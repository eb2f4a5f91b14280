package dev.reprise.lab.scenario;

import dev.reprise.policy.document.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One field of a document and the values that it takes in turn.
 *
 * @param field its path, such as {@code fleet.failures[0].to}
 * @param values at least one
 */
record Sweep(String field, List<JsonNode> values) {
  private static final int MAX_VALUES = 1000;
  private static final Pattern STEP = Pattern.compile("([^.\\[\\]]+)((?:\\[[0-9]{1,4}\\])*)");
  private static final Pattern PATH =
      Pattern.compile("(?:policies|fleet|calls|contention)(?:\\." + STEP + ")+");

  /** Reads a sweep and checks that its field can be set; returns null when a rule is broken. */
  static @Nullable Sweep read(Checks checks, JsonNode document, JsonNode value) {
    Fields fields = Fields.of(checks, ScenarioReader.SWEEP, value, List.of("field", "values"));
    if (fields == null) {
      return null;
    }
    int before = checks.count();
    JsonNode path = fields.required("field", "must be the path of a field");
    JsonNode values = fields.required("values", "must be an array");
    if (path != null) {
      checkPath(checks, document, fields.at("field"), path);
    }
    if (values != null && (!values.isArray() || values.isEmpty() || values.size() > MAX_VALUES)) {
      checks.complain(
          fields.at("values"), values, "must be an array of 1 to " + MAX_VALUES + " values");
    }
    return checks.count() > before || path == null || values == null
        ? null
        : new Sweep(path.stringValue(), values.valueStream().toList());
  }

  private static void checkPath(Checks checks, JsonNode document, String at, JsonNode path) {
    if (!path.isString() || !PATH.matcher(path.stringValue()).matches()) {
      checks.complain(
          at,
          path,
          "must be the path of a field of the policies or the model, such as fleet.quota.rate");
      return;
    }
    List<Object> steps = steps(path.stringValue());
    JsonNode parent = document;
    String parentPath = "the scenario";
    for (int i = 0; i < steps.size(); i++) {
      boolean last = i == steps.size() - 1;
      Object step = steps.get(i);
      boolean settable =
          step instanceof Integer index
              ? parent.isArray() && index < parent.size()
              : parent.isObject() && (last || parent.has((String) step));
      if (!settable) {
        checks.complain(
            at, path, "must be in the document, and " + absence(parentPath, parent, step));
        return;
      }
      parent = step instanceof Integer index ? parent.path(index) : parent.path((String) step);
      parentPath = String.valueOf(step);
    }
  }

  /** Says what there is instead of a step of a path. */
  private static String absence(String parentPath, JsonNode parent, Object step) {
    if (!parent.isObject()) {
      return parentPath
          + (parent.isArray() ? " has no element " + step : " is written as one value");
    }
    return parentPath + " has no " + step + ", but " + String.join(", ", parent.propertyNames());
  }

  /** Returns the document with the value in the field's place. */
  JsonNode with(JsonNode document, JsonNode value) {
    JsonNode copy = document.deepCopy();
    List<Object> steps = steps(field);
    JsonNode parent = copy;
    for (Object step : steps.subList(0, steps.size() - 1)) {
      parent = step instanceof Integer index ? parent.path(index) : parent.path((String) step);
    }
    if (steps.get(steps.size() - 1) instanceof Integer index) {
      ((ArrayNode) parent).set(index, value);
    } else {
      ((ObjectNode) parent).set((String) steps.get(steps.size() - 1), value);
    }
    return copy;
  }

  /** Returns names of fields and numbers of elements, from the root to the field. */
  private static List<Object> steps(String path) {
    List<Object> steps = new ArrayList<>();
    Matcher matcher = STEP.matcher(path);
    while (matcher.find()) {
      steps.add(matcher.group(1));
      for (String index : matcher.group(2).split("\\D+", -1)) {
        if (!index.isEmpty()) {
          steps.add(Integer.parseInt(index));
        }
      }
    }
    return steps;
  }
}
