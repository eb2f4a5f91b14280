package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Tag("slow")
class TroublesApiTest {
  private static final String JSON = "application/json";

  @TempDir Path folder;

  private static Reply as(RunningService api, String key, String path) {
    return api.send("GET", path, null, "", "Authorization", "Bearer " + key);
  }

  private static String key(RunningService api, String fields) {
    Reply made = api.post("/v1/keys", "{\"name\":\"k\"" + fields + "}");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return made.json().get("key").asString();
  }

  @Test
  void deadLettersAreToldToTheOperatorAndTheirProject() {
    String operators;
    String theirs;
    String others;
    String id;
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint();
        RunningService api = RunningService.withKeys(folder, "127.0.0.0/8")) {
      assertThat(api.get("/v1/troubles").json().get("troubles")).isEmpty();
      for (String project : new String[] {"alpha", "beta"}) {
        assertThat(api.post("/v1/projects", "{\"name\":\"" + project + "\"}").status())
            .isEqualTo(201);
      }
      theirs = key(api, ",\"project\":\"alpha\",\"scopes\":[\"read\"]");
      others = key(api, ",\"project\":\"beta\",\"scopes\":[\"read\"]");
      endpoint.always(400);
      String[] alpha = {"Reprise-Project", "alpha"};
      api.send("PUT", "/v1/topics/orders", "{}", JSON, alpha);
      Reply made =
          api.send(
              "POST",
              "/v1/topics/orders/subscriptions",
              "{\"endpoint\":\"" + endpoint.url() + "\"}",
              JSON,
              alpha);
      assertThat(made.status()).as(made.text()).isEqualTo(201);
      id = made.json().get("id").asString();
      api.send("POST", "/v1/topics/orders/messages", "{\"body\":\"a\"}", JSON, alpha);
      String reader = theirs;
      String path = "/v1/subscriptions/" + id;
      Await.value(
          "the dead letter",
          () -> as(api, reader, path).json(),
          each -> each.at("/ledger/deadLettered").asInt() == 1);
      // A key that is made for a few days is meant to end, and no trouble.
      operators = key(api, ",\"expiresAt\":\"" + Instant.now().plus(6, ChronoUnit.DAYS) + "\"");
    }
    // What a minute had until then is stored by the stop.
    try (RunningService api = RunningService.withKeys(folder, "127.0.0.0/8")) {
      String key = operators;
      JsonNode list =
          Await.value(
              "the trouble",
              () -> as(api, key, "/v1/troubles").json().get("troubles"),
              each -> each.findValuesAsString("kind").contains("dead_letters_grow"));
      // After some minutes the endpoint is a trouble as well.
      JsonNode first = list.get(list.findValuesAsString("kind").indexOf("dead_letters_grow"));
      assertThat(first.get("kind").asString()).isEqualTo("dead_letters_grow");
      assertThat(first.get("project").asString()).isEqualTo("alpha");
      assertThat(first.get("subscription").asString()).isEqualTo(id);
      assertThat(first.get("text").asString())
          .isEqualTo(
              "1 delivery of "
                  + id
                  + " was given up within the last hour; it keeps 1 dead letter.");
      assertThat(first.get("action").asString()).contains("./reprise redrive " + id);
      assertThat(as(api, operators, "/v1/overview").json().get("troubles")).isEqualTo(list);
      assertThat(as(api, theirs, "/v1/troubles").json().get("troubles")).isEqualTo(list);
      assertThat(as(api, others, "/v1/troubles").json().get("troubles")).isEmpty();
    }
  }
}
