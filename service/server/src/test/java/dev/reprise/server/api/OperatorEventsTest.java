package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedCarrierType;
import dev.reprise.server.fixture.ScriptedEndpoint;
import dev.reprise.server.openapi.OpenApi;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Operator events, as the endpoints of operators get them. */
@Tag("slow")
class OperatorEventsTest {
  static final String OPERATOR = "/v1/topics/reprise:operator";
  private static final String JSON = "application/json";

  /** The first retry comes at once, and there is no second. */
  private static final String ONE_RETRY =
      "\"policy\":{\"healthyRetryPolicy\":{\"numRetries\":1,\"numNoDelayRetries\":1}}";

  private static final JsonNode DESCRIBED =
      JsonMapper.shared().readTree(OpenApi.of(OpenApiTest.routes()));

  @TempDir Path folder;
  private RunningService api;
  private ScriptedEndpoint ops;
  private ScriptedEndpoint customer;

  @BeforeEach
  void start() {
    api = RunningService.dev(folder);
    ops = new ScriptedEndpoint();
    customer = new ScriptedEndpoint();
  }

  @AfterEach
  void stop() {
    messages(ops).forEach(OperatorEventsTest::checkDescribed);
    api.close();
    ops.close();
    customer.close();
  }

  /** What the operator's endpoint got is what /openapi.json describes, and has no other field. */
  private static void checkDescribed(JsonNode message) {
    ObjectNode schema = DESCRIBED.at("/components/schemas/OperatorEvent").deepCopy().asObject();
    schema.set("components", DESCRIBED.get("components"));
    schema.put("additionalProperties", false);
    JsonNode body = message.get("body");
    assertThat(
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(schema.toString(), InputFormat.JSON)
                .validate(body.toString(), InputFormat.JSON))
        .as("%s", body)
        .isEmpty();
    message
        .get("attributes")
        .forEachEntry((name, value) -> assertThat(value).as(name).isEqualTo(body.get(name)));
  }

  private String subscribe(String settings) {
    Reply made = api.post(OPERATOR + "/subscriptions", settings);
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return made.json().get("id").asString();
  }

  private static String endpoint(ScriptedEndpoint endpoint) {
    return "{\"endpoint\":\"" + endpoint.url() + "\"}";
  }

  private static String endpoint(ScriptedEndpoint endpoint, String more) {
    return "{\"endpoint\":\"" + endpoint.url() + "\"," + more + "}";
  }

  private static List<JsonNode> messages(ScriptedEndpoint endpoint) {
    return endpoint.posts().stream().map(r -> JsonMapper.shared().readTree(r.body())).toList();
  }

  private static List<String> types(ScriptedEndpoint endpoint) {
    return messages(endpoint).stream().map(m -> m.at("/body/type").asString()).toList();
  }

  /** Waits for an event of this type; its message. */
  private static JsonNode await(ScriptedEndpoint endpoint, String type) {
    List<JsonNode> all =
        Await.value(
            type + " among the events",
            () -> messages(endpoint),
            list -> list.stream().anyMatch(m -> m.at("/body/type").asString().equals(type)));
    return all.stream().filter(m -> m.at("/body/type").asString().equals(type)).toList().get(0);
  }

  /** Brings about an event that comes after all others that were told before. */
  private void marker() {
    String key = api.post("/v1/keys", "{\"name\":\"marker\"}").json().get("id").asString();
    assertThat(api.post("/v1/keys/" + key + "/rotate", "{}").status()).isEqualTo(200);
  }

  private long told(String type) {
    return metric("reprise_operator_events_total{type=\"" + type + "\"}");
  }

  private long metric(String series) {
    Matcher found =
        Pattern.compile("(?m)^" + Pattern.quote(series) + " ([0-9.E]+)$")
            .matcher(api.get("/metrics").text());
    assertThat(found.find()).as(series).isTrue();
    return (long) Double.parseDouble(found.group(1));
  }

  private void awaitDead(String subscription, int count) {
    api.await(
        "/v1/subscriptions/" + subscription,
        each -> each.at("/ledger/deadLettered").asInt() == count);
  }

