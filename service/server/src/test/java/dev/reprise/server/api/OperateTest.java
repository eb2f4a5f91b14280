package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Locale.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.DueReason;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The operations on what waits and on what was given up, over HTTP with a real endpoint. */
class OperateTest {
  private static final String ONE_ATTEMPT =
      "\"policy\":{\"healthyRetryPolicy\":{\"numRetries\":0,\"numMaxDelayRetries\":0}}";

  @TempDir private Path folder;

  private static String settings(ScriptedEndpoint endpoint, String more) {
    return "{\"endpoint\":\"" + endpoint.url() + "\"" + (more.isEmpty() ? "" : "," + more) + "}";
  }

  private static String message(int number) {
    return "{\"body\":{\"n\":" + number + "},\"attributes\":{\"n\":\"" + number + "\"}}";
  }

  @Test
  void aSuspendedSubscriptionHoldsAndIsReleased() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = api.subscribe("orders", settings(endpoint, ""));
      String path = "/v1/subscriptions/" + id;

      Reply suspended =
          api.post(path + "/suspend", "{\"reason\":\"move\",\"maxAge\":\"P3D\",\"maxHeld\":50}");
      assertThat(suspended.status()).isEqualTo(200);
      String message = api.publish("orders", message(1));
      JsonNode shown = api.get(path).json().get("suspended");
      assertThat(shown.get("by").asString()).isEqualTo("operator");
      assertThat(shown.get("reason").asString()).isEqualTo("move");
      assertThat(shown.get("held").asInt()).isEqualTo(1);
      assertThat(shown.get("maxHeld").asInt()).isEqualTo(50);
      Instant dropsAt = Instant.parse(shown.get("dropsAt").asString());
      assertThat(dropsAt)
          .isAfter(Instant.parse(shown.get("since").asString()).plusSeconds(259_199));
      assertThat(api.get("/v1/subscriptions").json().at("/items/0/suspended/held").asInt())
          .isEqualTo(1);
      assertThat(endpoint.received).isEmpty();

