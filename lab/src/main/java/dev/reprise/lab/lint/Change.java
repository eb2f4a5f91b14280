package dev.reprise.lab.lint;

import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.StrategyPolicy;
import dev.reprise.policy.document.Checks;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A new value for a field of the policy's document, in the general format. For a notification
 * policy, whose own format has no such fields, it is a whole document of the general format.
 *
 * @param field the path of the field, such as {@code backoff.jitter}; empty for the whole document
 * @param value the new value, as JSON
 */
public record Change(String field, String value) {
  /** Returns the smallest part of the document by which two policies differ. */
  static Change between(StrategyPolicy policy, StrategyPolicy mended) {
    String path = "";
    JsonNode before = PolicyDocuments.write(policy);
    JsonNode after = PolicyDocuments.write(mended);
    while (before instanceof ObjectNode old && after instanceof ObjectNode fresh) {
      List<String> differing = differing(old, fresh);
      boolean takesAway = differing.stream().anyMatch(field -> !fresh.has(field));
      if (differing.size() != 1 || takesAway) {
        break;
      }
      String field = differing.get(0);
      path = path.isEmpty() ? field : path + "." + field;
      before = old.path(field);
      after = fresh.get(field);
    }
    return new Change(path, after.toString());
  }

  /** Returns the same change as the whole document that the policy becomes by it. */
  Change whole(StrategyPolicy policy) {
    if (field.isEmpty()) {
      return this;
    }
    ObjectNode document = PolicyDocuments.write(policy);
    ObjectNode parent = document;
    int last = field.lastIndexOf('.');
    if (last > 0) {
      for (String step : field.substring(0, last).split("\\.", -1)) {
        parent = (ObjectNode) parent.path(step);
      }
    }
    parent.set(
        field.substring(last + 1), Objects.requireNonNull(new Checks().json(field, value), field));
    return new Change("", document.toString());
  }

  private static List<String> differing(ObjectNode old, ObjectNode fresh) {
    List<String> fields = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : fresh.properties()) {
      if (!field.getValue().equals(old.get(field.getKey()))) {
        fields.add(field.getKey());
      }
    }
    for (Map.Entry<String, JsonNode> field : old.properties()) {
      // A value that follows from another field may stay as it is.
      if (!fresh.has(field.getKey()) && !field.getKey().equals("throttleBackoff")) {
        fields.add(field.getKey());
      }
    }
    return fields;
  }
}