  // --- each kind ------------------------------------------------------------------------------

  @Test
  void exhaustedRetriesAndRecoveryAreTold() {
    subscribe(endpoint(ops));
    customer.then(503, null).then(503, null);
    String id = api.subscribe("orders", endpoint(customer, ONE_RETRY));
    String message =
        api.publish("orders", "{\"body\":\"payload-7\",\"attributes\":{\"a\":\"secret\"}}");

    JsonNode exhausted = await(ops, "delivery.exhausted");
    assertThat(exhausted.get("topic").asString()).isEqualTo("reprise:operator");
    assertThat(exhausted.get("attributes"))
        .hasToString(
            "{\"type\":\"delivery.exhausted\",\"project\":\"default\",\"topic\":\"orders\","
                + "\"subscription\":\"orders-2\",\"reason\":\"ATTEMPTS\"}");
    JsonNode body = exhausted.get("body");
    assertThat(body.get("subscription").asString()).isEqualTo(id);
    assertThat(body.get("count").intValue()).isEqualTo(1);
    assertThat(body.at("/last/delivery").asString()).isEqualTo(message + "@" + id);
    assertThat(body.at("/last/attempts").intValue()).isEqualTo(2);
    assertThat(body.at("/last/summary").asString()).contains("503");
    assertThat(body.get("text").asString()).startsWith("Subscription orders-2 gave up a delivery");
    assertThat(api.get("/v1/deliveries/" + body.at("/last/delivery").asString()).status())
        .isEqualTo(200);

    api.publish("orders", "{\"body\":2}");
    JsonNode recovered = await(ops, "endpoint.recovered");
    assertThat(recovered.at("/body/subscription").asString()).isEqualTo(id);
    assertThat(recovered.at("/body/givenUp").intValue()).isEqualTo(1);
    assertThat(types(ops)).containsExactly("delivery.exhausted", "endpoint.recovered");
    assertThat(messages(ops).toString()).doesNotContain("payload-7").doesNotContain("secret");
  }

  @Test
  void suspensionReleaseAndDropsAreTold() {
    subscribe(endpoint(ops));
    String labelling = "\"name\":\"Acme\",\"customer\":\"c-42\",\"labels\":{\"a\":\"b\"}";
    String id = api.subscribe("orders", endpoint(customer, labelling));
    String one = "/v1/subscriptions/" + id;
    api.post(one + "/suspend", "{\"reason\":\"until noon\",\"maxHeld\":1}");
    JsonNode suspended = await(ops, "subscription.suspended");
    assertThat(suspended.at("/body/by").asString()).isEqualTo("operator");
    assertThat(suspended.at("/body/reason").asString()).isEqualTo("until noon");
    assertThat(suspended.at("/attributes/reason").isMissingNode()).isTrue();
    assertThat(suspended.at("/body/subscriptionName").asString()).isEqualTo("Acme");
    assertThat(suspended.at("/body/customer").asString()).isEqualTo("c-42");
    assertThat(suspended.at("/attributes/customer").asString()).isEqualTo("c-42");

    api.publish("orders", "{\"body\":1}");
    api.publish("orders", "{\"body\":2}");
    JsonNode dropped = await(ops, "delivery.exhausted");
    assertThat(dropped.at("/body/reason").asString()).isEqualTo("SUSPENDED");
    assertThat(dropped.at("/attributes/reason").asString()).isEqualTo("SUSPENDED");

    // The same again is no change.
    api.post(one + "/suspend", "{\"maxHeld\":5}");
    api.post(one + "/release", "{}");
    api.post(one + "/release", "{}");
    await(ops, "subscription.released");
    api.await(one, each -> each.at("/ledger/delivered").asInt() == 1);
    marker();
    await(ops, "secret.rotated");
    assertThat(types(ops))
        .as("a subscription that held too much has not failed")
        .containsExactly(
            "subscription.suspended",
            "delivery.exhausted",
            "subscription.released",
            "secret.rotated");
  }

