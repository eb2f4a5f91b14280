package dev.reprise.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.cli.CommandRun;
import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.Browser;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.ScriptedCarrierType;
import dev.reprise.server.fixture.ScriptedEndpoint;
import dev.reprise.server.fixture.ScriptedFunction;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What waits because everything before it was refused alike, over HTTP. */
@Tag("slow")
class HeldDeliveriesTest {
  @TempDir private Path folder;

  private static void publish(RunningService api, int count) {
    for (int i = 0; i < count; i++) {
      api.publish("orders", "{\"body\":{\"n\":" + i + "}}");
    }
  }

  @Test
  void refusalsAreShownWithCodeAndNumberAndAReleaseGoesOn() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().always(403)) {
      String path;
      try (RunningService api = RunningService.devThatHolds(folder, Duration.ofSeconds(15))) {
        path =
            "/v1/subscriptions/"
                + api.subscribe("orders", "{\"endpoint\":\"" + endpoint.url() + "\"}");
        publish(api, 30);
        shown(api, path);
      }
      try (RunningService api = RunningService.devThatHolds(folder, Duration.ofSeconds(15))) {
        JsonNode after = shown(api, path);
        assertThat(after.at("/ledger/deadLettered").asInt()).isEqualTo(10);
        endpoint.always(204);
        assertThat(api.post(path + "/release", "{}").status()).isEqualTo(200);
        api.post(path + "/attempt-now", "{}");
        api.await(path, each -> each.at("/ledger/delivered").asInt() == 20);
        assertThat(api.get("/health/ready").json().has("held")).isFalse();
        assertThat(api.get(path).json().at("/health/hold").isNull()).isTrue();
      }
    }
  }

  private static JsonNode shown(RunningService api, String path) {
    JsonNode subscription = api.await(path, each -> each.at("/health/hold").isObject());
    assertThat(subscription.at("/health/hold/reason").asString())
        .contains("10 deliveries in a row were given up with 403");
    JsonNode ready = api.get("/health/ready").json();
    assertThat(ready.get("status").asString()).isEqualTo("ready");
    assertThat(ready.at("/held/0").asString())
        .isEqualTo("403: refused 10 deliveries in a row; the rest of 1 subscription waits");
    assertThat(api.get("/v1/overview").json().at("/held/0/code").asString()).isEqualTo("403");
    assertThat(api.get("/metrics").text())
        .contains("reprise_held{code=\"403\",kind=\"subscription\"} 1")
        .contains("reprise_held_refused{code=\"403\",kind=\"subscription\"} 10");
    String id = subscription.get("id").asString();
    CommandRun.Result troubles =
        new CommandRun().with("REPRISE_URL", api.service.baseUrl()).execute("troubles");
    assertThat(troubles.exitCode()).as(troubles.err()).isEqualTo(1);
    assertThat(troubles.out())
        .contains("SINCE", "WHERE", "WHAT TO DO")
        .contains("The endpoint of " + id + " refuses everything alike: 10 deliveries in a row")
        .contains("./reprise subscription release " + id);
    JsonNode listed = api.get("/v1/deliveries?status=pending&subscription=" + id).json();
    assertThat(listed.at("/items").toString()).contains("given up with 403");
    String message = listed.at("/items/0/message").asString();
    // Each of them may be the one that is tried just now.
    String waits = "given up with 403, the rest waits since 20";
    awaitWaitingFor(api, "/v1/deliveries?message=" + message, "/items/0", waits);
    awaitWaitingFor(api, "/v1/deliveries/" + message + "@" + id, "", waits);
    String line = "1 delivery held back: this subscription: refuses everything alike: 10";
    Await.value(
        "the list of deliveries",
        () -> reprise(api, "deliveries", "list", "--message", message),
        out -> out.contains(line));
    assertThat(reprise(api, "subscription", "show", id))
        .contains("given up with 403")
        .contains("mend the cause, then ./reprise subscription release " + id);
    inConsole(api, id, message);
    return subscription;
  }

  /** The output in one line, however wide it was. */
  private static String reprise(RunningService api, String... args) {
    CommandRun.Result run =
        new CommandRun().with("REPRISE_URL", api.service.baseUrl()).execute(args);
    assertThat(run.exitCode()).as(run.err()).isZero();
    return run.out().replaceAll("\\s+", " ");
  }

  private static void inConsole(RunningService api, String id, String message) {
    String reason = "refuses everything alike: 10 deliveries in a row were given up with 403";
    String goesOn = "One delivery at a time is tried, and the rest goes on with the first";
    try (Browser browser = Browser.open(api)) {
      browser.open("/");
      browser.see("#troubles .note.is-bad", "The endpoint of " + id + " refuses everything alike");
      browser.see("main .note.is-bad", reason);
      browser.see("main .note.is-bad", goesOn);
      browser.open("/subscriptions/" + id);
      browser.see("main", "The endpoint " + reason + ", the rest waits since 20");
      browser.see("main", "; last: 403 Forbidden; next");
      browser.see("main", goesOn);
      browser.open("/deliveries/" + message + "@" + id);
      browser.see("main", "The endpoint " + reason);
    }
  }

  private static void awaitWaitingFor(RunningService api, String path, String item, String wanted) {
    api.await(
        path, each -> each.at(item + "/nextAttempt/waitingFor").asString("").contains(wanted));
  }

  @Test
  void aDeliveryThatWaitsForItsTimeIsNotHeldBack() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().always(503);
        RunningService api = RunningService.devThatHolds(folder, Duration.ofSeconds(15))) {
      String id = api.subscribe("orders", "{\"endpoint\":\"" + endpoint.url() + "\"}");
      publish(api, 1);
      api.await(
          "/v1/deliveries?subscription=" + id,
          each -> each.at("/items/0/nextAttempt/inMillis").asInt() > 0);
      assertThat(reprise(api, "deliveries", "list", "--subscription", id))
          .contains("503 Service Unavailable")
          .doesNotContain("held back");
    }
  }

  @Test
  void aFunctionThatRefusesEverythingIsToldByItsName() {
    ScriptedFunction.refuses = true;
    try (ScriptedEndpoint ops = new ScriptedEndpoint();
        RunningService api = RunningService.devThatHolds(folder, Duration.ofSeconds(15))) {
      api.post(
          "/v1/topics/reprise:operator/subscriptions",
          "{\"endpoint\":\"" + ops.url() + "\",\"filter\":{\"type\":[\"endpoint.held\"]}}");
      // Two shards, each of which counts by itself what it has of a function.
      for (int i = 0; i < 4; i++) {
        api.subscribe("orders", "{\"protocol\":\"function\",\"endpoint\":\"scripted\"}");
      }
      publish(api, 10);

      List<JsonNode> told =
          Await.value(
              "what the operator is told",
              () -> held(ops),
              all -> all.stream().anyMatch(each -> each.has("host")));
      assertThat(told)
          .filteredOn(each -> each.has("host"))
          .extracting(each -> each.get("text").asString().replaceAll(" alike:.*", ""))
          .containsOnly("The function scripted refuses everything");
      assertThat(told)
          .filteredOn(each -> each.has("subscription"))
          .allSatisfy(
              each ->
                  assertThat(each.get("text").asString())
                      .startsWith(
                          "The endpoint of subscription " + each.get("subscription").asString()));
      assertThat(api.get("/metrics").text())
          .containsPattern("held\\{code=[^}]*,kind=\"function\"}");
      assertThat(api.get("/health/ready").json().get("held")).isNotEmpty();
    } finally {
      ScriptedFunction.refuses = false;
    }
  }

  private static List<JsonNode> held(ScriptedEndpoint ops) {
    return ops.posts().stream()
        .map(post -> JsonMapper.shared().readTree(post.body()).get("body"))
        .toList();
  }

  @Test
  void aRepeatSaysWhyAndIsCounted() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().thenHeld(204);
        RunningService api = RunningService.devThatHolds(folder, Duration.ofMillis(300))) {
      String id = api.subscribe("orders", "{\"endpoint\":\"" + endpoint.url() + "\"}");
      String message = api.publish("orders", "{\"body\":1}");
      api.await("/v1/subscriptions/" + id, each -> each.at("/ledger/attempts").asInt() == 1);
      endpoint.release();
      JsonNode delivery =
          api.await(
              "/v1/deliveries/" + message + "@" + id,
              each -> each.get("status").asString().equals("delivered"));
      assertThat(delivery.at("/history/0").has("mayRepeat")).isFalse();
      assertThat(delivery.at("/history/1/mayRepeat").asString()).isEqualTo("timed_out");
      JsonNode repeats = api.get("/v1/subscriptions/" + id).json().get("repeats");
      assertThat(repeats.get("timed_out").asInt()).isPositive();
      assertThat(api.get("/metrics").text())
          .containsPattern("reprise_attempts_repeated_total\\{reason=\"timed_out\"} [1-9]")
          .contains("reprise_attempts_repeated_total{reason=\"killed\"} 0");
    }
  }

  @Test
  void aDeliveryInAListSaysThatItWaitsForItsCarrier() {
    ScriptedCarrierType.play("listed").fault = "carrier down: connection refused";
    try (RunningService api = RunningService.devThatHolds(folder, Duration.ofSeconds(15))) {
      api.post(
          "/v1/carriers?unchecked=true",
          "{\"name\":\"listed\",\"type\":\"scripted\","
              + "\"settings\":{\"addresses\":[\"192.0.2.1:2775\"]}}");
      String id =
          api.subscribe(
              "orders",
              "{\"protocol\":\"sms\",\"endpoint\":\"+4915112345678\",\"carrier\":\"listed\"}");
      String message = api.publish("orders", "{\"body\":\"hello\",\"contentType\":\"text/plain\"}");
      String waits = "carrier listed: carrier down: connection refused; next try at";
      awaitWaitingFor(api, "/v1/deliveries?subscription=" + id, "/items/0", waits);
      awaitWaitingFor(api, "/v1/deliveries?message=" + message, "/items/0", waits);
      assertThat(api.get("/health/ready").json().at("/carriers/listed").asString())
          .startsWith("at fault since ")
          .endsWith(": carrier down: connection refused");
      assertThat(api.post("/v1/carriers/listed/resume", null).json())
          .hasToString("{\"resumed\":false}");
    } finally {
      ScriptedCarrierType.play("listed").fault = null;
    }
  }
}
