package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.Protocol;
import dev.reprise.delivery.carrier.Receipt;
import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedCarrierType;
import dev.reprise.server.fixture.ScriptedFunction;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Carriers in the whole service: set up, used, at fault, changed, gone. */
@Tag("slow")
class CarrierApiTest {
  private static final String ADDRESS = "\"addresses\":[\"192.0.2.1:2775\"]";

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

  private static Reply create(String name, String settings) {
    return api.post(
        "/v1/carriers",
        "{\"name\":\"" + name + "\",\"type\":\"scripted\",\"settings\":{" + settings + "}}");
  }

  private static String subscribe(String topic, String protocol, String endpoint, String carrier) {
    return api.subscribe(
        topic,
        "{\"protocol\":\""
            + protocol
            + "\",\"endpoint\":\""
            + endpoint
            + "\",\"carrier\":\""
            + carrier
            + "\"}");
  }

  private static JsonNode awaitStatus(String subscription, String status) {
    return api.await(
        "/v1/subscriptions/" + subscription, each -> each.at("/ledger/" + status).asInt() == 1);
  }

  @Test
  void aCarrierIsSetUpShownAndGoneAgain() {
    Reply created = create("one", ADDRESS + ",\"password\":\"hunter2\"");

    assertThat(created.status()).isEqualTo(201);
    assertThat(created.text()).doesNotContain("hunter2");
    assertThat(created.json().at("/settings/password"))
        .hasToString("{\"set\":true,\"key\":\"dev\"}");
    assertThat(created.json().at("/state/working").booleanValue()).isTrue();
    assertThat(created.json().get("maxInFlight").intValue()).isEqualTo(10);
    assertThat(ScriptedCarrierType.play("one").password).isEqualTo("hunter2");
    assertThat(api.get("/v1/carriers/one").json()).isEqualTo(created.json());
    assertThat(api.get("/v1/carriers").json().get("items").toString()).contains("\"one\"");
    assertThat(create("one", ADDRESS).status()).isEqualTo(409);

    assertThat(api.delete("/v1/carriers/one").status()).isEqualTo(204);
    assertThat(ScriptedCarrierType.play("one").closed).isTrue();
    assertThat(api.get("/v1/carriers/one").status()).isEqualTo(404);
  }

  @Test
  void settingsAreProvenByConnecting() {
    ScriptedCarrierType.play("proven").fault = "bind refused: 0x0E invalid password";
    Reply refused = create("proven", ADDRESS + ",\"password\":\"hunter2\"");

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.message()).contains("bind refused: 0x0E invalid password");
    assertThat(refused.text()).doesNotContain("hunter2");
    assertThat(api.get("/v1/carriers/proven").status()).isEqualTo(404);

