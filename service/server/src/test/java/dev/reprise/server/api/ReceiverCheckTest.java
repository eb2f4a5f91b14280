package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import dev.reprise.server.fixture.WebhookReceiver;
import dev.reprise.server.fixture.WebhookReceiver.Fault;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The check of receivers, against receivers that do right and some that do wrong. */
@Tag("slow")
class ReceiverCheckTest {
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

  private static String subscribe(String url, String more) {
    return api.subscribe("t", "{\"endpoint\":\"" + url + "\"" + more + "}");
  }

  private static String signed(WebhookReceiver receiver, String kind) {
    String id = subscribe(receiver.url(), "");
    JsonNode secret =
        api.post("/v1/subscriptions/" + id + "/signing-secret", "{\"kind\":\"" + kind + "\"}")
            .json();
    receiver.verifyBy(
        secret.path(kind.equals("shared") ? "signingSecret" : "publicKey").asString());
    return id;
  }

  private static Reply check(String id) {
    return api.post("/v1/subscriptions/" + id + "/check", "{}");
  }

  /** Each finding's result: passed, failed or unknown. */
  private static Map<String, String> results(Reply reply) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    Map<String, String> results = new LinkedHashMap<>();
    for (JsonNode each : reply.json().get("checks")) {
      JsonNode passed = each.get("passed");
      results.put(
          each.get("name").asString(),
          passed.isNull() ? "unknown" : passed.booleanValue() ? "passed" : "failed");
    }
    return results;
  }

  private static String text(Reply reply, String name) {
    for (JsonNode each : reply.json().get("checks")) {
      if (each.get("name").asString().equals(name)) {
        return each.get("text").asString();
      }
    }
    throw new AssertionError(name + " is not in " + reply.text());
  }

  @ParameterizedTest
  @ValueSource(strings = {"shared", "ed25519"})
  void aReceiverByOurLibraryDoesRight(String kind) {
    try (WebhookReceiver receiver = new WebhookReceiver()) {
      String id = signed(receiver, kind);
      String before = api.get("/v1/ledger").text();

      Reply reply = check(id);

      assertThat(results(reply).values()).as(reply.text()).containsOnly("passed");
      assertThat(reply.json().get("passed").intValue()).isEqualTo(6);
      assertThat(reply.json().get("failed").intValue()).isZero();
      assertThat(text(reply, "signature"))
          .isEqualTo("A message with a wrong signature was refused: 401 Unauthorized.");
      assertThat(text(reply, "timeout")).contains("; an attempt has 10 min");
      assertThat(receiver.received).hasSize(5);
      assertThat(receiver.received)
          .allSatisfy(each -> assertThat(each.getFirst("Reprise-Test")).isEqualTo("true"));
      assertThat(receiver.received.stream().map(each -> each.getFirst("webhook-id")).distinct())
          .hasSize(4);
      assertThat(api.get("/v1/ledger").text()).isEqualTo(before);
      assertThat(api.get("/v1/deliveries?subscription=" + id).json().get("items")).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "IGNORES_SIGNATURES, signature, 'was not refused with 4xx: 204 No Content.'",
    "IGNORES_TIMESTAMPS, timestamp, 'was not refused with 4xx: 204 No Content.'",
    "REFUSES_REPETITIONS, repetition, 'was not taken: 409 Conflict.'",
    "REFUSES_LARGE_BODIES, body, 'was not taken: 413 Content Too Large.'"
  })
  void oneFaultIsFoundAndNoOther(Fault fault, String name, String text) {
    try (WebhookReceiver receiver = new WebhookReceiver(fault)) {
      Reply reply = check(signed(receiver, "shared"));

      Map<String, String> results = results(reply);
      assertThat(results).as(reply.text()).containsEntry(name, "failed");
      results.remove(name);
      assertThat(results.values()).as(reply.text()).containsOnly("passed");
      assertThat(text(reply, name)).endsWith(text);
      assertThat(reply.json().get("failed").intValue()).isEqualTo(1);
    }
  }

  @Test
  void aReceiverThatTakesNothingIsAskedOnce() {
    try (WebhookReceiver receiver = new WebhookReceiver(Fault.TAKES_NOTHING)) {
      Reply reply = check(signed(receiver, "shared"));

      assertThat(results(reply))
          .containsExactlyEntriesOf(
              ordered(
                  "accepted",
                  "failed",
                  "signature",
                  "unknown",
                  "timestamp",
                  "unknown",
                  "repetition",
                  "unknown",
                  "timeout",
                  "passed",
                  "body",
                  "unknown"));
      assertThat(text(reply, "accepted"))
          .isEqualTo("A signed message was not taken: 500 Internal Server Error.");
      assertThat(text(reply, "signature"))
          .isEqualTo("Not checked: a message that should have been taken was not.");
      assertThat(receiver.received).hasSize(1);
    }
  }

  private static Map<String, String> ordered(String... pairs) {
    Map<String, String> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(pairs[i], pairs[i + 1]);
    }
    return map;
  }

  @Test
  void withoutASecretSignaturesAreNotChecked() {
    try (WebhookReceiver receiver = new WebhookReceiver()) {
      Reply reply = check(subscribe(receiver.url(), ""));

      assertThat(results(reply))
          .containsEntry("signature", "unknown")
          .containsEntry("timestamp", "unknown");
      assertThat(reply.json().get("notChecked").intValue()).isEqualTo(2);
      assertThat(reply.json().get("passed").intValue()).isEqualTo(4);
      assertThat(text(reply, "timestamp"))
          .isEqualTo("Not checked: the subscription does not sign its messages.");
      assertThat(receiver.received).hasSize(3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"raw", "envelope", "cloudevents", "cloudevents-structured"})
  void eachFormatIsTakenInItsLargest(String format) {
    try (WebhookReceiver receiver = new WebhookReceiver()) {
      Reply reply = check(subscribe(receiver.url(), ",\"format\":\"" + format + "\""));

      assertThat(results(reply)).containsEntry("body", "passed");
    }
  }

  @Test
  void aReceiverThatHangsIsTooSlow(@TempDir Path other) {
    try (RunningService impatient = RunningService.devWithTimeout(other, Duration.ofMillis(300));
        ScriptedEndpoint endpoint = new ScriptedEndpoint().thenHeld(204)) {
      String id = impatient.subscribe("t", "{\"endpoint\":\"" + endpoint.url() + "\"}");

      Reply reply = impatient.post("/v1/subscriptions/" + id + "/check", "{}");

      assertThat(results(reply)).containsEntry("timeout", "failed");
      assertThat(text(reply, "timeout"))
          .isEqualTo("A request got no answer within the 300 ms of an attempt.");
      assertThat(text(reply, "accepted")).contains("was not taken: timeout");
    }
  }

  @Test
  void whatNobodyListensToIsNotTaken() throws IOException {
    int port;
    try (ServerSocket socket = new ServerSocket(0)) {
      port = socket.getLocalPort();
    }
    Reply reply = check(subscribe("http://127.0.0.1:" + port + "/hook", ""));

    assertThat(results(reply))
        .containsEntry("accepted", "failed")
        .containsEntry("timeout", "unknown");
  }

  @Test
  void addressesAreVettedAsForAttempts(@TempDir Path other) {
    try (WebhookReceiver receiver = new WebhookReceiver()) {
      String id;
      try (RunningService wide = RunningService.dev(other)) {
        id = wide.subscribe("t", "{\"endpoint\":\"" + receiver.url() + "\"}");
      }
      try (RunningService strict = RunningService.withKeys(other)) {
        Reply reply = strict.post("/v1/subscriptions/" + id + "/check", "{}");

        assertThat(results(reply)).containsEntry("accepted", "failed");
        assertThat(text(reply, "accepted")).contains("was not taken: refused: ");
        assertThat(receiver.received).isEmpty();
      }
    }
  }

  @Test
  void oneCheckAtATimeOfEachAndABoundOfAll() {
    List<ScriptedEndpoint> endpoints = new ArrayList<>();
    List<CompletableFuture<Reply>> running = new ArrayList<>();
    ExecutorService clients = Executors.newCachedThreadPool();
    try (WebhookReceiver other = new WebhookReceiver()) {
      List<String> ids = new ArrayList<>();
      for (int i = 0; i < ReceiverOperations.MAX_CHECKS; i++) {
        ScriptedEndpoint endpoint = new ScriptedEndpoint().thenHeld(204);
        endpoints.add(endpoint);
        String id = subscribe(endpoint.url(), "");
        ids.add(id);
        running.add(CompletableFuture.supplyAsync(() -> check(id), clients));
        Await.value("what the endpoint received", endpoint.received::size, count -> count == 1);
      }

      Reply again = check(ids.get(0));
      assertThat(again.status()).isEqualTo(409);
      assertThat(again.message()).contains("'" + ids.get(0) + "' is being checked");
      String waiting = subscribe(other.url(), "");
      assertThat(check(waiting).status()).isEqualTo(503);
      assertThat(api.get("/v1/topics/t").status()).isEqualTo(200);

      endpoints.forEach(ScriptedEndpoint::release);
      for (CompletableFuture<Reply> each : running) {
        assertThat(results(each.join())).containsEntry("accepted", "passed");
      }
      assertThat(check(waiting).status()).isEqualTo(200);
      assertThat(check(ids.get(0)).status()).isEqualTo(200);
    } finally {
      endpoints.forEach(ScriptedEndpoint::close);
      clients.shutdown();
    }
  }

  @Test
  void secretsThatAnEndpointAnswersWithAreHidden() {
    try (WebhookReceiver receiver =
        new WebhookReceiver(Fault.ANSWERS_WITH_ALL_IT_GOT, Fault.TAKES_NOTHING)) {
      String id =
          subscribe(
              receiver.url(),
              ",\"http\":{\"username\":\"me\",\"password\":\"hunter2\","
                  + "\"headers\":{\"X-A\":\"<b>tenant</b>\"}}");

      Reply reply = check(id);

      assertThat(text(reply, "accepted")).contains("The answer begins: ").hasSizeLessThan(250);
      assertThat(reply.text())
          .doesNotContain(Base64.getEncoder().encodeToString("me:hunter2".getBytes(UTF_8)))
          .doesNotContain("hunter2")
          .doesNotContain("tenant");
    }
  }

  @Test
  void onlyHttpHasReceiversToCheck() {
    api.post(
        "/v1/carriers?unchecked=true",
        "{\"name\":\"c\",\"type\":\"scripted\",\"settings\":{\"addresses\":[\"192.0.2.1:7\"]}}");
    String id =
        api.subscribe(
            "t", "{\"protocol\":\"sms\",\"endpoint\":\"+4915112345678\",\"carrier\":\"c\"}");

    Reply reply = check(id);

    assertThat(reply.status()).isEqualTo(409);
    assertThat(reply.message())
        .isEqualTo(
            "protocol of subscription '"
                + id
                + "' is sms: must be http for its receiver to be checked");
    assertThat(check("t-999").status()).isEqualTo(404);
    assertThat(api.post("/v1/subscriptions/" + id + "/check", "{\"large\":true}").fields())
        .containsExactly("large");
  }

  @Test
  void itNeedsScopeManageAndIsAudited(@TempDir Path other) {
    try (RunningService keyed = RunningService.withKeys(other, "127.0.0.0/8");
        WebhookReceiver receiver = new WebhookReceiver()) {
      String id = keyed.subscribe("t", "{\"endpoint\":\"" + receiver.url() + "\"}");
      String path = "/v1/subscriptions/" + id + "/check";
      String reader =
          keyed
              .post("/v1/keys", "{\"name\":\"r\",\"scopes\":[\"read\",\"publish\"]}")
              .json()
              .get("key")
              .asString();

      assertThat(
              keyed
                  .send("POST", path, "{}", "application/json", "Authorization", "Bearer " + reader)
                  .status())
          .isEqualTo(403);
      assertThat(receiver.received).isEmpty();

      assertThat(keyed.post(path, "{}").status()).isEqualTo(200);
      assertThat(keyed.get("/v1/audit").text()).contains("checkReceiver").contains(id);
    }
  }
}
