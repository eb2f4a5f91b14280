package dev.reprise.cli.apply;

import dev.reprise.cli.base.Json;
import dev.reprise.common.text.HarmlessText;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One change at the service.
 *
 * @param kind of change
 * @param what is changed: {@code topic}, {@code subscription}, {@code carrier} or {@code project}
 * @param name of the thing, as lines show it
 * @param details a phrase for each setting that changes, or for what is lost
 * @param request makes the change, and returns the service's answer
 */
record PlannedChange(Kind kind, String what, String name, List<String> details, Request request) {
  /** The kinds of change, with the signs of their lines. */
  enum Kind {
    ADD("+", "add"),
    CHANGE("~", "change"),
    DELETE("-", "delete");

    private final String sign;
    private final String word;

    Kind(String sign, String word) {
      this.sign = sign;
      this.word = word;
    }
  }

  /** The request that makes a change. */
  interface Request {
    JsonNode send();
  }

  /** Returns the change as a line: {@code ~ topic orders: policy …}. */
  String line() {
    String more = details.isEmpty() ? "" : ": " + String.join(", ", details);
    return HarmlessText.visible(kind.sign + " " + what + " " + name + more);
  }

  ObjectNode toJson() {
    ObjectNode json = Json.object().put("change", kind.word).put("kind", what).put("name", name);
    ArrayNode lines = json.putArray("details");
    details.forEach(lines::add);
    return json;
  }
}