      assertThat(api.post(path + "/release", "{}").json().has("suspended")).isFalse();
      api.await(
          "/v1/deliveries/" + message + "@" + id,
          d -> d.get("status").asString().equals("delivered"));
      assertThat(api.get(path).json().has("suspended")).isFalse();
    }
  }

  @Test
  void aSuspensionSurvivesARestartAndWrongBoundsAreNamed() {
    String id;
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      try (RunningService api = RunningService.dev(folder)) {
        id = api.subscribe("orders", settings(endpoint, "\"startSuspended\":true"));
        api.publish("orders", message(1));
      }
      try (RunningService api = RunningService.dev(folder)) {
        String path = "/v1/subscriptions/" + id;
        assertThat(api.get(path).json().at("/suspended/by").asString()).isEqualTo("creation");
        Reply wrong = api.post(path + "/suspend", "{\"maxAge\":\"0s\"}");
        assertThat(wrong.fields()).containsExactly("maxAge");
        assertThat(api.post(path + "/suspend", "{\"maxHeld\":-1}").fields())
            .containsExactly("maxHeld");
        assertThat(api.post(path + "/suspend", "{\"until\":1}").fields()).containsExactly("until");
        assertThat(endpoint.received).isEmpty();
        api.post(path + "/release", "{}");
        api.await(path, s -> s.at("/ledger/delivered").asInt() == 1);
      }
    }
  }

  @Test
  void anEndpointThatIsGoneSuspendsWhereAskedFor() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint().always(410)) {
      String id = api.subscribe("orders", settings(endpoint, "\"suspendWhenGone\":true"));
      api.publish("orders", message(1));
      JsonNode shown =
          api.await("/v1/subscriptions/" + id, s -> s.has("suspended")).get("suspended");
      assertThat(shown.get("by").asString()).isEqualTo("endpoint");
      assertThat(shown.get("reason").asString()).contains("410");

      api.publish("orders", message(2));
      JsonNode counts = api.get("/v1/subscriptions/" + id + "/counts").json();
      assertThat(counts.get("pending").asInt()).isEqualTo(1);
      assertThat(counts.get("due").asInt()).isEqualTo(1);
      assertThat(counts.get("deadLettered").asInt()).isEqualTo(1);
      assertThat(counts.get("complete").asBoolean()).isTrue();
      assertThat(endpoint.received).hasSize(1);
    }
  }

  @Test
  void whatFailsSaysSinceWhenAndIsFoundInTheList() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint().always(503)) {
      String id = api.subscribe("orders", settings(endpoint, ""));
      String unused = api.subscribe("empty", settings(endpoint, ""));
      String path = "/v1/subscriptions/" + id;
      assertThat(api.get(path).json().propertyNames())
          .doesNotContain("failingSince", "lastSuccess", "lastOutcome");

      api.publish("orders", message(1));
      JsonNode failing = api.await(path, s -> s.has("failingSince"));
      Instant since = Instant.parse(failing.get("failingSince").asString());
      assertThat(since).isAfter(Instant.parse(failing.get("createdAt").asString()).minusMillis(1));
      assertThat(failing.has("lastSuccess")).isFalse();
      assertThat(Instant.parse(failing.at("/lastOutcome/at").asString())).isAfterOrEqualTo(since);
      assertThat(failing.at("/lastOutcome/outcome").asString()).isEqualTo("5xx");
      assertThat(failing.at("/lastOutcome/summary").asString()).startsWith("503");
      String list = "/v1/subscriptions?limit=1&failing=";
      assertThat(api.all(list + "true", "id")).containsExactly(id);
      assertThat(api.all(list + "false", "id")).containsExactly(unused);
      assertThat(api.all(list + "true&suspended=true", "id")).isEmpty();

      endpoint.always(204);
      api.publish("orders", message(2));
      JsonNode well = api.await(path, s -> s.has("lastSuccess"));
      assertThat(well.has("failingSince")).isFalse();
      assertThat(well.at("/lastOutcome/outcome").asString()).isEqualTo("2xx");
      assertThat(well.at("/lastOutcome/at").asString())
          .isEqualTo(well.get("lastSuccess").asString());
      assertThat(api.all(list + "false", "id")).containsExactly(id, unused);
    }
  }

  @Test
  void whatIsCancelledIsADeadLetterThatSaysSo() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = api.subscribe("orders", settings(endpoint, "\"startSuspended\":true"));
      String first = api.publish("orders", message(1));
      api.publish("orders", message(2));
      String path = "/v1/subscriptions/" + id;

      Reply one = api.post(path + "/cancel", "{\"message\":\"" + first + "\"}");
      assertThat(one.json().get("changed").asInt()).isEqualTo(1);
      JsonNode delivery = api.get("/v1/deliveries/" + first + "@" + id).json();
      assertThat(delivery.get("stopReason").asString()).isEqualTo("CANCELLED");
      assertThat(delivery.at("/history/0/kind").asString()).isEqualTo("cancelled");
      assertThat(api.get(path).json().at("/ledger/pending").asInt()).isEqualTo(1);
      assertThat(api.get(path + "/dead-letters?reason=CANCELLED").json().get("items")).hasSize(1);
    }
  }

  @Test
  void aTestMessageReachesOneSubscriptionWhateverItsFilter() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint();
        ScriptedEndpoint other = new ScriptedEndpoint()) {
      String id = api.subscribe("orders", settings(endpoint, "\"filter\":{\"n\":[\"never\"]}"));
      api.subscribe("orders", settings(other, ""));

      Reply sent = api.post("/v1/subscriptions/" + id + "/test", "{}");
      assertThat(sent.status()).isEqualTo(202);
      String delivery = "/v1/deliveries/" + sent.json().get("messageId").asString() + "@" + id;
      api.await(delivery, d -> d.get("status").asString().equals("delivered"));
      assertThat(new String(endpoint.received.get(0).body(), UTF_8)).contains("\"test\":true");
      assertThat(other.received).isEmpty();

      api.post("/v1/subscriptions/" + id + "/suspend", "{}");
      assertThat(api.post("/v1/subscriptions/" + id + "/test", "{}").status()).isEqualTo(409);
    }
  }

  @Test
  void deadLettersAreCountedSearchedAndRedrivenElsewhere() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint broken = new ScriptedEndpoint().always(404);
        ScriptedEndpoint down = new ScriptedEndpoint().always(503);
        ScriptedEndpoint works = new ScriptedEndpoint()) {
      String from = api.subscribe("orders", settings(broken, ONE_ATTEMPT));
      String to = api.subscribe("audit", settings(works, ""));
      for (int i = 0; i < 3; i++) {
        api.publish("orders", message(i));
      }
      String path = "/v1/subscriptions/" + from;
      api.await(path, s -> s.at("/ledger/deadLettered").asInt() == 3);
      api.patch(path, settings(down, ""));
      api.publish("orders", message(3));
      api.await(path, s -> s.at("/ledger/deadLettered").asInt() == 4);

      JsonNode summary = api.get(path + "/dead-letters/summary").json();
      assertThat(summary.get("seen").asInt()).isEqualTo(4);
      assertThat(summary.get("reasons")).hasSize(2);
      assertThat(summary.at("/reasons/0/reason").asString()).isEqualTo("NOT_RETRYABLE");
      assertThat(summary.at("/reasons/0/count").asInt()).isEqualTo(3);
      JsonNode found = api.get(path + "/dead-letters?text=service%20UNAVAIL").json();
      assertThat(found.get("items")).hasSize(1);
      assertThat(found.get("seen").asInt()).isEqualTo(4);

      String filter = "\"filter\":{\"reason\":\"NOT_RETRYABLE\"}";
      Reply paced = api.post(path + "/redrive", "{\"to\":\"" + to + "\",\"perSecond\":1}");
      assertThat(paced.fields()).containsExactly("perSecond");
      Reply moved = api.post(path + "/redrive", "{" + filter + ",\"to\":\"" + to + "\"}");
      assertThat(moved.json().get("changed").asInt()).isEqualTo(3);
      api.await("/v1/subscriptions/" + to, s -> s.at("/ledger/delivered").asInt() == 3);

      JsonNode ledger = api.get(path).json().get("ledger");
      assertThat(ledger.get("moved").asInt()).isEqualTo(3);
      assertThat(ledger.get("deadLettered").asInt()).isEqualTo(1);
      assertThat(ledger.get("unexplained").asInt()).isZero();
      assertThat(works.received)
          .extracting(r -> new String(r.body(), UTF_8))
          .anyMatch(b -> b.contains("\"n\":\"2\""));
      assertThat(api.get("/v1/ledger?verify=true").json().at("/verified/agrees").asBoolean())
          .isTrue();
    }
  }

  @Test
  void aSubscriptionGetsTheDeadLettersOfAnother() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint broken = new ScriptedEndpoint().always(404);
        ScriptedEndpoint works = new ScriptedEndpoint()) {
      String to = api.subscribe("failed-orders", settings(works, ""));
      String from = api.subscribe("orders", settings(broken, ONE_ATTEMPT));
      api.publish("orders", message(1));
      String path = "/v1/subscriptions/" + from;
      api.await(path, s -> s.at("/ledger/deadLettered").asInt() == 1);

      // What is there already is handed over as well.
      String target = "{\"deadLetterTarget\":\"" + to + "\"}";
      assertThat(api.patch(path, target).status()).isEqualTo(200);
      api.publish("orders", message(2));
      api.await("/v1/subscriptions/" + to, s -> s.at("/ledger/delivered").asInt() == 2);
      api.await(path, s -> s.at("/ledger/moved").asInt() == 2);

      assertThat(
              api.patch("/v1/subscriptions/" + to, "{\"deadLetterTarget\":\"" + from + "\"}")
                  .fields())
          .containsExactly("deadLetterTarget");
      assertThat(api.patch(path, "{\"deadLetterTarget\":\"" + from + "\"}").fields())
          .containsExactly("deadLetterTarget");
      assertThat(api.patch(path, "{\"deadLetterTarget\":\"none-9\"}").fields())
          .containsExactly("deadLetterTarget");
      assertThat(api.patch(path, "{\"deadLetters\":\"discard\"}").fields())
          .containsExactly("deadLetterTarget");
      assertThat(api.delete("/v1/subscriptions/" + to).status()).isEqualTo(409);
    }
  }

  @Test
  void everyScanSaysHowMuchItLookedAtAndGoesOnByCursor() {
    try (RunningService api = RunningService.dev(folder);
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = api.subscribe("orders", settings(endpoint, "\"startSuspended\":true"));
      for (int i = 0; i < 5; i++) {
        api.publish("orders", message(i));
      }
      String path = "/v1/subscriptions/" + id;
      JsonNode counts = api.get(path + "/counts").json();
      assertThat(counts.get("seen").asInt()).isEqualTo(5);
      assertThat(counts.get("next").isNull()).isTrue();
      assertThat(api.get(path + "/counts?cursor=nonsense").fields()).containsExactly("cursor");
      assertThat(api.get(path + "/minutes").json().has("seen")).isTrue();
      assertThat(api.get("/v1/audit?operation=none").json().get("seen").asInt()).isPositive();
      assertThat(api.get("/v1/ledger?verify=true").json().at("/verified/seen").asInt())
          .isEqualTo(5);

      walk(api, path + "/attempt-now", "", 0, 0);
      walk(api, path + "/cancel", "", 5, 5);
      String none = "\"filter\":{\"text\":\"nowhere\"},";
      walk(api, path + "/redrive", none + "\"dryRun\":true,", 0, 5);
      walk(api, path + "/redrive", "", 5, 5);
      walk(api, path + "/cancel", "", 5, 5);
      String cursor = "";
      int seen = 0;
      do {
        JsonNode part = api.delete(path + "/dead-letters?limit=2" + cursor).json();
        seen += part.get("seen").asInt();
        cursor = part.get("next").isNull() ? "" : "&cursor=" + part.get("next").asString();
      } while (!cursor.isEmpty());
      assertThat(seen).isEqualTo(5);
    }
  }

  /** Walks in parts of two. */
  private static void walk(
      RunningService api, String path, String more, int changed, int expectedSeen) {
    int seen = 0;
    int sum = 0;
    String cursor = "";
    do {
      JsonNode part = api.post(path, "{" + more + "\"limit\":2" + cursor + "}").json();
      assertThat(part.get("seen").asInt()).isLessThanOrEqualTo(2);
      seen += part.get("seen").asInt();
      sum += part.path("changed").asInt(0);
      cursor =
          part.get("next").isNull() ? "" : ",\"cursor\":\"" + part.get("next").asString() + "\"";
    } while (!cursor.isEmpty());
    assertThat(sum).isEqualTo(changed);
    assertThat(seen).isEqualTo(expectedSeen);
  }

  @Test
  void anAttemptThatWasAskedForIsOfADescribedKind() {
    try (RunningService api = RunningService.dev(folder)) {
      JsonNode schemas = api.get("/openapi.json").json().at("/components/schemas");
      for (String name : List.of("NextAttempt", "DueEvent")) {
        assertThat(schemas.at("/" + name + "/properties/kind/enum").valueStream())
            .extracting(JsonNode::asString)
            .containsExactlyElementsOf(
                Stream.of(DueReason.Kind.values()).map(k -> k.name().toLowerCase(ROOT)).toList());
      }
    }
  }
}
