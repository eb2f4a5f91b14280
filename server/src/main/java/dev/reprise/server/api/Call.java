package dev.reprise.server.api;

import io.vertx.core.MultiMap;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/**
 * A request that has arrived as a whole.
 *
 * @param path the variable parts of the path by name
 * @param parameters the query as it came
 * @param headers the request's headers
 * @param body the body; empty without one
 */
record Call(Map<String, String> path, MultiMap parameters, MultiMap headers, byte[] body) {
  String path(String name) {
    String value = path.get(name);
    if (value == null) {
      throw new IllegalStateException("the route has no variable " + name);
    }
    return value;
  }

  @Nullable String header(String name) {
    return headers.get(name);
  }

  /** The query, which may hold these parameters only. */
  Query query(String... known) {
    return new Query(parameters, List.of(known));
  }

  /** The body as JSON. */
  JsonNode json() {
    return StrictJson.read(body);
  }

  /** The body as a JSON object with these fields only; no body is an empty object. */
  JsonNode object(String... known) {
    JsonNode document = body.length == 0 ? JsonNodeFactory.instance.objectNode() : json();
    Fields.check(document, "body", Arrays.asList(known));
    return document;
  }
}
