package dev.reprise.server.http;

import dev.reprise.delivery.catalog.ProjectCatalog;
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
 * @param known the parameters that the query may have, as the operation's description names them
 * @param headers the request's headers
 * @param body the body; empty without one
 * @param permit the part of the service that exists for it
 */
public record Call(
    Map<String, String> path,
    MultiMap parameters,
    List<String> known,
    MultiMap headers,
    byte[] body,
    Permit permit) {
  public String path(String name) {
    String value = path.get(name);
    if (value == null) {
      throw new IllegalStateException("the route has no variable " + name);
    }
    return value;
  }

  /**
   * The topics and subscriptions that exist for the caller. Operations look them up here and
   * nowhere else, so that those of other projects are not found.
   */
  public ProjectCatalog catalog() {
    return permit.catalog();
  }

  /** The project that the request is about. */
  public Project project() {
    return permit.existing();
  }

  /** The sender of the request. */
  public Caller caller() {
    return permit.caller();
  }

  /** Returns true if an operator has named no project. */
  public boolean everything() {
    return permit.everything();
  }

  public @Nullable String header(String name) {
    return headers.get(name);
  }

  /**
   * The query, which may have no parameters but those that the operation describes.
   *
   * @param repeatable those that may be given several times
   */
  public Query query(String... repeatable) {
    return new Query(parameters, known, Arrays.asList(repeatable));
  }

  /** The body as JSON. */
  public JsonNode json() {
    return StrictJson.read(body);
  }

  /** The body as a JSON object with these fields only; no body is an empty object. */
  public JsonNode object(String... known) {
    JsonNode document = body.length == 0 ? JsonNodeFactory.instance.objectNode() : json();
    RequestFields.check(document, "body", Arrays.asList(known));
    return document;
  }
}
