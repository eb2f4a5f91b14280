package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.openapi.OpenApi;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** The parameters and fields that /openapi.json describes are those that the service reads. */
@Tag("slow")
class DescribedRequestsTest {
  private static final String UNKNOWN = "no-such";
  private static final Pattern KNOWN =
      Pattern.compile("(?:fields are|parameters are|known here:) (.*)");

  private final JsonNode document = JsonMapper.shared().readTree(OpenApi.of(OpenApiTest.routes()));
  private RunningService api;

  @BeforeEach
  void start(@TempDir Path folder) {
    api = RunningService.dev(folder);
    api.put("/v1/topics/t", "{}");
    api.post("/v1/topics/t/subscriptions", "{\"endpoint\":\"http://127.0.0.1:1/\"}");
    api.post(
        "/v1/carriers",
        "{\"name\":\"c\",\"type\":\"scripted\",\"settings\":{\"addresses\":[\"a:1\"]}}");
    api.post("/v1/projects", "{\"name\":\"c\"}");
  }

  @AfterEach
  void stop() {
    api.close();
  }

  /** Returns the operations that need a key, by method and path with names of what there is. */
  private Map<String, JsonNode> operations() {
    Map<String, JsonNode> operations = new TreeMap<>();
    document
        .get("paths")
        .forEachEntry(
            (pattern, item) ->
                item.forEachEntry(
                    (method, operation) -> {
                      if (!operation.has("security")) {
                        operations.put(
                            method.toUpperCase(Locale.ROOT)
                                + " "
                                + pattern
                                    .replace("{topic}", "t")
                                    .replace("{id}", "t-1")
                                    .replace("{name}", "c")
                                    .replace("{kind}", "topic"),
                            operation);
                      }
                    }));
    assertThat(operations).hasSizeGreaterThan(60);
    return operations;
  }

  /** Returns the names that a refusal of an unknown one says are known. */
  private static List<String> known(JsonNode refused) {
    for (JsonNode each : refused.at("/error/violations")) {
      if (each.get("field").asString().equals(UNKNOWN)) {
        Matcher names = KNOWN.matcher(each.get("rule").asString());
        return names.find() ? List.of(names.group(1).split(", ")) : List.of();
      }
    }
    throw new AssertionError(UNKNOWN + " is not among the violations: " + refused);
  }

  @Test
  void parametersAreThoseOfTheQuery() {
    operations()
        .forEach(
            (name, operation) -> {
              String method = name.substring(0, name.indexOf(' '));
              JsonNode body = operation.path("requestBody").path("content");
              String mediaType = body.propertyNames().stream().findFirst().orElse("");
              Reply reply =
                  api.send(
                      method,
                      name.substring(method.length() + 1) + "?" + UNKNOWN + "=1",
                      mediaType.isEmpty() ? null : "{}",
                      mediaType);
              assertThat(reply.status()).as("%s: %s", name, reply.text()).isEqualTo(400);
              assertThat(known(reply.json()))
                  .as(name)
                  .containsExactlyElementsOf(
                      operation
                          .path("parameters")
                          .valueStream()
                          .filter(each -> each.get("in").asString().equals("query"))
                          .map(each -> each.get("name").asString())
                          .toList());
            });
  }

  @Test
  void fieldsAreThoseOfTheBody() {
    operations()
        .forEach(
            (name, operation) -> {
              JsonNode content = operation.at("/requestBody/content/application~1json");
              JsonNode schema = resolved(content.path("schema"));
              // Documents of policies and scenarios have schemas of their own.
              if (!schema.path("additionalProperties").asBoolean(true)) {
                String method = name.substring(0, name.indexOf(' '));
                ObjectNode body = (ObjectNode) content.get("example").deepCopy();
                body.put(UNKNOWN, 1);
                Reply reply =
                    api.send(
                        method,
                        name.substring(method.length() + 1),
                        body.toString(),
                        "application/json");
                assertThat(reply.status()).as("%s: %s", name, reply.text()).isEqualTo(400);
                assertThat(known(reply.json()))
                    .as("%s: %s", name, reply.text())
                    .containsExactlyInAnyOrderElementsOf(schema.get("properties").propertyNames());
              }
            });
  }

  @Test
  void settingsThatMayBeNullTakeNull() {
    Set<String> refused = new TreeSet<>();
    document
        .at("/components/schemas/SubscriptionChange/properties")
        .forEachEntry(
            (name, schema) -> {
              int status =
                  api.send(
                          "PATCH",
                          "/v1/subscriptions/t-1",
                          "{\"" + name + "\":null}",
                          "application/json")
                      .status();
              if (status != 200) {
                refused.add(name);
              }
            });
    assertThat(refused).containsExactly("endpoint");
    assertThat(document.at("/components/schemas/SubscriptionChange/properties/endpoint/type"))
        .hasToString("\"string\"");
  }

  private JsonNode resolved(JsonNode schema) {
    return schema.has("$ref") ? document.at(schema.get("$ref").asString().substring(1)) : schema;
  }
}