    Reply kept =
        api.post(
            "/v1/carriers?unchecked=true",
            "{\"name\":\"proven\",\"type\":\"scripted\",\"settings\":{" + ADDRESS + "}}");
    assertThat(kept.status()).isEqualTo(201);
    assertThat(kept.json().at("/state/fault").asString())
        .isEqualTo("bind refused: 0x0E invalid password");
    assertThat(api.post("/v1/carriers/proven/test", null).json())
        .hasToString("{\"working\":false,\"detail\":\"bind refused: 0x0E invalid password\"}");
    ScriptedCarrierType.play("proven").fault = null;
    assertThat(api.post("/v1/carriers/proven/test", null).json())
        .hasToString("{\"working\":true,\"detail\":\"bound\"}");
  }

  @Test
  void everyWrongFieldIsNamedAndNoSecretIsRepeated() {
    Reply reply =
        api.post(
            "/v1/carriers",
            "{\"name\":\"w\",\"type\":\"scripted\",\"maxInFlight\":0,\"color\":1,"
                + "\"settings\":{\"pasword\":\"hunter2\",\"password\":7,\"addresses\":\"a b\"}}");

    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.fields())
        .contains("maxInFlight", "color", "settings.pasword", "settings.password");
    assertThat(reply.text()).doesNotContain("hunter2");
    assertThat(create("a/b", ADDRESS).fields()).containsExactly("name");
    Reply type = api.post("/v1/carriers", "{\"name\":\"w\",\"type\":\"pigeon\"}");
    assertThat(type.fields()).containsExactly("type");
    assertThat(type.message()).contains("proxy, scripted");
    assertThat(create("w", "\"password\":\"x\"").fields()).containsExactly("settings.addresses");
  }

  @Test
  void aSecretDoesNotFollowToAnotherAddress() {
    create("moves", ADDRESS + ",\"password\":\"hunter2\"");
    Reply stolen =
        api.patch("/v1/carriers/moves", "{\"settings\":{\"addresses\":[\"evil.example:1\"]}}");
    assertThat(stolen.status()).isEqualTo(400);
    assertThat(stolen.fields()).containsExactly("settings.password");
    Reply merged =
        api.patch(
            "/v1/carriers/moves",
            "{\"settings\":{\"addresses\":[\"evil.example:1\"],\"password\":{\"set\":true}}}");
    assertThat(merged.fields()).containsExactly("settings.password");
    Reply same =
        api.patch(
            "/v1/carriers/moves", "{\"settings\":{" + ADDRESS + ",\"password\":{\"set\":true}}}");
    assertThat(same.status()).as(same.text()).isEqualTo(200);

    Reply moved =
        api.patch(
            "/v1/carriers/moves",
            "{\"settings\":{\"addresses\":[\"192.0.2.2:1\"],\"password\":\"other\"}}");
    assertThat(moved.status()).isEqualTo(200);
    assertThat(ScriptedCarrierType.play("moves").password).isEqualTo("other");
    Reply limits = api.patch("/v1/carriers/moves", "{\"maxInFlight\":3,\"maxPerSecond\":5}");
    assertThat(limits.json().get("maxPerSecond").intValue()).isEqualTo(5);
    assertThat(ScriptedCarrierType.play("moves").password).isEqualTo("other");
  }

  @Test
  void subscriptionsNameACarrierThatReachesThem() {
    create("checked", ADDRESS);
    api.put("/v1/topics/checked", "{}");
    String path = "/v1/topics/checked/subscriptions";

    assertThat(api.post(path, "{\"protocol\":\"sms\",\"endpoint\":\"+491\"}").fields())
        .containsExactly("carrier");
    Reply unknown =
        api.post(path, "{\"protocol\":\"sms\",\"endpoint\":\"+491\",\"carrier\":\"nobody\"}");
    assertThat(unknown.fields()).containsExactly("carrier");
    Reply wrong =
        api.post(path, "{\"protocol\":\"sms\",\"endpoint\":\"x\",\"carrier\":\"checked\"}");
    assertThat(wrong.message()).contains("endpoint is x: must be a phone number");
    Reply http = api.post(path, "{\"endpoint\":\"http://127.0.0.1/\",\"carrier\":\"checked\"}");
    assertThat(http.message()).contains("reaches email, queue, sms and not http");
    assertThat(api.post(path, "{\"protocol\":\"fax\",\"endpoint\":\"1\"}").fields())
        .containsExactly("protocol");

    String id = subscribe("checked", "sms", "+491", "checked");
    JsonNode shown = api.get("/v1/subscriptions/" + id).json();
    assertThat(shown.at("/effectivePolicy/preset").asString()).isEqualTo("notification-sms");
    assertThat(shown.get("carrier").asString()).isEqualTo("checked");
    assertThat(api.delete("/v1/carriers/checked").message()).contains("named by 1 subscription");
    assertThat(api.patch("/v1/subscriptions/" + id, "{\"protocol\":\"email\"}").fields())
        .containsExactly("protocol");
  }

  @Test
  void eachProtocolGetsItsOwnBody() {
    create("bodies", ADDRESS);
    subscribe("bodies", "sms", "+491", "bodies");
    subscribe("bodies", "email", "a@example.com", "bodies");
    subscribe("bodies", "queue", "orders", "bodies");
    api.publish(
        "bodies",
        "{\"body\":{\"id\":7},\"attributes\":{\"country\":\"DE\"},\"bodies\":{\"sms\":\"Order"
            + " 7\",\"email\":{\"subject\":\"Order"
            + " 7\",\"text\":\"Hello\",\"html\":\"<p>Hello\"}}}");

    var attempts =
        Await.value(
            "three attempts",
            () -> List.copyOf(ScriptedCarrierType.play("bodies").attempts),
            all -> all.size() == 3);
    var sms = attempts.stream().filter(a -> a.protocol() == Protocol.SMS).findFirst().orElseThrow();
    var email =
        attempts.stream().filter(a -> a.protocol() == Protocol.EMAIL).findFirst().orElseThrow();
    var queue =
        attempts.stream().filter(a -> a.protocol() == Protocol.QUEUE).findFirst().orElseThrow();
    assertThat(sms.content().text()).isEqualTo("Order 7");
    assertThat(sms.endpoint()).isEqualTo("+491");
    assertThat(sms.attributes().get("country").asString()).isEqualTo("DE");
    assertThat(email.content().subject()).isEqualTo("Order 7");
    assertThat(email.content().html()).isEqualTo("<p>Hello");
    assertThat(queue.content().text()).contains("\"body\":{\"id\":7}").contains("\"topic\":");
  }

  @Test
  void aMessageThatAProtocolCannotCarryIsRefused() {
    create("long", ADDRESS);
    subscribe("long", "sms", "+491", "long");
    String text = "x".repeat(2000);
    Reply refused = api.post("/v1/topics/long/messages", "{\"body\":\"" + text + "\"}");

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.message()).contains("must have at most 10 parts");
    Reply own =
        api.post("/v1/topics/long/messages", "{\"body\":1,\"bodies\":{\"sms\":\"" + text + "\"}}");
    assertThat(own.fields()).containsExactly("bodies.sms");
    assertThat(api.post("/v1/topics/long/messages", "{\"body\":1,\"bodies\":{\"fax\":1}}").status())
        .isEqualTo(400);
    api.publish("long", "{\"body\":\"" + text + "\",\"bodies\":{\"sms\":\"short\"}}");
  }

  @Test
  void aFaultOfTheCarrierCostsNoDeliveryARetry() {
    create("faulty", ADDRESS);
    String id = subscribe("faulty", "sms", "+491", "faulty");
    ScriptedCarrierType.Play play = ScriptedCarrierType.play("faulty");
    play.fault = "down";
    api.publish("faulty", "{\"body\":\"hello\"}");

    Reply ready = api.get("/health/ready");
    assertThat(ready.status()).isEqualTo(200);
    assertThat(ready.json().at("/carriers/faulty").asString()).startsWith("at fault since 2023-");
    assertThat(api.get("/metrics").text()).contains("reprise_carrier_fault{carrier=\"faulty\"} 1");
    String message = api.publish("faulty", "{\"body\":1,\"bodies\":{\"sms\":\"again\"}}");
    JsonNode waiting =
        api.await(
            "/v1/deliveries/" + message + "@" + id,
            each -> each.at("/nextAttempt/waitingFor").asString("").startsWith("carrier faulty"));
    assertThat(waiting.at("/nextAttempt/waitingFor").asString())
        .startsWith("carrier faulty: down; next try at ");
    assertThat(waiting.at("/attempts").asInt()).isZero();
    assertThat(waiting.at("/payload/bodies/sms").asString()).isEqualTo("again");
    assertThat(api.get("/v1/subscriptions/" + id).json().at("/health/hold/reason").asString("down"))
        .isEqualTo("down");
    play.fault = null;
    play.context.recovered();

    JsonNode ended =
        api.await("/v1/subscriptions/" + id, each -> each.at("/ledger/delivered").asInt() == 2);
    assertThat(ended.at("/ledger/attempts").asInt()).isEqualTo(2);
  }

  @Test
  void laterReportsArePartOfTheHistoryAndCounted() {
    create("reports", ADDRESS);
    String id = subscribe("reports", "email", "a@example.com", "reports");
    String message = api.publish("reports", "{\"body\":\"hello\"}");
    awaitStatus(id, "delivered");
    String path = "/v1/carriers/reports/reports";

    assertThat(api.send("POST", path, "bounce of nothing", "message/rfc822").json())
        .hasToString("{\"known\":false}");
    assertThat(api.send("POST", path, "hello", "message/rfc822").json())
        .hasToString("{\"known\":false}");
    assertThat(api.send("POST", path, "bounce id-" + message, "message/rfc822").json())
        .hasToString("{\"known\":true,\"delivered\":false}");
    JsonNode delivery = api.get("/v1/deliveries/" + message + "@" + id).json();
    assertThat(delivery.get("status").asString()).isEqualTo("delivered");
    assertThat(delivery.at("/history/1/kind").asString()).isEqualTo("receipt");
    assertThat(delivery.at("/history/1/outcome/summary").asString())
        .isEqualTo("550 5.1.1 no such mailbox");
    JsonNode shown = api.get("/v1/subscriptions/" + id).json();
    assertThat(shown.get("receipts")).hasToString("{\"delivered\":0,\"failed\":1}");
    assertThat(shown.at("/ledger/delivered").asInt()).isEqualTo(1);

    ScriptedCarrierType.play("reports").context.received(new Receipt("id-x", true, 0, "DELIVRD"));
    Await.value(
        "a receipt in the metrics",
        () -> api.get("/metrics").text(),
        text -> text.contains("reprise_receipts_total{carrier=\"reports\",outcome=\"unknown\"} 1"));
  }

  @Test
  void aFunctionOfThisProcessIsCalledAgainAfterItFailed() {
    api.put(
        "/v1/topics/functions",
        "{\"healthyRetryPolicy\":{\"numRetries\":2,\"minDelayTarget\":0,\"maxDelayTarget\":0}}");
    String settings = "{\"protocol\":\"function\",\"endpoint\":\"scripted\"}";
    Reply subscribed = api.post("/v1/topics/functions/subscriptions", settings);
    assertThat(subscribed.status()).as(subscribed.text()).isEqualTo(201);
    String id = subscribed.json().get("id").asString();
    api.publish("functions", "{\"body\":{\"id\":7}}");

    assertThat(awaitStatus(id, "delivered").at("/ledger/attempts").asInt()).isEqualTo(2);
    assertThat(ScriptedFunction.CALLS).hasSize(2);
    assertThat(ScriptedFunction.CALLS.get(1).body()).asString(UTF_8).isEqualTo("{\"id\":7}");
    Reply unknown =
        api.post(
            "/v1/topics/functions/subscriptions",
            "{\"protocol\":\"function\",\"endpoint\":\"nobody\"}");
    assertThat(unknown.message()).contains("one of the functions of this process: log, scripted");
  }
}
