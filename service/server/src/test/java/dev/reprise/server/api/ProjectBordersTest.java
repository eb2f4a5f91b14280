package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import dev.reprise.server.http.Route;
import dev.reprise.server.nodes.ClusterView;
import dev.reprise.server.nodes.TroubleList;
import dev.reprise.server.proxy.PublicUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** For a key of one project, nothing of another exists: in every operation that there is. */
@Tag("slow")
class ProjectBordersTest {
  private static final String SCENARIO =
      "{\"name\":\"secret-fleet\",\"policies\":{\"a\":\"no-retry\"},\"contention\":{\"clients\":10}}";

  private static final Set<String> NOBODYS =
      Set.of("GET /v1/schemas/{kind}", "GET /v1/lab/scenarios", "GET /v1/carrier-types");

  @TempDir Path folder;
  private RunningService api;
  private ScriptedEndpoint sink;
  private String subscription;
  private String message;
  private String labRun;
  private String foreign;

  @BeforeEach
  void start() {
    api = RunningService.withKeys(folder, "127.0.0.0/8");
    sink = new ScriptedEndpoint();
    assertThat(api.post("/v1/projects", "{\"name\":\"other\"}").status()).isEqualTo(201);
    foreign = key("other", "publish", "read", "manage");
    assertThat(
            api.post(
                    "/v1/carriers?unchecked=true",
                    "{\"name\":\"secret-carrier\",\"type\":\"scripted\",\"settings\":{\"addresses\":[\"192.0.2.1:7\"]}}")
                .status())
        .isEqualTo(201);
    assertThat(api.put("/v1/topics/t", "{}").status()).isEqualTo(201);
    Reply made = api.post("/v1/topics/t/subscriptions", "{\"endpoint\":\"" + sink.url() + "\"}");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    subscription = made.json().get("id").asString();
    message = api.publish("t", "{\"body\":1}");
    Reply run = api.post("/v1/lab/runs", SCENARIO);
    assertThat(run.status()).as(run.text()).isEqualTo(202);
    labRun = run.json().get("id").asString();
  }

  @AfterEach
  void stop() {
    api.close();
    sink.close();
  }

  private String key(String project, String... scopes) {
    String list = "[\"" + String.join("\",\"", scopes) + "\"]";
    Reply made =
        api.post(
            "/v1/keys", "{\"name\":\"k\",\"scopes\":" + list + ",\"project\":\"" + project + "\"}");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return "Bearer " + made.json().get("key").asString();
  }

  private Reply as(String bearer, String method, String path, String body, String type) {
    return api.send(method, path, body, body == null ? "" : type, "Authorization", bearer);
  }

  private Reply as(String bearer, String method, String path) {
    return as(bearer, method, path, null, "");
  }

  private static List<Route> routes() {
    return ApiServer.routes(
        null,
        new ApiServer.Endpoints(null, null, null, null),
        null,
        null,
        new PublishOperations(null, null, null, null, null, null),
        new OverviewOperations(null, null, null),
        null,
        null,
        null,
        new ClusterView(null, null, null, null),
        new TroubleList(null, null, null, null),
        PublicUrl.NONE);
  }

  /** Returns the path of the other project's thing that a route is about. */
  private String path(Route route) {
    String kind = route.pattern().replaceAll("/v1/|/\\{.*", "");
    String thing =
        switch (kind) {
          case "keys" -> api.get("/v1/keys").json().at("/items/0/id").asString();
          case "deliveries" -> message + "@" + subscription;
          case "lab/runs" -> labRun;
          default -> subscription;
        };
    // A new kind of thing needs one of the other project here, or its 404 would show nothing.
    assertThat(route.pattern())
        .matches(
            "/v1/(topics|subscriptions|deliveries|keys|carriers|projects|lab/runs|schemas"
                + "|cluster/records)/.*|[^{}]*");
    String path =
        route
            .pattern()
            .replaceFirst("/stream$", "/stream?events=1")
            .replace("{topic}", "t")
            .replace("{kind}", "topic")
            .replace("{id}", thing)
            .replace(
                "{name}",
                route.pattern().startsWith("/v1/projects") ? "default" : "secret-carrier");
    assertThat(path).doesNotContain("{");
    return path;
  }

