package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.nodes.ClusterView;
import dev.reprise.server.nodes.TroubleList;
import dev.reprise.server.openapi.OpenApi;
import dev.reprise.server.proxy.PublicUrl;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What /openapi.json says is what the service does, operation by operation. */
public class OpenApiTest {
  private static final SchemaRegistry REGISTRY =
      SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
  private static final Set<String> METHODS = Set.of("get", "put", "post", "patch", "delete");

  private final JsonNode document = JsonMapper.shared().readTree(OpenApi.of(routes()));

  public static List<Route> routes() {
    PublishOperations publish = new PublishOperations(null, null, null, null, null, null);
    ApiServer.Endpoints endpoints = new ApiServer.Endpoints(null, null, null, null);
    ClusterView cluster = new ClusterView(null, null, null, null);
    return ApiServer.routes(
        null,
        endpoints,
        null,
        null,
        publish,
        new OverviewOperations(null, null, null),
        null,
        null,
        null,
        cluster,
        new TroubleList(null, null, null, null),
        PublicUrl.NONE);
  }

  private Map<String, JsonNode> operations() {
    Map<String, JsonNode> operations = new HashMap<>();
    document
        .get("paths")
        .forEachEntry(
            (path, item) ->
                item.forEachEntry(
                    (method, operation) -> {
                      if (METHODS.contains(method)) {
                        operations.put(method.toUpperCase(Locale.ROOT) + " " + path, operation);
                      }
                    }));
    return operations;
  }

  @Test
  void everyRouteIsAnOperation() {
    Set<String> routes = new TreeSet<>();
    routes().forEach(route -> routes.add(route.method() + " " + route.pattern()));
    assertThat(operations().keySet()).containsExactlyInAnyOrderElementsOf(routes);
  }

  @Test
  void routeWithoutADescriptionIsNoOperation() {
    Route route = Routes.open("/v1/new", call -> Answer.noContent());
    assertThatThrownBy(() -> OpenApi.of(List.of(route)))
        .hasMessage("GET /v1/new has no description");
  }

  @Test
  void operationsHaveNamesOfTheirOwn() {
    assertThat(operations().values())
        .extracting(operation -> operation.get("operationId").asString())
        .doesNotHaveDuplicates()
        .hasSizeGreaterThan(60);
  }

  @Test
  void bodiesAreThoseOfTheRoutes() {
    Map<String, JsonNode> operations = operations();
    for (Route route : routes()) {
      String name = route.method() + " " + route.pattern();
      JsonNode content = operations.get(name).path("requestBody").path("content");
      if (route.mediaType().isEmpty()) {
        assertThat(content.isMissingNode()).as(name).isTrue();
      } else {
        assertThat(content.has(route.mediaType())).as(name).isTrue();
      }
    }
  }

  @Test
  void variablePartsOfPathsAreDescribed() {
    operations()
        .forEach(
            (name, operation) ->
                assertThat(
                        operation
                            .path("parameters")
                            .valueStream()
                            .filter(each -> each.get("in").asString().equals("path"))
                            .map(each -> "{" + each.get("name").asString() + "}"))
                    .as(name)
                    .containsExactlyElementsOf(
                        Pattern.compile("\\{\\w+}")
                            .matcher(name)
                            .results()
                            .map(MatchResult::group)
                            .toList()));
  }

  @Test
  void fieldsOfTopicPoliciesAreThoseThatAreReadAndShown() {
    var fields = document.at("/components/schemas/TopicPolicy/properties").propertyNames();
    assertThat(
            JsonMapper.shared()
                .readTree(PolicyDocuments.schema())
                .at("/$defs/flatTopicPolicy/properties")
                .propertyNames())
        .containsAll(fields);
    NotificationPolicy full =
        PolicyDocuments.readTopic(
            "{\"healthyRetryPolicy\":{},\"throttlePolicy\":{\"maxReceivesPerSecond\":1}}");
    assertThat(PolicyDocuments.writeStored(full).propertyNames())
        .containsExactlyInAnyOrderElementsOf(fields);
  }

  /** A generator makes 32 bits of an integer without a format, and of a number a float. */
  @Test
  void numbersSayTheirSize() {
    for (String number : List.of("accepted", "delivered", "attempts")) {
      assertThat(
              document.at("/components/schemas/Ledger/properties/" + number + "/format").asString())
          .isEqualTo("int64");
    }
    walk(
        document.get("components"),
        "",
        (name, schema) -> {
          String type = schema.path("type").toString();
          if (type.contains("\"number\"")) {
            assertThat(schema.path("format").asString("")).as(name).isEqualTo("double");
          }
          boolean mayBeLarge = schema.path("maximum").asLong(Long.MAX_VALUE) > Integer.MAX_VALUE;
          if (type.contains("\"integer\"")
              && mayBeLarge
              && name.matches(".*(Millis|Bytes|/count)")) {
            assertThat(schema.path("format").asString("")).as(name).isEqualTo("int64");
          }
        });
  }

