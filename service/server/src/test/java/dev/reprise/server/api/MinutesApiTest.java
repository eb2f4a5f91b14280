package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The figures of subscriptions over time, as the API tells them. */
class MinutesApiTest {
  @TempDir static Path folder;
  private static RunningService service;

  @BeforeAll
  static void start() {
    service = RunningService.dev(folder);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private static long sum(JsonNode page, String field) {
    long sum = 0;
    for (JsonNode item : page.get("items")) {
      sum += item.get(field).asLong();
    }
    return sum;
  }

  @Test
  void attemptsAreToldFromThePresentMinuteOn() {
    ScriptedEndpoint endpoint = new ScriptedEndpoint().then(503, "0").always(204);
    service.put("/v1/topics/minutes", "{}");
    String id = service.subscribe("minutes", "{\"endpoint\": \"" + endpoint.url() + "\"}");
    String path = "/v1/subscriptions/" + id + "/minutes";
    assertThat(service.get(path).json().get("items")).isEmpty();
    service.publish("minutes", "{\"body\": 1}");

    // The minute may end between both attempts.
    JsonNode page = service.await(path, found -> sum(found, "delivered") == 1);

    assertThat(sum(page, "attempts")).isEqualTo(2);
    assertThat(sum(page, "retried")).isEqualTo(1);
    JsonNode last = page.get("items").get(page.get("items").size() - 1);
    assertThat(last.at("/outcomes/2xx").asInt()).isEqualTo(1);
    assertThat(last.at("/latencyMillis/max").asDouble())
        .isGreaterThanOrEqualTo(last.at("/latencyMillis/p50").asDouble());
    assertThat(last.get("pending").asInt()).isZero();
    assertThat(last.get("limit").asInt()).isPositive();
    assertThat(last.has("oldestDueAt")).isFalse();

    JsonNode hours = service.get(path + "?step=1h&from=1970-01-01T00:00:00Z").json();
    assertThat(sum(hours, "attempts")).isEqualTo(2);
    assertThat(hours.get("items").get(0).get("at").asString()).endsWith(":00:00.000Z");
    assertThat(service.get(path + "?to=2020-01-01T00:00:00Z").json().get("items")).isEmpty();
  }

  @Test
  void theFirstLookAtTheOverviewHasWhatFailedBefore() {
    ScriptedEndpoint broken = new ScriptedEndpoint().always(400);
    service.put("/v1/topics/burning", "{}");
    String id = service.subscribe("burning", "{\"endpoint\": \"" + broken.url() + "\"}");
    String held = service.subscribe("burning", "{\"endpoint\": \"" + broken.url() + "\"}");
    service.post("/v1/subscriptions/" + held + "/suspend", "{}");
    for (int i = 0; i < 3; i++) {
      service.publish("burning", "{\"body\": 1}");
    }
    service.await("/v1/subscriptions/" + id + "/minutes", page -> sum(page, "givenUp") == 3);

    JsonNode overview = service.get("/v1/overview").json();

    JsonNode worst = overview.get("worst").get(0);
    assertThat(worst.get("id").asString()).isEqualTo(id);
    assertThat(worst.get("failedLastHour").asInt()).isEqualTo(3);
    // The minute may end meanwhile.
    assertThat(worst.get("failedThisMinute").asInt() + worst.get("failedLastMinute").asInt())
        .isEqualTo(3);
    // What a suspended one holds is no backlog.
    assertThat(overview.get("worst").findValuesAsString("id")).doesNotContain(held);
    JsonNode suspended = overview.get("suspended").get(0);
    assertThat(suspended.get("id").asString()).isEqualTo(held);
    assertThat(suspended.get("held").asInt()).isEqualTo(3);
    assertThat(overview.at("/backlog/held").asInt()).isEqualTo(3);
    assertThat(overview.at("/backlog/pending").asInt()).isZero();
    assertThat(sum(service.get("/v1/overview/minutes").json(), "givenUp")).isLessThanOrEqualTo(3);
  }

  @Test
  void whatIsWrongIsNamed() {
    service.put("/v1/topics/wrong", "{}");
    String id = service.subscribe("wrong", "{\"endpoint\": \"http://127.0.0.1:9/\"}");
    String path = "/v1/subscriptions/" + id + "/minutes";
    Reply step = service.get(path + "?step=2m");
    assertThat(step.status()).isEqualTo(400);
    assertThat(step.fields()).containsExactly("step");
    assertThat(service.get(path + "?from=yesterday").fields()).containsExactly("from");
    assertThat(service.get(path + "?cursor=AAAA").fields()).containsExactly("cursor");
    assertThat(service.get("/v1/subscriptions/wrong-9/minutes").status()).isEqualTo(404);
  }
}
