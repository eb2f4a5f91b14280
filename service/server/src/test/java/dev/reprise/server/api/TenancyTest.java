package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Projects, keys, quotas and the audit log, as their users meet them. */
@Tag("slow")
class TenancyTest {
  private static final String JSON = "application/json";

  @TempDir static Path folder;
  private static RunningService api;
  private static ScriptedEndpoint sink;
  private static int projects;

  private String project;

  @BeforeAll
  static void start() {
    api = RunningService.withKeys(folder, "127.0.0.0/8");
    sink = new ScriptedEndpoint();
  }

  @AfterAll
  static void stop() {
    api.close();
    sink.close();
  }

  @BeforeEach
  void project() {
    project = "project-" + ++projects;
    assertThat(api.post("/v1/projects", "{\"name\":\"" + project + "\"}").status()).isEqualTo(201);
  }

  /** Asks as an operator about this test's project. */
  private Reply in(String method, String path, String body) {
    return api.send(method, path, body, body == null ? "" : JSON, "Reprise-Project", project);
  }

  private static Reply as(String bearer, String method, String path, String body) {
    return api.send(method, path, body, body == null ? "" : JSON, "Authorization", bearer);
  }

  private String key(String more) {
    Reply made = in("POST", "/v1/keys", "{\"name\":\"k\"" + more + "}");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return "Bearer " + made.json().get("key").asString();
  }

  private void quota(String quotas) {
    Reply put = api.put("/v1/projects/" + project, "{\"quotas\":{" + quotas + "}}");
    assertThat(put.status()).as(put.text()).isEqualTo(200);
  }

  // --- quotas --------------------------------------------------------------------------------

  @Test
  void topicsAndSubscriptionsAreBoundedAndShown() {
    quota("\"topics\":1,\"subscriptions\":1");
    assertThat(in("PUT", "/v1/topics/a", "{}").status()).isEqualTo(201);
    Reply second = in("PUT", "/v1/topics/b", "{}");
    assertThat(second.status()).isEqualTo(409);
    assertThat(second.code()).isEqualTo("quota_exceeded");
    assertThat(second.message())
        .isEqualTo("quota topics of project '" + project + "' is 1: there are 1");
    assertThat(in("PUT", "/v1/topics/a", "{}").status()).isEqualTo(200);

    String endpoint = "{\"endpoint\":\"" + sink.url() + "\"}";
    assertThat(in("POST", "/v1/topics/a/subscriptions", endpoint).status()).isEqualTo(201);
    assertThat(in("POST", "/v1/topics/a/subscriptions", endpoint).message())
        .startsWith("quota subscriptions of");
    JsonNode shown = api.get("/v1/projects/" + project).json();
    assertThat(shown.at("/usage/topics").intValue()).isEqualTo(1);
    assertThat(shown.at("/usage/subscriptions").intValue()).isEqualTo(1);
    assertThat(shown.at("/quotas/topics").intValue()).isEqualTo(1);
    // The default project has none.
    assertThat(api.put("/v1/topics/free-" + project, "{}").status()).isEqualTo(201);
  }

  @Test
  void publishesBeyondTheRateAreRefusedLineByLine() {
    in("PUT", "/v1/topics/a", "{}");
    quota("\"publishesPerSecond\":1");
    String lines = "{\"body\":1}\n".repeat(1000);
    Reply reply =
        api.send(
            "POST",
            "/v1/topics/a/messages",
            lines,
            "application/x-ndjson",
            "Reprise-Project",
            project);
    assertThat(reply.status()).isEqualTo(202);
    List<String> codes = new ArrayList<>();
    reply.json().get("items").forEach(item -> codes.add(item.at("/error/code").asString("")));
    assertThat(codes).startsWith("").contains("quota_exceeded");

    quota("\"messageBytes\":3");
    Reply large = in("POST", "/v1/topics/a/messages", "{\"body\":\"four\"}");
    assertThat(large.status()).isEqualTo(413);
    assertThat(large.message()).contains("quota messageBytes");
  }