  @Test
  void goneEndpointsAreTold() {
    subscribe(endpoint(ops));
    customer.then(410, null);
    String id = api.subscribe("orders", endpoint(customer, "\"suspendWhenGone\":true"));
    api.publish("orders", "{\"body\":1}");
    assertThat(await(ops, "subscription.suspended").at("/body/by").asString())
        .isEqualTo("endpoint");
    assertThat(await(ops, "delivery.exhausted").at("/body/reason").asString())
        .isEqualTo("NOT_RETRYABLE");
    api.post("/v1/subscriptions/" + id + "/release", "{}");
    await(ops, "subscription.released");
    api.publish("orders", "{\"body\":2}");
    await(ops, "endpoint.recovered");
  }

  @Test
  void carriersAreTold() {
    subscribe(endpoint(ops));
    ScriptedCarrierType.play("events").fault = "no route to 192.0.2.1";
    api.post(
        "/v1/carriers?unchecked=true",
        "{\"name\":\"events\",\"type\":\"scripted\",\"settings\":{\"addresses\":[\"192.0.2.1:7\"]}}");
    JsonNode down = await(ops, "carrier.down");
    assertThat(down.at("/body/carrier").asString()).isEqualTo("events");
    assertThat(down.at("/body/fault").asString()).isEqualTo("no route to 192.0.2.1");
    assertThat(down.at("/attributes/carrier").asString()).isEqualTo("events");
    ScriptedCarrierType.play("events").fault = null;
    await(ops, "carrier.recovered");
  }

  @Test
  void rotatedSecretsAreTold() {
    subscribe(endpoint(ops));
    String id = api.subscribe("orders", endpoint(customer));
    String sign = "/v1/subscriptions/" + id + "/signing-secret";
    api.post(sign, "{}");
    String secret = api.post(sign, "{}").json().get("signingSecret").asString();
    JsonNode signing = await(ops, "secret.rotated");
    assertThat(signing.at("/body/secret").asString()).isEqualTo("signing");
    assertThat(signing.at("/body/subscription").asString()).isEqualTo(id);

    String key = api.post("/v1/keys", "{\"name\":\"k\"}").json().get("id").asString();
    String text = api.post("/v1/keys/" + key + "/rotate", "{}").json().get("key").asString();
    Await.value("posts of two events", () -> ops.posts(), all -> all.size() == 2);
    JsonNode rotated = messages(ops).get(1);
    assertThat(rotated.at("/attributes/secret").asString()).isEqualTo("api-key");
    assertThat(rotated.at("/body/key").asString()).isEqualTo(key);
    assertThat(messages(ops).toString()).doesNotContain(secret).doesNotContain(text);
  }

  @Test
  void phonesAndMailboxesGetASentence() {
    ScriptedCarrierType.Play play = ScriptedCarrierType.play("people");
    play.attempts.clear();
    api.post(
        "/v1/carriers",
        "{\"name\":\"people\",\"type\":\"scripted\",\"settings\":{\"addresses\":[\"192.0.2.1:7\"]}}");
    subscribe("{\"protocol\":\"sms\",\"endpoint\":\"+4915112345678\",\"carrier\":\"people\"}");
    subscribe("{\"protocol\":\"email\",\"endpoint\":\"ops@example.com\",\"carrier\":\"people\"}");
    String id = api.subscribe("orders", endpoint(customer));
    api.post("/v1/subscriptions/" + id + "/suspend", "{}");
    Await.value("two attempts", () -> play.attempts, all -> all.size() == 2);
    play.attempts.forEach(
        attempt ->
            assertThat(new String(attempt.content().body(), UTF_8))
                .isEqualTo("Subscription " + id + " was suspended by an operator"));
    assertThat(play.attempts)
        .extracting(attempt -> attempt.content().subject())
        .contains("Reprise: subscription.suspended " + id);
  }

  // --- the reserved topic ---------------------------------------------------------------------

