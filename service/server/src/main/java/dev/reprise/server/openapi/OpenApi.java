package dev.reprise.server.openapi;

import dev.reprise.server.http.Description;
import dev.reprise.server.http.Refusal;
import dev.reprise.server.http.Route;
import dev.reprise.server.proxy.PublicUrl;
import dev.reprise.server.schema.Components;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Describes the API in OpenAPI 3.1, operation by operation. */
public final class OpenApi {
  private static final String SCHEMAS = "#/components/schemas/";

  private final Components schemas = new Components();
  private final JsonNode examples = resource("examples.json");

  private OpenApi() {}

  /** Returns the description of what the routes serve, as JSON in UTF-8. */
  public static byte[] of(List<Route> routes) {
    return of(routes, PublicUrl.NONE);
  }

  /** The same for clients that reach the service at its public URL, if it has one. */
  public static byte[] of(List<Route> routes, PublicUrl publicUrl) {
    ObjectNode document = new OpenApi().describe(routes);
    String server = publicUrl.toString();
    if (!server.isEmpty()) {
      // Paths are put behind it, and begin with a slash.
      document
          .putArray("servers")
          .addObject()
          .put("url", server.substring(0, server.length() - 1))
          .put("description", "This service.");
    }
    return JsonMapper.shared().writeValueAsBytes(document);
  }

  private ObjectNode describe(List<Route> routes) {
    // Title, servers and tags, which no code knows.
    ObjectNode document = resource("frame.json");
    ObjectNode paths = document.putObject("paths");
    for (Route route : routes) {
      ObjectNode path = paths.withObject("/" + escaped(route.pattern()));
      String method = route.method().toLowerCase(Locale.ROOT);
      if (!path.has(method)) {
        path.set(method, operation(route));
      }
    }
    SharedSchemas.UNREFERENCED.forEach(schema -> schema.in(schemas));
    ObjectNode components = document.withObject("components");
    ObjectNode responses = components.putObject("responses");
    for (Refusal each : Refusal.values()) {
      ObjectNode response = responses.putObject(each.wireName()).put("description", each.text());
      response
          .putObject("content")
          .putObject(Route.JSON)
          .set("schema", SharedSchemas.ERROR_ANSWER.in(schemas));
    }
    components.set("schemas", schemas.toJson());
    return document;
  }

  private static String escaped(String pattern) {
    return pattern.replace("~", "~0").replace("/", "~1");
  }

  private ObjectNode operation(Route route) {
    if (route.description() == Description.NONE) {
      throw new IllegalStateException(
          route.method() + " " + route.pattern() + " has no description");
    }
    ObjectNode operation = route.description().in(schemas);
    if (route.access() == Route.Access.OPEN) {
      operation.putArray("security");
    } else {
      operation.put("x-scope", route.access().name().toLowerCase(Locale.ROOT));
      Refusal.INVALID.addTo(operation);
      Refusal.UNAUTHORIZED.addTo(operation);
      Refusal.FORBIDDEN.addTo(operation);
      Refusal.UNAVAILABLE.addTo(operation);
    }
    if (!route.mediaType().isEmpty()) {
      Refusal.MEDIA_TYPE.addTo(operation);
    }
    inOrder((ObjectNode) operation.get("responses"));
    String id = route.description().operationId();
    addExamples(id + " request", operation.path("requestBody"));
    operation
        .get("responses")
        .forEachEntry((status, response) -> addExamples(id + " " + status, response));
    return operation;
  }

  private static void inOrder(ObjectNode responses) {
    Map<String, JsonNode> byStatus = new TreeMap<>();
    responses.forEachEntry(byStatus::put);
    responses.removeAll();
    byStatus.forEach(responses::set);
  }

  private void addExamples(String place, JsonNode body) {
    body.path("content")
        .forEachEntry(
            (mediaType, content) -> {
              JsonNode example = example(place, mediaType, content.get("schema"));
              if (example != null) {
                ((ObjectNode) content).set("example", example);
              }
            });
  }

  /** Returns the example for this place, or else the one for the schema; null without either. */
  private @Nullable JsonNode example(String place, String mediaType, JsonNode schema) {
    JsonNode own = examples.get(mediaType.equals(Route.JSON) ? place : place + " " + mediaType);
    JsonNode reference = schema.get("$ref");
    // An example of what goes well is none of a refusal.
    return own != null || reference == null || place.matches(".* [45][0-9]{2}")
        ? own
        : examples.get(reference.asString().substring(SCHEMAS.length()));
  }

  private static ObjectNode resource(String name) {
    try (InputStream in = OpenApi.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is not in the jar");
      }
      return (ObjectNode) JsonMapper.shared().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