  /** In Go, of which {@code NewX} makes a value of type X. */
  @Test
  void noSchemaIsTheConstructorOfAnother() {
    Set<String> names = new TreeSet<>();
    document.at("/components/schemas").forEachEntry((name, schema) -> names.add(name));
    assertThat(names).isNotEmpty().noneMatch(name -> names.contains("New" + name));
  }

  private static void walk(JsonNode node, String name, BiConsumer<String, JsonNode> seen) {
    seen.accept(name, node);
    node.forEachEntry((key, value) -> walk(value, name + "/" + key, seen));
  }

  @Test
  void everyExampleFitsItsSchema() {
    operations()
        .forEach(
            (name, operation) -> {
              operation
                  .path("requestBody")
                  .path("content")
                  .forEachEntry((type, content) -> checkExample(name + " request", content));
              operation
                  .get("responses")
                  .forEachEntry(
                      (status, response) ->
                          response
                              .path("content")
                              .forEachEntry(
                                  (type, content) -> checkExample(name + " " + status, content)));
            });
  }

  private void checkExample(String name, JsonNode content) {
    if (content.has("example")) {
      validate(name, content.get("schema"), content.get("example"));
    }
  }

  private void validate(String name, JsonNode schema, JsonNode value) {
    ObjectNode whole = schema.deepCopy().asObject();
    whole.set("components", document.get("components"));
    assertThat(
            REGISTRY
                .getSchema(whole.toString(), InputFormat.JSON)
                .validate(value.toString(), InputFormat.JSON))
        .as("%s: %s", name, value)
        .isEmpty();
  }