  @Test
  void theTopicIsThereAndNobodyElsePublishesToIt() {
    Reply shown = api.get(OPERATOR);
    assertThat(shown.json())
        .hasToString(
            "{\"name\":\"reprise:operator\",\"policy\":{\"disableSubscriptionOverrides\":false},"
                + "\"subscriptions\":0,\"reserved\":true}");
    assertThat(api.get("/v1/topics").json().get("items")).isEmpty();

    Reply published = api.post(OPERATOR + "/messages", "{\"body\":1}");
    assertThat(published.status()).isEqualTo(409);
    assertThat(published.message())
        .isEqualTo("topic 'reprise:operator' is reserved: only the service publishes to it");
    Reply lines = api.send("POST", OPERATOR + "/messages", "{\"body\":1}", "application/x-ndjson");
    assertThat(lines.status()).isEqualTo(409);
    assertThat(api.delete(OPERATOR).status()).isEqualTo(409);
    assertThat(api.put("/v1/topics/reprise:other", "{}").fields()).containsExactly("topic");

    Reply put = api.put(OPERATOR, "{\"healthyRetryPolicy\":{\"numRetries\":7}}");
    assertThat(put.status()).as(put.text()).isEqualTo(200);
    subscribe(endpoint(ops));
    assertThat(api.get("/v1/topics").json().at("/items/0/name").asString())
        .isEqualTo("reprise:operator");
    // A topic of a name that looks alike is a topic like any other.
    String mine = api.subscribe("reprise.operator", endpoint(customer));
    api.publish("reprise.operator", "{\"body\":1}");
    api.await("/v1/subscriptions/" + mine, each -> each.at("/ledger/delivered").asInt() == 1);
  }

  @Test
  void theTopicKeepsItsPolicyAndSubscriptionsOverRestarts() {
    api.put(OPERATOR, "{\"healthyRetryPolicy\":{\"numRetries\":7}}");
    String id = subscribe(endpoint(ops, "\"filter\":{\"type\":[\"secret.rotated\"]}"));
    api.close();
    api = RunningService.dev(folder);
    assertThat(api.get(OPERATOR).json().at("/policy/healthyRetryPolicy/numRetries").intValue())
        .isEqualTo(7);
    assertThat(api.get(OPERATOR).json().get("subscriptions").intValue()).isEqualTo(1);
    assertThat(api.get("/v1/subscriptions/" + id).status()).isEqualTo(200);
    marker();
    await(ops, "secret.rotated");
    assertThat(api.delete("/v1/subscriptions/" + id).status()).isEqualTo(204);
    assertThat(api.get(OPERATOR).json().get("subscriptions").intValue()).isZero();
  }

  @Test
  void filtersChooseAndWhatNobodyWantsIsNotStored() {
    customer.always(404);
    String id = api.subscribe("orders", endpoint(customer));
    api.publish("orders", "{\"body\":1}");
    awaitDead(id, 1);
    Await.value("notes of the event", () -> told("delivery.exhausted"), count -> count == 1);
    subscribe(endpoint(ops, "\"filter\":{\"type\":[\"secret.rotated\"],\"secret\":[\"signing\"]}"));
    api.post("/v1/subscriptions/" + id + "/suspend", "{}");
    marker();
    api.post("/v1/subscriptions/" + id + "/signing-secret", "{}");
    api.post("/v1/subscriptions/" + id + "/signing-secret", "{}");
    await(ops, "secret.rotated");
    assertThat(types(ops)).containsExactly("secret.rotated");
    assertThat(messages(ops).get(0).at("/body/secret").asString()).isEqualTo("signing");
    api.await("/v1/ledger", ledger -> ledger.at("/total/pending").intValue() == 0);
    assertThat(api.get("/v1/ledger").json().at("/total/accepted").intValue())
        .as("the delivery and the one event that was wanted")
        .isEqualTo(2);
  }

  // --- never about their own ------------------------------------------------------------------

