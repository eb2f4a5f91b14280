package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A subscription over both shards of a service: over HTTP it is one like any other. */
class SpreadApiTest {
  private static final int MESSAGES = 40;

  @TempDir private Path folder;

  private static String settings(ScriptedEndpoint endpoint, String more) {
    return "{\"endpoint\":\""
        + endpoint.url()
        + "\",\"policy\":{\"healthyRetryPolicy\":{\"numRetries\":0,\"numMaxDelayRetries\":0}},"
        + more
        + "}";
  }

  private static void publish(RunningService api) {
    for (int i = 0; i < MESSAGES; i++) {
      api.publish("orders", "{\"body\":{\"n\":" + i + "}}");
    }
  }

  /** Repeats a request with the cursor of the answer before; returns what all have changed. */
  private static int walk(RunningService api, String path, int limit) {
    int changed = 0;
    String cursor = "";
    while (true) {
      Reply reply = api.post(path, "{\"limit\":" + limit + cursor + "}");
      assertThat(reply.status()).as(reply.text()).isEqualTo(200);
      changed += reply.json().get("changed").asInt();
      JsonNode next = reply.json().get("next");
      if (next == null || next.isNull()) {
        return changed;
      }
      cursor = ",\"cursor\":\"" + next.asString() + "\"";
    }
  }

  @Test
  void shards_are_chosen_once_and_within_what_there_is() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = api.subscribe("orders", settings(endpoint, "\"shards\":2"));
      String path = "/v1/subscriptions/" + id;
      assertThat(api.get(path).json().get("shards").asInt()).isEqualTo(2);

      Reply other = api.patch(path, "{\"shards\":1}");
      assertThat(other.status()).isEqualTo(400);
      assertThat(other.fields()).containsExactly("shards");
      assertThat(other.text()).contains("must stay 2");
      assertThat(api.patch(path, "{\"shards\":2,\"maxInFlight\":10}").status()).isEqualTo(200);
      assertThat(api.patch(path, "{\"maxInFlight\":1}").fields()).containsExactly("shards");

      String topic = "/v1/topics/orders/subscriptions";
      assertThat(api.post(topic, settings(endpoint, "\"shards\":3")).text())
          .contains("shards is 3: must be at most 2, the number of shards that there are");
      assertThat(api.post(topic, settings(endpoint, "\"shards\":0")).fields())
          .containsExactly("shards");
      String plain = api.subscribe("orders", settings(endpoint, "\"shards\":1"));
      assertThat(api.get("/v1/subscriptions/" + plain).json().has("shards")).isFalse();
      Reply throttled =
          api.put("/v1/topics/orders", "{\"throttlePolicy\":{\"maxReceivesPerSecond\":1}}");
      assertThat(throttled.status()).as(throttled.text()).isEqualTo(200);
      String inherits = "{\"endpoint\":\"" + endpoint.url() + "\",\"shards\":2}";
      assertThat(api.post(topic, inherits).text()).contains("maxReceivesPerSecond, which is 1");
    }
  }

  @Test
  void what_is_given_up_is_listed_counted_and_redriven_as_of_one() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint().always(400)) {
      String id = api.subscribe("orders", settings(endpoint, "\"shards\":2"));
      String path = "/v1/subscriptions/" + id;
      publish(api);
      api.await(path, s -> s.at("/ledger/deadLettered").asInt() == MESSAGES);

      List<String> dead = api.all(path + "/dead-letters?limit=7", "id");
      assertThat(dead).hasSize(MESSAGES).doesNotHaveDuplicates();
      assertThat(api.all("/v1/deliveries?limit=7&subscription=" + id, "id"))
          .containsExactlyElementsOf(dead);
      JsonNode summary = api.get(path + "/dead-letters/summary").json();
      assertThat(summary.at("/reasons/0/count").asInt()).isEqualTo(MESSAGES);
      assertThat(api.get("/v1/deliveries/" + dead.get(0)).json().get("status").asString())
          .isEqualTo("dead-lettered");
      JsonNode minutes =
          api.await(
              path + "/minutes",
              m -> {
                int attempts = 0;
                for (JsonNode minute : m.get("items")) {
                  attempts += minute.get("attempts").asInt();
                }
                return attempts == MESSAGES;
              });
      assertThat(minutes.get("items").size()).isBetween(1, 2);

      endpoint.always(204);
      JsonNode dry = api.post(path + "/redrive", "{\"dryRun\":true,\"limit\":1000}").json();
      assertThat(dry.get("matched").asInt()).isBetween(1, MESSAGES);
      assertThat(walk(api, path + "/redrive", 6)).isEqualTo(MESSAGES);
      api.await(path, s -> s.at("/ledger/delivered").asInt() == MESSAGES);
      assertLedger(api, id);
    }
  }

  private static void assertLedger(RunningService api, String id) {
    JsonNode ledger = api.get("/v1/ledger?verify=true").json();
    assertThat(ledger.at("/verified/agrees").asBoolean()).as(ledger.toString()).isTrue();
    assertThat(ledger.at("/total/unexplained").asInt()).isZero();
    assertThat(ledger.get("subscriptions")).hasSize(1);
    JsonNode line = ledger.at("/subscriptions/0");
    assertThat(line.findValuesAsString("id")).as(line.toString()).contains(id);
    assertThat(line.findValue("accepted").asInt()).isEqualTo(MESSAGES);
    JsonNode overview = api.get("/v1/overview").json();
    assertThat(overview.findValue("delivered")).as(overview.toString()).isNotNull();
  }

  @Test
  void it_is_suspended_released_and_deleted_as_one() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = api.subscribe("orders", settings(endpoint, "\"shards\":2"));
      String path = "/v1/subscriptions/" + id;
      JsonNode suspended =
          api.post(path + "/suspend", "{\"reason\":\"move\",\"maxHeld\":1001}").json();
      assertThat(suspended.at("/suspended/maxHeld").asInt()).isEqualTo(1001);
      publish(api);
      assertThat(api.get(path).json().at("/suspended/held").asInt()).isEqualTo(MESSAGES);
      JsonNode counts = api.get(path + "/counts").json();
      assertThat(counts.get("pending").asInt()).isEqualTo(MESSAGES);
      assertThat(counts.get("due").asInt()).isEqualTo(MESSAGES);
      assertThat(counts.get("complete").asBoolean()).isTrue();
      Set<String> pending =
          new HashSet<>(api.all("/v1/deliveries?status=pending&limit=9&subscription=" + id, "id"));
      assertThat(pending).hasSize(MESSAGES);
      assertThat(walk(api, path + "/cancel", 11)).isEqualTo(MESSAGES);

      publish(api);
      assertThat(api.post(path + "/release", "{}").json().has("suspended")).isFalse();
      JsonNode shown = api.await(path, s -> s.at("/ledger/delivered").asInt() == MESSAGES);
      assertThat(shown.at("/health/maxInFlight").asInt()).isEqualTo(64);
      assertThat(endpoint.received).hasSize(MESSAGES);

      assertThat(api.delete(path).status()).isEqualTo(204);
      api.await("/v1/ledger", l -> l.at("/total/discarded").asInt() == MESSAGES);
      assertThat(api.get("/v1/ledger?verify=true").json().at("/verified/agrees").asBoolean())
          .isTrue();
    }
  }
}