  @Test
  @Tag("slow")
  void everyAnswerFitsItsSchema(@TempDir Path folder) {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint().then(503, "1").thenHeld(400)) {
      Walk walk = new Walk(api);
      walk.call("PUT", "/v1/topics/{topic}", "/v1/topics/t", "{}", 201);
      walk.call(
          "PUT",
          "/v1/topics/{topic}",
          "/v1/topics/t",
          "{\"healthyRetryPolicy\":{\"numRetries\":4,\"minDelayTarget\":\"50ms\",\"maxDelayTarget\":1}}",
          200);
      walk.call(
          "POST",
          "/v1/topics/{topic}/subscriptions",
          "/v1/topics/t/subscriptions",
          "{\"endpoint\":\""
              + endpoint.url()
              + "\",\"http\":{\"headers\":{\"X-A\":\"b\"},\"token\":\"secret\"},"
              + "\"filter\":{\"a\":[\"b\"]},\"policy\":{\"healthyRetryPolicy\":{\"minDelayTarget\":\"50ms\"},\"throttlePolicy\":{\"maxReceivesPerSecond\":100}}}",
          201);
      String message = "{\"body\":{\"x\":1.0},\"attributes\":{\"a\":\"b\"}}";
      JsonNode receipt =
          walk.call("POST", "/v1/topics/{topic}/messages", "/v1/topics/t/messages", message, 202);
      String delivery = "/v1/deliveries/" + receipt.get("messageId").asString() + "@t-1";
      walk.get("/v1/deliveries", "/v1/deliveries?subscription=t-1");
      api.await(delivery, d -> d.get("attempts").intValue() == 1);
      walk.get("/v1/deliveries/{id}", delivery);
      endpoint.release();
      api.await(delivery, d -> d.get("status").asString().equals("dead-lettered"));
      walk.get("/v1/deliveries/{id}", delivery);
      walk.get("/v1/deliveries", "/v1/deliveries?subscription=t-1");
      walk.get("/v1/topics", "/v1/topics");
      walk.get("/v1/topics/{topic}", "/v1/topics/t");
      walk.get("/v1/subscriptions", "/v1/subscriptions");
      walk.get("/v1/subscriptions/{id}", "/v1/subscriptions/t-1");
      walk.call(
          "PATCH", "/v1/subscriptions/{id}", "/v1/subscriptions/t-1", "{\"filter\":null}", 200);
      walk.call(
          "POST", "/v1/subscriptions/{id}", "/v1/subscriptions/t-1", "{\"maxInFlight\":9}", 200);
      String signing = "/v1/subscriptions/{id}/signing-secret";
      walk.call("POST", signing, "/v1/subscriptions/t-1/signing-secret", "{}", 200);
      walk.call(
          "POST",
          signing,
          "/v1/subscriptions/t-1/signing-secret",
          "{\"kind\":\"ed25519\",\"overlap\":\"1h\"}",
          200);
      walk.call("POST", "/v1/subscriptions/{id}/check", "/v1/subscriptions/t-1/check", "{}", 200);
      walk.get("/v1/subscriptions/{id}/dead-letters", "/v1/subscriptions/t-1/dead-letters");
      String redrive = "/v1/subscriptions/{id}/redrive";
      walk.call("POST", redrive, "/v1/subscriptions/t-1/redrive", "{\"dryRun\":true}", 200);
      walk.call("POST", redrive, "/v1/subscriptions/t-1/redrive", "{}", 200);
      String now = "/v1/subscriptions/{id}/attempt-now";
      walk.call("POST", now, "/v1/subscriptions/t-1/attempt-now", "{\"limit\":10}", 200);
      api.await(delivery, d -> d.get("status").asString().equals("delivered"));
      walk.get("/v1/deliveries/{id}", delivery);
      operations(walk);
      walk.call(
          "DELETE",
          "/v1/subscriptions/{id}/dead-letters",
          "/v1/subscriptions/t-1/dead-letters",
          null,
          200);
      carriers(walk);
      walk.get("/v1/subscriptions/{id}/minutes", "/v1/subscriptions/t-1/minutes");
      walk.get("/v1/ledger", "/v1/ledger?verify=true");
      walk.get("/v1/overview", "/v1/overview");
      walk.get("/v1/overview/minutes", "/v1/overview/minutes");
      walk.get("/v1/troubles", "/v1/troubles");
      walk.check("GET", "/v1/overview/stream", api.get("/v1/overview/stream?events=1"), 200);
      walk.call("POST", "/v1/preview", "/v1/preview", "{\"preset\":\"notification-queue\"}", 200);
      walk.call("POST", "/v1/preview", "/v1/preview", "{\"preset\":\"aws-standard\"}", 200);
      walk.call("POST", "/v1/preview", "/v1/preview", "\"azure-iot\"", 200);
      walk.get("/v1/presets", "/v1/presets");
      lab(walk);
      JsonNode key = walk.call("POST", "/v1/keys", "/v1/keys", "{\"name\":\"a\"}", 201);
      walk.call("POST", "/v1/keys", "/v1/keys", "{\"name\":\"b\"}", 201);
      walk.get("/v1/keys", "/v1/keys");
      walk.call(
          "POST",
          "/v1/keys/{id}/rotate",
          "/v1/keys/" + key.get("id").asString() + "/rotate",
          "{}",
          200);
      projects(walk);
      walk.get("/v1/audit", "/v1/audit");
      walk.call("POST", "/v1/backup", "/v1/backup", null, 200);
      walk.get("/v1/cluster", "/v1/cluster");
      String record = "/v1/cluster/records/{id}";
      walk.call("GET", record, "/v1/cluster/records/in-0@0", null, 409);
      walk.call("POST", record + "/skip", "/v1/cluster/records/in-0@0/skip", null, 409);
      walk.call("POST", "/v1/cluster/acknowledge", "/v1/cluster/acknowledge", null, 200);
      walk.call("DELETE", "/v1/keys/{id}", "/v1/keys/" + key.get("id").asString(), null, 204);
      walk.call("DELETE", "/v1/topics/{topic}", "/v1/topics/t", null, 409);
      walk.call("DELETE", "/v1/subscriptions/{id}", "/v1/subscriptions/t-1", null, 204);
      walk.call("DELETE", "/v1/topics/{topic}", "/v1/topics/t", null, 204);
      walk.get("/health/live", "/health/live");
      walk.check("GET", "/health/ready", api.awaitReady(), 200);
      walk.get("/metrics", "/metrics");
      walk.get("/openapi.json", "/openapi.json");
      walk.get("/openapi-3.0.json", "/openapi-3.0.json");
      // Refusals are described as well.
      walk.call("GET", "/v1/subscriptions/{id}", "/v1/subscriptions/none", null, 404);
      walk.call("POST", "/v1/preview", "/v1/preview", "{\"a\":1}", 400);
      assertThat(walk.seen).containsExactlyInAnyOrderElementsOf(operations().keySet());
    }
  }

  private static void operations(Walk walk) {
    String pattern = "/v1/subscriptions/{id}/";
    String path = "/v1/subscriptions/t-1/";
    walk.call("POST", pattern + "test", path + "test", "{}", 202);
    walk.call("POST", pattern + "suspend", path + "suspend", "{\"reason\":\"noon\"}", 200);
    walk.call("POST", pattern + "test", path + "test", "{}", 409);
    walk.get("/v1/subscriptions/{id}", "/v1/subscriptions/t-1");
    walk.call("POST", pattern + "cancel", path + "cancel", "{\"limit\":10}", 200);
    walk.get(pattern + "counts", path + "counts");
    walk.get(pattern + "dead-letters/summary", path + "dead-letters/summary");
    walk.call("POST", pattern + "release", path + "release", "{}", 200);
  }

  private static void lab(Walk walk) {
    String outage = "/v1/preview/outage";
    walk.call("POST", outage, outage, "{\"policy\":\"notification-sms\"}", 200);
    walk.call("POST", outage, outage, "{\"policy\":\"no-retry\",\"rate\":\"1/min\"}", 200);
    walk.get("/v1/schemas/{kind}", "/v1/schemas/topic");
    walk.get("/v1/lab/scenarios", "/v1/lab/scenarios");
    String scenario =
        "{\"name\":\"x\",\"policies\":{\"a\":\"no-retry\"}," + "\"contention\":{\"clients\":10}}";
    walk.call("POST", "/v1/lab/runs", "/v1/lab/runs", scenario, 202);
    String one = "/v1/lab/runs/{id}";
    walk.api.await("/v1/lab/runs/1", run -> run.get("state").asString().equals("done"));
    walk.get("/v1/lab/runs", "/v1/lab/runs");
    walk.get(one, "/v1/lab/runs/1");
    walk.get(one + "/results", "/v1/lab/runs/1/results");
    walk.check("GET", one + "/report", walk.api.get("/v1/lab/runs/1/report"), 200);
    walk.call("DELETE", one, "/v1/lab/runs/1", null, 204);
  }

  private static void projects(Walk walk) {
    String one = "/v1/projects/{name}";
    walk.call("POST", "/v1/projects", "/v1/projects", "{\"name\":\"shop\"}", 201);
    walk.call("PUT", one, "/v1/projects/shop", "{\"quotas\":{\"topics\":1}}", 200);
    walk.get(one, "/v1/projects/shop");
    walk.get("/v1/projects", "/v1/projects");
    walk.call("DELETE", one, "/v1/projects/shop", null, 204);
    walk.call("GET", one, "/v1/projects/shop", null, 404);
  }

  private static void carriers(Walk walk) {
    String one = "/v1/carriers/{name}";
    String path = "/v1/carriers/c";
    walk.call(
        "POST",
        "/v1/carriers",
        "/v1/carriers",
        "{\"name\":\"c\",\"type\":\"scripted\",\"settings\":{\"addresses\":[\"192.0.2.1:7\"],"
            + "\"password\":\"secret\"}}",
        201);
    walk.get("/v1/carriers", "/v1/carriers");
    walk.get("/v1/carrier-types", "/v1/carrier-types");
    walk.get(one, path);
    walk.call("PATCH", one, path, "{\"maxPerSecond\":9}", 200);
    walk.call("POST", one, path, "{\"maxInFlight\":9}", 200);
    walk.call("POST", one + "/test", path + "/test", null, 200);
    walk.call("POST", one + "/resume", path + "/resume", null, 200);
    Reply reported = walk.api.send("POST", path + "/reports", "hello", "message/rfc822");
    walk.check("POST", one + "/reports", reported, 200);
    walk.call("DELETE", one, path, null, 204);
    walk.call("GET", one, path, null, 404);
  }

  /** Calls operations and compares each answer with its description. */
  private final class Walk {
    private final RunningService api;
    private final Set<String> seen = new TreeSet<>();

    Walk(RunningService api) {
      this.api = api;
    }

    void get(String pattern, String path) {
      call("GET", pattern, path, null, 200);
    }

    JsonNode call(String method, String pattern, String path, String body, int status) {
      Reply reply = api.send(method, path, body, body == null ? "" : "application/json");
      return check(method, pattern, reply, status);
    }

    JsonNode check(String method, String pattern, Reply reply, int status) {
      String name = method + " " + pattern;
      seen.add(name);
      assertThat(reply.status()).as("%s: %s", name, reply.text()).isEqualTo(status);
      JsonNode response = operations().get(name).get("responses").get(Integer.toString(status));
      assertThat(response).as(name + " describes " + status).isNotNull();
      if (response.has("$ref")) {
        response = document.at(response.get("$ref").asString().substring(1));
      }
      JsonNode schema = response.at("/content/application~1json/schema");
      if (reply.json() == null) {
        assertThat(schema.isMissingNode()).as(name + " has a body").isTrue();
      } else {
        validate(name, schema, reply.json());
      }
      return reply.json();
    }
  }
}
