package dev.reprise.server.api;

import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A part of a list, and where it goes on. */
final class Listing {
  private Listing() {}

  static Answer answer(List<? extends JsonNode> items, @Nullable String next) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    ArrayNode list = body.putArray("items");
    items.forEach(list::add);
    body.put("next", next);
    return Answer.json(200, body);
  }
}