  @Test
  void thereIsNoEventAboutDeliveriesOfEvents() {
    subscribe(endpoint(ops));
    ScriptedEndpoint broken = new ScriptedEndpoint().always(404);
    String dying = subscribe(endpoint(broken));
    String gone = subscribe(endpoint(broken, "\"suspendWhenGone\":true"));
    try (broken) {
      for (int i = 0; i < 5; i++) {
        marker();
      }
      awaitDead(dying, 5);
      broken.always(410);
      marker();
      api.await(
          "/v1/subscriptions/" + gone,
          each -> each.at("/suspended/by").asString("").equals("endpoint"));
      api.post("/v1/subscriptions/" + dying + "/redrive", "{}");
      api.post("/v1/subscriptions/" + gone + "/release", "{}");
      broken.always(204);
      marker();
      api.await("/v1/subscriptions/" + dying, each -> each.at("/ledger/delivered").asInt() >= 1);
      marker();
      Await.value("posts of eight events", () -> ops.posts(), all -> all.size() == 8);
    }
    assertThat(types(ops)).containsOnly("secret.rotated");
    assertThat(told("delivery.exhausted")).isZero();
    assertThat(told("subscription.suspended")).isZero();
    assertThat(told("subscription.released")).isZero();
    assertThat(told("endpoint.recovered")).isZero();
    assertThat(told("secret.rotated")).isEqualTo(8);
  }

  @Test
  void deadLettersOfEventsStayAmongTheirOwn() {
    String first = subscribe(endpoint(ops));
    String second = subscribe(endpoint(ops));
    String orders = api.subscribe("orders", endpoint(customer));
    String rule = "must be of topic reprise:operator if the subscription itself is, and only then";
    for (String[] pair : new String[][] {{first, orders}, {orders, first}}) {
      String one = "/v1/subscriptions/" + pair[0];
      Reply refused = api.patch(one, "{\"deadLetterTarget\":\"" + pair[1] + "\"}");
      assertThat(refused.fields()).as(refused.text()).containsExactly("deadLetterTarget");
      assertThat(refused.message()).contains(rule);
      Reply redrive = api.post(one + "/redrive", "{\"to\":\"" + pair[1] + "\"}");
      assertThat(redrive.fields()).as(redrive.text()).containsExactly("to");
      assertThat(redrive.message()).contains(rule);
    }
    Reply own =
        api.patch("/v1/subscriptions/" + first, "{\"deadLetterTarget\":\"" + second + "\"}");
    assertThat(own.status()).as(own.text()).isEqualTo(200);
  }

  // --- volume ---------------------------------------------------------------------------------

  @Test
  void manyGivenUpDeliveriesMakeFewEvents() {
    subscribe(endpoint(ops));
    customer.always(404);
    String id = api.subscribe("orders", endpoint(customer));
    String lines = "{\"body\":1}\n".repeat(5);
    for (int i = 0; i < 2; i++) {
      assertThat(
              api.send("POST", "/v1/topics/orders/messages", lines, "application/x-ndjson")
                  .status())
          .isEqualTo(202);
    }
    awaitDead(id, 10);
    customer.always(204);
    api.publish("orders", "{\"body\":2}");
    await(ops, "endpoint.recovered");
    List<JsonNode> exhausted =
        messages(ops).stream()
            .filter(m -> m.at("/body/type").asString().equals("delivery.exhausted"))
            .toList();
    assertThat(exhausted).hasSizeBetween(2, 10);
    assertThat(exhausted.stream().mapToLong(m -> m.at("/body/count").longValue()).sum())
        .isEqualTo(10);
    assertThat(types(ops)).endsWith("endpoint.recovered");
  }

  @Test
  void countsOfTheLastMinuteAreToldWhenItStops() {
    subscribe(endpoint(ops));
    customer.always(404);
    String id = api.subscribe("orders", endpoint(customer));
    for (int i = 0; i < 5; i++) {
      api.publish("orders", "{\"body\":1}");
    }
    awaitDead(id, 5);
    api.close();
    api = RunningService.dev(folder);
    Await.value(
        "the count of the events",
        () -> messages(ops).stream().mapToLong(m -> m.at("/body/count").longValue()).sum(),
        sum -> sum >= 5);
    JsonNode ledger = api.get("/v1/ledger?verify=true").json();
    assertThat(ledger.at("/total/unexplained").intValue()).isZero();
    assertThat(ledger.at("/verified/agrees").booleanValue()).isTrue();
  }