  @Test
  void publishingIsRefusedWhileTooMuchIsPending() {
    in("PUT", "/v1/topics/a", "{}");
    try (ScriptedEndpoint slow = new ScriptedEndpoint().thenHeld(200)) {
      in("POST", "/v1/topics/a/subscriptions", "{\"endpoint\":\"" + slow.url() + "\"}");
      quota("\"pendingDeliveries\":1");
      assertThat(in("POST", "/v1/topics/a/messages", "{\"body\":1}").status()).isEqualTo(202);
      Reply refused =
          Await.value(
              "a publish that is refused",
              () -> in("POST", "/v1/topics/a/messages", "{\"body\":1}"),
              r -> r.status() != 202);
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.header("Retry-After")).isEqualTo("5");
      assertThat(refused.message()).contains("quota pendingDeliveries");
      slow.release();
      Await.value(
          "a publish that is accepted",
          () -> in("POST", "/v1/topics/a/messages", "{\"body\":1}"),
          r -> r.status() == 202);
    }
  }

  // --- keys ----------------------------------------------------------------------------------

  @Test
  void aKeyGivesNoRightsThatItHasNot() {
    String manager = key(",\"scopes\":[\"manage\"]");
    Reply more = as(manager, "POST", "/v1/keys", "{\"name\":\"x\",\"scopes\":[\"publish\"]}");
    assertThat(more.status()).isEqualTo(403);
    assertThat(more.message()).contains("scope publish can be given by a key that has it");
    Reply elsewhere = as(manager, "POST", "/v1/keys", "{\"name\":\"x\",\"project\":\"default\"}");
    assertThat(elsewhere.status()).isEqualTo(404);
    Reply own = as(manager, "POST", "/v1/keys", "{\"name\":\"x\"}");
    String id = own.json().get("id").asString();
    JsonNode listed = as(manager, "GET", "/v1/keys", null).json().get("items");
    assertThat(listed).hasSize(2);
    assertThat(listed.get(1).get("project").asString()).isEqualTo(project);
    assertThat(listed.get(1).get("scopes").toString()).isEqualTo("[\"manage\"]");

    key(",\"scopes\":[\"publish\",\"read\"]");
    String strongest = in("GET", "/v1/keys", null).json().at("/items/2/id").asString();
    assertThat(as(manager, "POST", "/v1/keys/" + strongest + "/rotate", "{}").status())
        .isEqualTo(403);
    assertThat(as(manager, "POST", "/v1/keys/" + id + "/rotate", "{}").status()).isEqualTo(200);
    assertThat(as(manager, "DELETE", "/v1/keys/" + id, null).status()).isEqualTo(204);
  }

  @Test
  void aKeyThatExpiresMakesNoneThatOutlivesIt() {
    Instant soon = Instant.now().plusSeconds(3600);
    String manager = key(",\"expiresAt\":\"" + soon + "\"");
    Reply longer =
        as(
            manager,
            "POST",
            "/v1/keys",
            "{\"name\":\"x\",\"expiresAt\":\"" + soon.plusSeconds(60) + "\"}");
    assertThat(longer.fields()).containsExactly("expiresAt");
    as(manager, "POST", "/v1/keys", "{\"name\":\"x\"}");
    JsonNode made = as(manager, "GET", "/v1/keys", null).json().at("/items/1");
    assertThat(Instant.parse(made.get("expiresAt").asString()).toEpochMilli())
        .isEqualTo(soon.toEpochMilli());
    assertThat(made.at("/warnings/0").asString()).isEqualTo("expires within a day");
    assertThat(
            in("POST", "/v1/keys", "{\"name\":\"x\",\"expiresAt\":\"2020-01-01T00:00:00Z\"}")
                .fields())
        .containsExactly("expiresAt");
  }

  @Test
  void aProjectWithKeysOrTopicsStays() {
    key("");
    in("PUT", "/v1/topics/a", "{}");
    Reply refused = api.delete("/v1/projects/" + project);
    assertThat(refused.status()).isEqualTo(409);
    assertThat(refused.message()).contains("has 1 topic and 1 API key");
    in("DELETE", "/v1/topics/a", null);
    String id = in("GET", "/v1/keys", null).json().at("/items/0/id").asString();
    in("DELETE", "/v1/keys/" + id, null);
    assertThat(api.delete("/v1/projects/" + project).status()).isEqualTo(204);
    assertThat(in("PUT", "/v1/topics/a", "{}").status()).isEqualTo(404);
    assertThat(api.delete("/v1/projects/default").status()).isEqualTo(409);
    assertThat(api.post("/v1/projects", "{\"name\":\"Shop\"}").fields()).containsExactly("name");
  }

  // --- the audit log -------------------------------------------------------------------------

  @Test
  void changesAreRecordedWithoutSecretsAndReadingIsNot() {
    String manager = key("");
    String settings =
        "{\"endpoint\":\"" + sink.url() + "?hidden\",\"filter\":{\"kind\":[\"hidden\"]}}";
    as(manager, "PUT", "/v1/topics/a", "{\"throttlePolicy\":{\"maxReceivesPerSecond\":5}}");
    Reply made = as(manager, "POST", "/v1/topics/a/subscriptions", settings);
    String id = made.json().get("id").asString();
    as(manager, "POST", "/v1/topics/a/messages", "{\"body\":\"hidden\"}");
    as(manager, "GET", "/v1/topics/a", null);
    as(manager, "POST", "/v1/subscriptions/" + id + "/redrive", "{\"dryRun\":true}");
    as(manager, "POST", "/v1/subscriptions/" + id + "/redrive", "{}");
    as(manager, "PUT", "/v1/topics/a", "{\"wrong\":1}");
    as(manager, "DELETE", "/v1/topics/a", null);
    as(manager, "DELETE", "/v1/subscriptions/" + id, null);

    Reply log = as(manager, "GET", "/v1/audit", null);
    assertThat(log.text()).doesNotContain("hidden");
    List<String> lines = new ArrayList<>();
    for (JsonNode item : log.json().get("items")) {
      lines.add(
          item.get("operation").asString()
              + " "
              + item.get("target").asString()
              + " "
              + item.get("fields")
              + item.get("status"));
      assertThat(item.get("project").asString()).isEqualTo(project);
      assertThat(item.get("client").asString()).isEqualTo("127.0.0.1");
      assertThat(item.get("outcome").asString()).isEqualTo("done");
    }
    assertThat(lines.subList(0, 4))
        .containsExactly(
            "unsubscribe " + id + " []204",
            "redrive " + id + " []200",
            "subscribe " + id + " [\"endpoint\",\"filter.kind\"]201",
            "putTopic a [\"throttlePolicy.maxReceivesPerSecond\"]201");
    assertThat(lines.get(4)).startsWith("createKey ");

    assertThat(in("GET", "/v1/audit?operation=redrive", null).json().get("items")).hasSize(1);
    JsonNode page = in("GET", "/v1/audit?limit=2", null).json();
    String next = page.get("next").asString();
    JsonNode rest = in("GET", "/v1/audit?limit=9&target=a&cursor=" + next, null).json();
    assertThat(rest.get("items")).hasSize(1);
    assertThat(rest.get("next").isNull()).isTrue();
    String before = log.json().at("/items/2/at").asString();
    assertThat(in("GET", "/v1/audit?to=" + before, null).json().get("items").size())
        .isLessThanOrEqualTo(2);
    assertThat(in("GET", "/v1/audit?from=2100-01-01T00:00:00Z", null).json().get("items"))
        .isEmpty();
    // An operator who names no project sees the changes of all.
    assertThat(api.get("/v1/audit?operation=createProject").json().get("items")).isNotEmpty();
  }

  // --- catch-all -----------------------------------------------------------------------------

  @Test
  void anEndpointThatGetsEverythingOfManyTopicsIsFlagged() {
    String endpoint = "{\"endpoint\":\"" + sink.url() + "\"";
    for (String topic : List.of("a", "b", "c", "d", "e", "f")) {
      in("PUT", "/v1/topics/" + topic, "{}");
    }
    JsonNode first = in("POST", "/v1/topics/a/subscriptions", endpoint + "}").json();
    in("POST", "/v1/topics/a/subscriptions", endpoint + "}");
    JsonNode second = in("POST", "/v1/topics/b/subscriptions", endpoint + "}").json();
    in("POST", "/v1/topics/d/subscriptions", endpoint + ",\"filter\":{\"k\":[1]}}");
    assertThat(first.has("flags")).isFalse();
    assertThat(second.has("flags")).isFalse();
    JsonNode third = in("POST", "/v1/topics/c/subscriptions", endpoint + "}").json();
    assertThat(third.get("flags").toString()).isEqualTo("[\"catch-all\"]");
    assertThat(third.at("/warnings/0").asString())
        .isEqualTo(
            "The endpoint gets every message of 3 of the project's 6 topics, as its subscriptions"
                + " have no filter: is it meant to?");
    JsonNode listed = in("GET", "/v1/subscriptions", null).json().get("items");
    List<Boolean> flagged = new ArrayList<>();
    listed.forEach(item -> flagged.add(item.has("flags")));
    assertThat(flagged).containsExactly(true, true, true, false, true);

    JsonNode filtered =
        in("PATCH", "/v1/subscriptions/" + second.get("id").asString(), "{\"filter\":{\"k\":[1]}}")
            .json();
    assertThat(filtered.has("flags")).isFalse();
    assertThat(in("GET", "/v1/subscriptions", null).text()).doesNotContain("catch-all");
    // Two of three topics are more than half of them.
    for (String topic : List.of("e", "f")) {
      in("DELETE", "/v1/topics/" + topic, null);
    }
    in("DELETE", "/v1/subscriptions/" + second.get("id").asString(), null);
    in("DELETE", "/v1/topics/b", null);
    assertThat(in("GET", "/v1/subscriptions/" + first.get("id").asString(), null).text())
        .contains("2 of the project's 3 topics");
  }

  // --- the overview ----------------------------------------------------------------------------

  @Test
  void aStreamIsOfTheProjectInItsQuery() {
    in("PUT", "/v1/topics/only-here", "{}");
    String stream = "/v1/overview/stream?events=1&project=";
    assertThat(api.get(stream + project).text()).contains("\"topics\":1,");
    String tenant = key(",\"scopes\":[\"read\"]");
    assertThat(as(tenant, "GET", stream + project, null).text()).contains("\"topics\":1,");

    Reply foreign = as(tenant, "GET", stream + "default", null);
    assertThat(foreign.status()).isEqualTo(404);
    assertThat(foreign.message()).contains("default");
    assertThat(api.get(stream + "none-such").status()).isEqualTo(404);
    // Two that differ are no question.
    assertThat(in("GET", stream + "default", null).status()).isEqualTo(404);
  }
}