  private static String body(Route route) {
    if (route.mediaType().isEmpty()) {
      return null;
    }
    String operation = route.method() + " " + route.pattern();
    return switch (operation) {
      case "POST /v1/topics/{topic}/messages" -> "{\"body\":1}";
      case "POST /v1/topics/{topic}/subscriptions" -> "{\"endpoint\":\"https://example.com/\"}";
      case "POST /v1/projects" -> "{\"name\":\"third\"}";
      case "POST /v1/keys" -> "{\"name\":\"k\",\"project\":\"default\"}";
      case "POST /v1/carriers" ->
          "{\"name\":\"c2\",\"type\":\"scripted\",\"settings\":{\"addresses\":[\"192.0.2.1:7\"]}}";
      default -> "{}";
    };
  }

  /** Everything of the default project that an operator sees, without what time alone changes. */
  private String state() {
    StringBuilder state = new StringBuilder();
    for (String path :
        List.of(
            "/v1/topics/t",
            "/v1/subscriptions/" + subscription,
            "/v1/carriers/secret-carrier",
            "/v1/projects?limit=9")) {
      state.append(
          api.get(path)
              .text()
              .replaceAll("\"(health|ledger|usage|state)\":\\{[^{}]*(\\{[^{}]*}[^{}]*)*}", ""));
    }
    api.get("/v1/keys").json().get("items").forEach(key -> state.append(key.get("id")));
    api.get("/v1/audit").json().get("items").forEach(state::append);
    return state.toString();
  }

  @Test
  void noRouteShowsOrChangesAnythingOfAnotherProject() {
    String before = state();
    for (Route route : routes()) {
      String name = route.method() + " " + route.pattern();
      if (route.access() == Route.Access.OPEN
          || NOBODYS.contains(name)
          || name.equals("PUT /v1/topics/{topic}")) {
        // A topic of this name may be made: it is the caller's own.
        continue;
      }
      Reply reply = as(foreign, route.method(), path(route), body(route), route.mediaType());
      boolean aboutOneThing = route.pattern().contains("{") || name.equals("POST /v1/keys");
      if (aboutOneThing || route.access() == Route.Access.OPERATE) {
        assertThat(reply.status()).as("%s: %s", name, reply.text()).isIn(403, 404);
        assertThat(reply.status() == 403)
            .as(name)
            .isEqualTo(route.access() == Route.Access.OPERATE);
      } else {
        assertThat(reply.status()).as("%s: %s", name, reply.text()).isIn(200, 400);
      }
      assertThat(reply.text())
          .as(name)
          .doesNotContain(message)
          .doesNotContain("\"" + subscription)
          .doesNotContain("\"secret-carrier\"")
          .doesNotContain("secret-fleet")
          .doesNotContain("\"default\"");
    }
    assertThat(state()).isEqualTo(before);
  }

  @Test
  void listingsAskedForByNameFindNothingOfAnotherProject() {
    for (String path :
        List.of("/v1/deliveries?subscription=" + subscription, "/v1/subscriptions?topic=t")) {
      assertThat(as(foreign, "GET", path).status()).as(path).isEqualTo(404);
    }
    Reply ofMessage = as(foreign, "GET", "/v1/deliveries?message=" + message);
    assertThat(ofMessage.json().get("items")).isEmpty();
    assertThat(as(foreign, "GET", "/v1/ledger").json().at("/total/accepted").intValue()).isZero();
    assertThat(as(foreign, "GET", "/v1/ledger?verify=true").status()).isEqualTo(400);
    Reply header =
        api.send(
            "GET", "/v1/topics", null, "", "Authorization", foreign, "Reprise-Project", "default");
    assertThat(header.status()).isEqualTo(404);
    assertThat(header.message())
        .isEqualTo(
            api.send("GET", "/v1/topics", null, "", "Reprise-Project", "default9")
                .message()
                .replace("default9", "default"));
  }