  // --- projects -------------------------------------------------------------------------------

  @Test
  void aProjectHearsOfItselfAlone() {
    api.close();
    api = RunningService.withKeys(folder, "127.0.0.0/8");
    api.post("/v1/projects", "{\"name\":\"shop\"}");
    String key =
        "Bearer "
            + in("shop", "POST", "/v1/keys", "{\"name\":\"k\",\"project\":\"shop\"}")
                .json()
                .get("key")
                .asString();
    ScriptedEndpoint shopOps = new ScriptedEndpoint();
    try (shopOps) {
      subscribe(endpoint(ops));
      Reply made =
          api.send(
              "POST", OPERATOR + "/subscriptions", endpoint(shopOps), JSON, "Authorization", key);
      assertThat(made.status()).as(made.text()).isEqualTo(201);
      for (String project : List.of("shop", "default")) {
        in(project, "PUT", "/v1/topics/orders", "{}");
        String id =
            in(project, "POST", "/v1/topics/orders/subscriptions", endpoint(customer))
                .json()
                .get("id")
                .asString();
        in(project, "POST", "/v1/subscriptions/" + id + "/suspend", "{}");
      }
      String own = in("shop", "GET", "/v1/keys?limit=9", null).json().at("/items/0/id").asString();
      in("shop", "POST", "/v1/keys/" + own + "/rotate", "{}");
      marker();
      await(ops, "secret.rotated");
      await(shopOps, "secret.rotated");
      assertThat(messages(ops))
          .extracting(m -> m.at("/body/project").asString())
          .containsOnly("default");
      assertThat(messages(shopOps))
          .extracting(m -> m.at("/body/project").asString())
          .containsOnly("shop");
      assertThat(types(ops)).containsExactly("subscription.suspended", "secret.rotated");
      assertThat(types(shopOps)).containsExactly("subscription.suspended", "secret.rotated");
      assertThat(
              api.send("POST", OPERATOR + "/messages", "{\"body\":1}", JSON, "Authorization", key)
                  .status())
          .isEqualTo(409);
    }
  }

  /** Asks as an operator about a project; its own key in what it lists comes first. */
  private Reply in(String project, String method, String path, String body) {
    return api.send(method, path, body, body == null ? "" : JSON, "Reprise-Project", project);
  }

  @Test
  void theReservedTopicIsNotCountedAndGoesWithItsProject() {
    api.post("/v1/projects", "{\"name\":\"shop\"}");
    api.put("/v1/projects/shop", "{\"quotas\":{\"topics\":1}}");
    in("shop", "PUT", OPERATOR, "{\"healthyRetryPolicy\":{\"numRetries\":7}}");
    String id =
        in("shop", "POST", OPERATOR + "/subscriptions", endpoint(ops)).json().get("id").asString();
    assertThat(in("shop", "PUT", "/v1/topics/orders", "{}").status()).isEqualTo(201);
    assertThat(in("shop", "PUT", "/v1/topics/more", "{}").status()).isEqualTo(409);
    assertThat(api.get("/v1/projects/shop").json().at("/usage/topics").intValue()).isEqualTo(1);
    assertThat(in("shop", "DELETE", "/v1/topics/orders", null).status()).isEqualTo(204);
    assertThat(api.delete("/v1/projects/shop").status()).isEqualTo(409);
    assertThat(in("shop", "DELETE", "/v1/subscriptions/" + id, null).status()).isEqualTo(204);
    assertThat(api.delete("/v1/projects/shop").status()).isEqualTo(204);
    api.post("/v1/projects", "{\"name\":\"shop\"}");
    assertThat(in("shop", "GET", OPERATOR, null).json().get("policy").has("healthyRetryPolicy"))
        .isFalse();
  }
}
