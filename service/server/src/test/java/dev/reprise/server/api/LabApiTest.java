package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Operations that show what a policy does before anybody depends on it. */
@Tag("slow")
class LabApiTest {
  private static final String SMALL =
      """
      {"name": "small", "policies": {"default": "notification-http", "fleet": "azure-iot"},
       "fleet": {"devices": %s, "quota": "100/s", "failures": [{"type": "outage", "to": "%s"}]}}
      """;

  @TempDir static Path folder;
  static RunningService api;

  @BeforeAll
  static void start() {
    api = RunningService.dev(folder);
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  @Test
  void anOutageIsForetold() {
    Reply reply =
        api.post(
            "/v1/preview/outage",
            "{\"policy\":{\"healthyRetryPolicy\":{\"numRetries\":3}},\"outage\":\"30m\","
                + "\"rate\":\"20/s\"}");

    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    assertThat(reply.json().get("published").intValue()).isEqualTo(36_000);
    assertThat(reply.json().get("delivered").intValue()).isBetween(1_180, 1_220);
    assertThat(reply.json().get("attemptsPerSecond")).hasSize(240);
    assertThat(reply.json().at("/sentences/0").asString())
        .contains("of 36,000 messages of an outage of 30 min are delivered");
    assertThat(reply.json().at("/sentences/1").asString()).contains("are given up");
  }

  @Test
  void aWrongQuestionNamesItsField() {
    assertThat(api.post("/v1/preview/outage", "{}").message()).contains("policy");
    assertThat(
            api.post("/v1/preview/outage", "{\"policy\":\"no-retry\",\"outage\":\"9d\"}").fields())
        .containsExactly("outage");
    assertThat(
            api.post("/v1/preview/outage", "{\"policy\":\"no-retry\",\"rate\":\"0/s\"}").fields())
        .containsExactly("rate");
    assertThat(api.post("/v1/preview/outage", "{\"policy\":{\"numRetries\":-1}}").fields())
        .containsExactly("policy.numRetries");
    Reply endless =
        api.post(
            "/v1/preview/outage",
            "{\"policy\":{\"strategy\":\"standard\",\"maxAttempts\":\"unlimited\","
                + "\"budget\":\"unlimited\",\"backoff\":{\"type\":\"none\"}}}");
    assertThat(endless.status()).isEqualTo(422);
    assertThat(endless.message()).contains("must wait longer");
  }

  @Test
  void schemasAreThoseOfTheDocuments() {
    assertThat(api.get("/v1/schemas/topic").json().at("/$defs/healthyRetryPolicyFields").isObject())
        .isTrue();
    assertThat(api.get("/v1/schemas/policy").json().get("title").asString()).isEqualTo("Policy");
    assertThat(api.get("/v1/schemas/scenario").status()).isEqualTo(200);
    assertThat(api.get("/v1/schemas/none").status()).isEqualTo(404);
  }

  @Test
  void aRunEndsInAReportThatLoadsNothingAndRunsApart() {
    assertThat(api.get("/v1/lab/scenarios").json().size()).isGreaterThan(20);
    Reply begun = api.post("/v1/lab/runs", SMALL.formatted(2_000, "20s"));
    assertThat(begun.status()).as(begun.text()).isEqualTo(202);
    String path = "/v1/lab/runs/" + begun.json().get("id").asString();

    JsonNode run = api.await(path, one -> one.get("state").asString().equals("done"));
    assertThat(run.get("done")).isEqualTo(run.get("all"));
    assertThat(run.get("findings")).isNotEmpty();
    assertThat(run.at("/policies/0/fitsTopics").booleanValue()).isTrue();
    assertThat(run.at("/policies/1/fitsTopics").booleanValue()).isFalse();
    Reply report = api.get(path + "/report");
    assertThat(report.header("Content-Type")).startsWith("text/html");
    assertThat(report.header("Content-Security-Policy")).contains("sandbox allow-scripts");
    assertThat(report.text()).startsWith("<!DOCTYPE html>").contains("Devices that are back");
    assertThat(api.get(path + "/results").json().get("policies")).hasSize(2);
    assertThat(api.get("/v1/lab/runs").json().size()).isPositive();
  }

  @Test
  void aRunThatIsCancelledHasNoResults() {
    // Attempts of a million devices through seven hours: far more than a test could wait for.
    Reply begun =
        api.post(
            "/v1/lab/runs",
            SMALL.formatted(1_000_000, "7h").replace("\"azure-iot\"", "\"notification-queue\""));
    assertThat(begun.status()).as(begun.text()).isEqualTo(202);
    String path = "/v1/lab/runs/" + begun.json().get("id").asString();

    assertThat(api.delete(path).status()).isEqualTo(204);

    assertThat(api.get(path).json().get("state").asString()).isEqualTo("cancelled");
    Reply report = api.get(path + "/report");
    assertThat(report.status()).isEqualTo(409);
    assertThat(report.message()).contains("must be done first");
    assertThat(api.get("/v1/lab/runs/none").status()).isEqualTo(404);
  }

  @Test
  void whatIsTooLargeOrWrongIsRefused() {
    assertThat(api.post("/v1/lab/runs", SMALL.formatted(1_000_001, "20s")).fields())
        .containsExactly("fleet.devices");
    assertThat(api.post("/v1/lab/runs", "{\"name\":\"x\"}").status()).isEqualTo(400);
    assertThat(
            api.post(
                    "/v1/lab/runs",
                    SMALL
                        .formatted(100, "20s")
                        .replace("\"fleet\": {", "\"runs\": 13, \"fleet\": {"))
                .fields())
        .containsExactly("runs");
    assertThat(
            api.post(
                    "/v1/lab/runs",
                    "{\"name\":\"x\",\"policies\":{\"a\":\"no-retry\"},\"calls\":{\"clients\":"
                        + "{\"load\":\"1000/s\"},\"service\":{\"time\":\"1ms\"},"
                        + "\"duration\":\"10m\"}}")
                .fields())
        .containsExactly("calls.clients.load");
  }
}