  @Test
  void topicsOfOneNameLiveInTwoProjects() {
    assertThat(as(foreign, "PUT", "/v1/topics/t", "{}", "application/json").status())
        .isEqualTo(201);
    Reply published =
        as(foreign, "POST", "/v1/topics/t/messages", "{\"body\":2}", "application/json");
    assertThat(published.json().get("deliveries").intValue()).isZero();
    // Nor do they share idempotency keys.
    for (String bearer : List.of(foreign, "Bearer " + api.service.firstKey().orElseThrow())) {
      Reply keyed =
          api.send(
              "POST",
              "/v1/topics/t/messages",
              "{\"body\":\"" + bearer.hashCode() + "\"}",
              "application/json",
              "Authorization",
              bearer,
              "Idempotency-Key",
              "one");
      assertThat(keyed.status()).as(keyed.text()).isEqualTo(202);
      assertThat(keyed.json().get("repeated").booleanValue()).isFalse();
    }
    Reply same = api.send("GET", "/v1/topics", null, "", "Reprise-Project", "other");
    assertThat(same.json()).isEqualTo(as(foreign, "GET", "/v1/topics").json());
    assertThat(as(foreign, "DELETE", "/v1/topics/t").status()).isEqualTo(204);
    assertThat(api.get("/v1/topics/t").json().get("subscriptions").intValue()).isEqualTo(1);
  }

  @Test
  void carriersAreThoseThatTheProjectMayUse() {
    String subscribe = "/v1/topics/mine/subscriptions";
    String sms =
        "{\"protocol\":\"sms\",\"endpoint\":\"+4915112345678\",\"carrier\":\"secret-carrier\"}";
    as(foreign, "PUT", "/v1/topics/mine", "{}", "application/json");
    Reply refused = as(foreign, "POST", subscribe, sms, "application/json");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.fields()).containsExactly("carrier");
    assertThat(refused.message()).contains("there is none");

    api.put("/v1/projects/other", "{\"carriers\":[\"secret-carrier\"]}");
    Reply shown = as(foreign, "GET", "/v1/carriers/secret-carrier");
    assertThat(shown.json().get("settings")).isEmpty();
    assertThat(as(foreign, "GET", "/v1/carriers").json().get("items")).hasSize(1);
    assertThat(as(foreign, "DELETE", "/v1/carriers/secret-carrier").status()).isEqualTo(403);
  }

  @Test
  void everyScopeOpensItsOperationsAndNoOther() {
    Map<Route.Access, String> keys =
        Map.of(
            Route.Access.PUBLISH, key("default", "publish"),
            Route.Access.READ, key("default", "read"),
            Route.Access.MANAGE, key("default", "manage"));
    for (Route route : routes()) {
      if (route.access() == Route.Access.OPEN) {
        continue;
      }
      keys.forEach(
          (scope, bearer) -> {
            boolean allowed =
                scope == route.access()
                    || (scope == Route.Access.MANAGE && route.access() == Route.Access.READ);
            if (!allowed) {
              Reply reply = as(bearer, route.method(), path(route), body(route), route.mediaType());
              assertThat(reply.status()).as(route.pattern()).isEqualTo(403);
              assertThat(reply.message())
                  .contains(
                      "with scope "
                          + (route.access() == Route.Access.OPERATE
                              ? "manage"
                              : route.access().name().toLowerCase(Locale.ROOT)));
            }
          });
    }
    assertThat(as(keys.get(Route.Access.READ), "GET", "/v1/topics/t").status()).isEqualTo(200);
    assertThat(as(keys.get(Route.Access.MANAGE), "GET", "/v1/topics/t").status()).isEqualTo(200);
    String body = "{\"body\":1}";
    assertThat(
            as(
                    keys.get(Route.Access.PUBLISH),
                    "POST",
                    "/v1/topics/t/messages",
                    body,
                    "application/json")
                .status())
        .isEqualTo(202);
  }

  /** What operations look up goes through the project of the call, and nowhere else. */
  @Test
  void operationsLookUpTopicsAndSubscriptionsThroughTheCallAlone() throws IOException {
    Path sources = Path.of("src/main/java/dev/reprise/server/api");
    List<String> around = new ArrayList<>();
    try (Stream<Path> files = Files.list(sources)) {
      for (Path file : files.filter(f -> f.toString().endsWith("Operations.java")).toList()) {
        String source = Files.readString(file).replaceAll("\\s+", "");
        // Carriers are the operator's; the others begin with a subscription that was looked up,
        // and the ledger of all projects with those of the store.
        Matcher used =
            Pattern.compile(
                    "engine\\.catalog\\(\\)(?!\\.(carriers?|topicOf|findSubscription)\\(|\\.of\\(subscription\\.project)")
                .matcher(source);
        if (used.find()) {
          around.add(file.toString());
        }
        if (source.contains("engine.unsubscribe(call.path(")
            || source.contains("engine.changeSubscription(call.path(")) {
          around.add(file.toString());
        }
      }
    }
    assertThat(around).isEmpty();
  }
}
