package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@Tag("slow")
class ApiTest {
  @TempDir static Path folder;
  static RunningService api;
  static ScriptedEndpoint sink;

  @BeforeAll
  static void start() {
    api = RunningService.dev(folder);
    sink = new ScriptedEndpoint();
  }

  @AfterAll
  static void stop() {
    api.close();
    sink.close();
  }

  private static String endpoint(String more) {
    return "{\"endpoint\":\"" + sink.url() + "\"" + more + "}";
  }

  // --- topics --------------------------------------------------------------------------------

  @Test
  void topicIsCreatedChangedShownAndDeleted() {
    assertThat(api.put("/v1/topics/t.1+a_b", "").status()).isEqualTo(201);
    Reply changed =
        api.put("/v1/topics/t.1+a_b", "{\"throttlePolicy\":{\"maxReceivesPerSecond\":5}}");
    assertThat(changed.status()).isEqualTo(200);
    assertThat(changed.json().at("/policy/throttlePolicy/maxReceivesPerSecond").intValue())
        .isEqualTo(5);
    assertThat(api.get("/v1/topics/t.1+a_b").json()).isEqualTo(changed.json());
    assertThat(api.get("/v1/topics/t.1%2Ba_b").json()).isEqualTo(changed.json());
    assertThat(api.delete("/v1/topics/t.1+a_b").status()).isEqualTo(204);
    assertThat(api.get("/v1/topics/t.1+a_b").status()).isEqualTo(404);
  }

  @Test
  void putWithoutABodyChangesNothing() {
    String policy = "{\"throttlePolicy\":{\"maxReceivesPerSecond\":5}}";
    Reply created = api.put("/v1/topics/kept", policy);
    Reply again = api.send("PUT", "/v1/topics/kept", null, "");
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.json()).isEqualTo(created.json());
    assertThat(api.put("/v1/topics/kept", "{}").json().get("policy").has("throttlePolicy"))
        .isFalse();
    assertThat(api.send("PUT", "/v1/topics/kept-new", null, "").status()).isEqualTo(201);
  }

  @Test
  void topicWithSubscriptionsStays() {
    api.subscribe("stays", endpoint(""));
    Reply reply = api.delete("/v1/topics/stays");
    assertThat(reply.status()).isEqualTo(409);
    assertThat(reply.code()).isEqualTo("conflict");
    assertThat(reply.message()).contains("has 1 subscription:");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"healthyRetryPolicy":{"numRetries":101}}                     | healthyRetryPolicy.numRetries
          {"healthyRetryPolicy":{"numRetries":-1}}                      | healthyRetryPolicy.numRetries
          {"healthyRetryPolicy":{"numRetries":99999999999999999999999}} | healthyRetryPolicy.numRetries
          {"healthyRetryPolicy":{"numRetries":2,"numMinDelayRetries":3}} | healthyRetryPolicy.numRetries
          {"healthyRetryPolicy":{"minDelayTarget":30,"maxDelayTarget":2}} | healthyRetryPolicy.minDelayTarget
          {"throttlePolicy":{"maxReceivesPerSecond":0}}                 | throttlePolicy.maxReceivesPerSecond
          {"unknown":1}                                                 | unknown
          """)
  void badPolicyNamesTheFieldAndChangesNothing(String policy, String field) {
    Reply reply = api.put("/v1/topics/bad-policy", policy);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.fields()).contains(field);
    assertThat(api.get("/v1/topics/bad-policy").status()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a%20b", "%2e%2e", "a%2Fb", "%C3%BC"})
  void badTopicNameIsRefused(String name) {
    Reply reply = api.put("/v1/topics/" + name, "{}");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.fields()).containsExactly("topic");
  }

  // --- subscriptions -------------------------------------------------------------------------

  @Test
  void subscriptionIsCreatedChangedShownAndDeleted() {
    String id =
        api.subscribe(
            "subs", endpoint(",\"lifetime\":\"1h\",\"policy\":{\"healthyRetryPolicy\":{}}"));
    // A shard that is slow to answer is left out of what is shown.
    JsonNode shown = api.await("/v1/subscriptions/" + id, s -> !s.get("health").isNull());
    assertThat(shown.at("/effectivePolicy/healthyRetryPolicyFrom").asString())
        .isEqualTo("subscription");
    assertThat(shown.at("/health/maxInFlight").intValue()).isEqualTo(64);
    assertThat(shown.at("/health/limitReason").asString()).isEqualTo("starting");
    assertThat(shown.get("lifetime").asString()).isEqualTo("PT1H");

    JsonNode changed =
        api.patch(
                "/v1/subscriptions/" + id, "{\"maxInFlight\":3,\"lifetime\":null,\"policy\":null}")
            .json();
    assertThat(changed.get("maxInFlight").intValue()).isEqualTo(3);
    assertThat(changed.has("lifetime")).isFalse();
    assertThat(changed.at("/effectivePolicy/preset").asString()).isEqualTo("notification-http");

    assertThat(api.delete("/v1/subscriptions/" + id).status()).isEqualTo(204);
    assertThat(api.get("/v1/subscriptions/" + id).status()).isEqualTo(404);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                              | endpoint
          {"endpoint":5}                                  | endpoint
          {"endpoint":"ftp://example.com/"}               | endpoint
          {"endpoint":"http://u:secret@example.com/"}     | endpoint
          {"endpoint":"http://10.0.0.1/"}                 | endpoint
          {"endpoint":"http://169.254.169.254/latest"}    | endpoint
          {"endpoint":"http://[::ffff:10.0.0.1]/"}        | endpoint
          {"endpoint":"http://0x7f.1/"}                   | endpoint
          {"endpoint":"http://no-such-host.invalid/"}     | endpoint
          {"endpoint":"http://127.0.0.1/","maxInFlight":0} | maxInFlight
          {"endpoint":"http://127.0.0.1/","maxInFlight":1e99} | maxInFlight
          {"endpoint":"http://127.0.0.1/","lifetime":"-1h"} | lifetime
          {"endpoint":"http://127.0.0.1/","format":"xml"} | format
          {"endpoint":"http://127.0.0.1/","filter":{"a":[{"prefx":"x"}]}} | filter
          {"endpoint":"http://127.0.0.1/","surprise":1}   | surprise
          {"endpoint":"http://127.0.0.1/","policy":{"healthyRetryPolicy":{"numRetries":101}}} | policy.healthyRetryPolicy.numRetries
          """)
  void badSubscriptionNamesTheField(String settings, String field) {
    api.put("/v1/topics/bad-subs", "{}");
    Reply reply = api.post("/v1/topics/bad-subs/subscriptions", settings);
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.fields()).contains(field);
    assertThat(reply.text()).doesNotContain("secret");
    assertThat(api.get("/v1/topics/bad-subs").json().get("subscriptions").intValue()).isZero();
  }

  @Test
  void numberThatIsTooLargeNamesItsFieldEverywhere() {
    String id = api.subscribe("numbers", endpoint(""));
    String large = "1e99999999999";
    assertRefused(
        api.put("/v1/topics/numbers", "{\"healthyRetryPolicy\":{\"numRetries\":" + large + "}}"),
        "healthyRetryPolicy.numRetries");
    assertRefused(
        api.post(
            "/v1/topics/numbers/subscriptions",
            endpoint(",\"filter\":{\"a\":[{\"numeric\":[\">\"," + large + "]}]}")),
        "filter.a.0.numeric.1");
    assertRefused(
        api.patch("/v1/subscriptions/" + id, "{\"maxInFlight\":" + large + "}"), "maxInFlight");
    assertRefused(
        api.post(
            "/v1/topics/numbers/messages", "{\"body\":1,\"attributes\":{\"a\":" + large + "}}"),
        "attributes.a");
    assertRefused(api.post("/v1/preview", "{\"maxAttempts\":" + large + "}"), "maxAttempts");
    assertRefused(
        api.post("/v1/subscriptions/" + id + "/redrive", "{\"limit\":" + large + "}"), "limit");
    assertRefused(
        api.delete(
            "/v1/subscriptions/"
                + id
                + "/dead-letters?attributes=%7B%22a%22:%5B"
                + large
                + "%5D%7D"),
        "attributes.a.0");
    assertRefused(api.post("/v1/preview", large), "body");
    // As a body it is a number like any other: nobody here reckons with it.
    assertThat(api.post("/v1/topics/numbers/messages", "{\"body\":" + large + "}").status())
        .isEqualTo(202);
  }

  private static void assertRefused(Reply reply, String field) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.fields()).containsExactly(field);
    assertThat(reply.message()).contains("exponent");
  }

  @Test
  void nothingIsFoundWhereNothingIs() {
    for (String path :
        List.of(
            "/v1/topics/none",
            "/v1/subscriptions/none-1",
            "/v1/subscriptions/x",
            "/v1/deliveries/01934c5e-7b2a-7c3d-8e4f-5a6b7c8d9e0f@none-1",
            "/v1/nothing",
            "/v1",
            "//v1/topics")) {
      Reply reply = api.get(path);
      assertThat(reply.status()).as(path).isEqualTo(404);
      assertThat(reply.code()).isEqualTo("not_found");
    }
    assertThat(api.post("/v1/topics/none/messages", "{\"body\":1}").status()).isEqualTo(404);
    assertThat(api.post("/v1/topics/none/subscriptions", endpoint("")).status()).isEqualTo(404);
  }

  // --- publishing ----------------------------------------------------------------------------

  @Test
  void bodyArrivesByteForByte() {
    api.subscribe("raw", endpoint(",\"format\":\"raw\""));
    String body = "{ \"z\": 1.0,\n \"ü\" : [true , null] }";
    String id = api.publish("raw", "{\"body\":" + body + ",\"attributes\":{\"a\":\"b\"}}");
    ScriptedEndpoint.Received received =
        Await.value(
                "what the endpoint received",
                () -> sink.received.stream().filter(r -> id.equals(r.messageId())).toList(),
                list -> !list.isEmpty())
            .get(0);
    assertThat(new String(received.body(), UTF_8)).isEqualTo(body);
    assertThat(received.contentType()).isEqualTo("application/json");
    assertThat(received.attempt()).isEqualTo("1");
  }

  @Test
  void repeatedPublishIsHarmlessAndAnotherContentIsRefused() {
    api.subscribe("idem", endpoint(""));
    String path = "/v1/topics/idem/messages";
    String json = "application/json";
    Reply first = api.send("POST", path, "{\"body\":1}", json, "Idempotency-Key", "k-1");
    Reply again = api.send("POST", path, "{\"body\":1}", json, "Idempotency-Key", "k-1");
    Reply other = api.send("POST", path, "{\"body\":2}", json, "Idempotency-Key", "k-1");

    assertThat(first.json().get("repeated").booleanValue()).isFalse();
    assertThat(again.json().get("repeated").booleanValue()).isTrue();
    assertThat(again.json().get("messageId")).isEqualTo(first.json().get("messageId"));
    assertThat(other.status()).isEqualTo(422);
    assertThat(other.code()).isEqualTo("conflict");

    String tooLong = "k".repeat(257);
    assertThat(api.send("POST", path, "{\"body\":1}", json, "Idempotency-Key", tooLong).fields())
        .containsExactly("Idempotency-Key");
  }

  @Test
  void aRepeatedPublishTellsNoDeliveryThatThereIsNot() {
    api.put("/v1/topics/later", "{}");
    String path = "/v1/topics/later/messages";
    String json = "application/json";
    api.send("POST", path, "{\"body\":1}", json, "Idempotency-Key", "k-1");
    api.subscribe("later", endpoint(""));
    Reply again = api.send("POST", path, "{\"body\":1}", json, "Idempotency-Key", "k-1");

    assertThat(again.json().get("deliveries").intValue()).isZero();
    assertThat(again.json().get("repeated").booleanValue()).isTrue();
  }

  @Test
  void eachLineStandsForItself() {
    api.subscribe("lines", endpoint(""));
    String lines =
        """
        {"body":1}
        {"body":
        {"nobody":1}
        {"body":"x","idempotencyKey":"a"}
        {"body":"x","idempotencyKey":"a"}
        {"body":"y","idempotencyKey":"a"}

        {"body":2}

        """;
    Reply reply = api.send("POST", "/v1/topics/lines/messages", lines, "application/x-ndjson");
    assertThat(reply.status()).isEqualTo(202);
    JsonNode items = reply.json().get("items");
    List<String> codes = new ArrayList<>();
    items.forEach(item -> codes.add(item.has("error") ? item.at("/error/code").asString() : "ok"));
    assertThat(codes)
        .containsExactly("ok", "invalid", "invalid", "ok", "ok", "conflict", "invalid", "ok");
    assertThat(items.get(4).get("messageId")).isEqualTo(items.get(3).get("messageId"));
  }

  @Test
  void linesOfWhichNoneIsAcceptedAreNoSuccess() {
    api.subscribe("no-lines", endpoint(""));
    String path = "/v1/topics/no-lines/messages";
    Reply invalid = api.send("POST", path, "{}\n1\n", "application/x-ndjson");
    assertThat(invalid.status()).isEqualTo(400);
    assertThat(invalid.code()).isEqualTo("invalid");
    assertThat(invalid.message()).startsWith("none of the 2 lines was accepted; the first: body");
    assertThat(invalid.json().get("items")).hasSize(2);
    assertThat(invalid.json().at("/items/1/error/code").asString()).isEqualTo("invalid");

    String large = "{\"body\":\"" + "x".repeat(300_000) + "\"}";
    assertThat(api.send("POST", path, large, "application/x-ndjson").status()).isEqualTo(413);
    Reply mixed = api.send("POST", path, "{}\n" + large, "application/x-ndjson");
    assertThat(mixed.status()).isEqualTo(400);
    Reply partly = api.send("POST", path, "{}\n{\"body\":1}", "application/x-ndjson");
    assertThat(partly.status()).isEqualTo(202);
    assertThat(partly.json().at("/items/1/deliveries").intValue()).isEqualTo(1);
  }

  @Test
  void tooManyLinesAreRefusedAsAWhole() {
    api.put("/v1/topics/many-lines", "");
    Reply reply =
        api.send(
            "POST",
            "/v1/topics/many-lines/messages",
            "{\"body\":1}\n".repeat(1001),
            "application/x-ndjson");
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.message()).contains("1000 lines");
  }

  @Test
  void tooLargeNamesTheLimit() {
    api.put("/v1/topics/large", "");
    Reply message =
        api.post("/v1/topics/large/messages", "{\"body\":\"" + "x".repeat(300_000) + "\"}");
    assertThat(message.status()).isEqualTo(413);
    assertThat(message.message()).contains("256 KB");

    Reply request =
        api.post("/v1/topics/large/messages", "{\"body\":\"" + "x".repeat(5_000_000) + "\"}");
    assertThat(request.status()).isEqualTo(413);
    assertThat(request.message()).contains(Integer.toString(PublishOperations.MAX_REQUEST_BYTES));

    Reply policy = api.put("/v1/topics/large", " ".repeat(2_000_000));
    assertThat(policy.status()).isEqualTo(413);
  }

  @Test
  void malformedJsonTellsWhere() {
    for (String bad :
        List.of("{\"body\":\n [1,}", "{\"body\":1}\nx", "{\"body\":\n{\"a\":1,\"a\":2}}")) {
      api.put("/v1/topics/malformed", "");
      Reply reply = api.post("/v1/topics/malformed/messages", bad);
      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.message()).contains("line 2, column");
    }
    assertThat(api.put("/v1/topics/malformed", "{\n\"a\":NaN}").message()).contains("line 2");
    assertThat(api.post("/v1/preview", "").message()).contains("line 1");
  }

  @Test
  void wrongMethodAndWrongTypeSayWhatIsRight() {
    Reply method = api.delete("/v1/topics");
    assertThat(method.status()).isEqualTo(405);
    assertThat(method.header("Allow")).isEqualTo("GET");

    Reply type = api.send("POST", "/v1/topics/x/messages", "a=b", "text/plain");
    assertThat(type.status()).isEqualTo(415);
    assertThat(type.message()).contains("application/json or application/x-ndjson");
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/topics?limit=-1,limit",
    "/v1/topics?limit=1001,limit",
    "/v1/topics?limit=x,limit",
    "/v1/topics?limit=1&limit=2,limit",
    "/v1/topics?cursor=garbage,cursor",
    "/v1/topics?cursor=%ff,cursor",
    "/v1/topics?page=2,page",
    "/v1/topics?search=a&search=b,search",
    "/v1/subscriptions?suspended=perhaps,suspended",
    "/v1/subscriptions?failing=perhaps,failing",
    "/v1/topics/x?y=1,y",
    "/v1/deliveries,subscription",
    "/v1/deliveries?message=1,message",
    "/v1/ledger?verify=perhaps,verify",
  })
  void badQueryNamesTheParameter(String path, String field) {
    api.put("/v1/topics/x", "");
    Reply reply = api.get(path);
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.fields()).containsExactly(field);
  }

  // --- deliveries ----------------------------------------------------------------------------

  @Test
  void historyTellsWhyTheNextAttemptIsWhenItIs() {
    try (ScriptedEndpoint failing = new ScriptedEndpoint().then(503, "2").thenHeld(204)) {
      String id =
          api.subscribe(
              "history",
              "{\"endpoint\":\""
                  + failing.url()
                  + "\",\"policy\":{\"healthyRetryPolicy\":{\"numRetries\":3,"
                  + "\"minDelayTarget\":\"100ms\",\"maxDelayTarget\":5}}}");
      String message = api.publish("history", "{\"body\":\"hello\"}");
      String path = "/v1/deliveries/" + message + "@" + id;

      JsonNode waiting = api.await(path, d -> d.get("attempts").intValue() == 1);
      assertThat(waiting.get("status").asString()).isEqualTo("pending");
      assertThat(waiting.at("/nextAttempt/kind").asString()).isEqualTo("retry");
      assertThat(waiting.at("/nextAttempt/hintMillis").longValue()).isEqualTo(2000);
      assertThat(waiting.at("/nextAttempt/reason").asString())
          .contains("the endpoint asked for 2 s (Retry-After)");
      assertThat(waiting.get("lastOutcome").asString()).isEqualTo("503 Service Unavailable");
      assertThat(waiting.at("/payload/body").asString()).isEqualTo("hello");

      failing.release();
      JsonNode done = api.await(path, d -> d.get("status").asString().equals("delivered"));
      assertThat(done.get("history")).hasSize(2);
      assertThat(done.at("/history/0/outcome/status").intValue()).isEqualTo(503);
      assertThat(done.at("/history/0/due/hintMillis").longValue()).isEqualTo(2000);
      assertThat(done.at("/history/1/outcome/succeeded").booleanValue()).isTrue();
      assertThat(done.get("payload").isNull()).isTrue();
      assertThat(failing.received).extracting("attempt").containsExactly("1", "2");
      assertThat(api.get("/v1/deliveries?message=" + message).json().at("/items/0/id").asString())
          .isEqualTo(message + "@" + id);
    }
  }

  @Test
  void everyPageIsSeenOnce() {
    try (ScriptedEndpoint dead = new ScriptedEndpoint().always(400)) {
      String id = api.subscribe("pages", "{\"endpoint\":\"" + dead.url() + "\"}");
      String givenUp = "reprise_deliveries_given_up_total{subscription=\"" + id + "\"} ";
      assertThat(api.get("/metrics").text()).contains(givenUp + "0.0");
      Set<String> published = new HashSet<>();
      for (int i = 0; i < 23; i++) {
        published.add(api.publish("pages", "{\"body\":" + i + "}"));
      }
      api.await("/v1/subscriptions/" + id, s -> s.at("/ledger/deadLettered").intValue() == 23);

      assertThat(api.get("/metrics").text()).contains(givenUp + "23.0");

      String deliveries = "/v1/deliveries?subscription=" + id + "&limit=5";
      assertThat(messages(deliveries)).containsExactlyInAnyOrderElementsOf(published);
      assertThat(messages(deliveries + "&status=dead-lettered"))
          .containsExactlyInAnyOrderElementsOf(published);
      assertThat(messages(deliveries + "&status=pending")).isEmpty();
      assertThat(messages(deliveries + "&status=delivered")).isEmpty();
      assertThat(messages("/v1/subscriptions/" + id + "/dead-letters?limit=4"))
          .containsExactlyInAnyOrderElementsOf(published);
    }
  }

  @Test
  void topicsAndSubscriptionsHavePages() {
    Set<String> names = new HashSet<>();
    for (int i = 0; i < 7; i++) {
      names.add(api.subscribe("many", endpoint("")));
      api.put("/v1/topics/page-" + i, "");
    }
    assertThat(api.all("/v1/subscriptions?topic=many&limit=3", "id"))
        .containsExactlyInAnyOrderElementsOf(names);
    assertThat(api.all("/v1/topics?limit=2", "name"))
        .contains("page-0", "page-6")
        .doesNotHaveDuplicates();
  }

  private static List<String> messages(String path) {
    return api.all(path, "message");
  }

  // --- dead letters --------------------------------------------------------------------------

  @Test
  void deadLettersAreRedrivenAndPurgedInParts() {
    try (ScriptedEndpoint dead = new ScriptedEndpoint().always(410)) {
      String id = api.subscribe("redrive", "{\"endpoint\":\"" + dead.url() + "\"}");
      for (int i = 0; i < 6; i++) {
        api.publish("redrive", "{\"body\":1,\"attributes\":{\"odd\":" + (i % 2 == 1) + "}}");
      }
      String subscription = "/v1/subscriptions/" + id;
      api.await(subscription, s -> s.at("/ledger/deadLettered").intValue() == 6);
      dead.always(200);

      String odd = "\"filter\":{\"reason\":\"NOT_RETRYABLE\",\"attributes\":{\"odd\":[true]}}";
      Reply dry = api.post(subscription + "/redrive", "{\"dryRun\":true," + odd + "}");
      assertThat(dry.json().get("matched").intValue()).isEqualTo(3);
      assertThat(api.get(subscription).json().at("/ledger/deadLettered").intValue()).isEqualTo(6);

      int changed = 0;
      String cursor = "null";
      do {
        Reply part =
            api.post(
                subscription + "/redrive",
                "{\"limit\":2,\"perSecond\":100,\"cursor\":" + cursor + "," + odd + "}");
        assertThat(part.status()).as(part.text()).isEqualTo(200);
        changed += part.json().get("changed").intValue();
        cursor = part.json().get("next").toString();
      } while (!cursor.equals("null"));
      assertThat(changed).isEqualTo(3);
      api.await(subscription, s -> s.at("/ledger/delivered").intValue() == 3);

      Reply purge =
          api.delete(subscription + "/dead-letters?attributes=%7B%22odd%22:%5Bfalse%5D%7D");
      assertThat(purge.json().get("changed").intValue()).isEqualTo(3);
      assertThat(purge.json().get("next").isNull()).isTrue();

      JsonNode ledger = api.get("/v1/ledger?verify=true").json();
      assertThat(ledger.at("/total/unexplained").intValue()).isZero();
      assertThat(ledger.at("/verified/agrees").booleanValue()).isTrue();
      assertThat(ledger.at("/verified/wrongPayloads")).isEmpty();
      assertThat(ledger.at("/verified/fromRecords").toString())
          .isEqualTo("[\"pending\",\"deadLettered\"]");
      assertThat(ledger.at("/verified/fromCounters").toString()).contains("\"delivered\"");
      assertThat(api.get(subscription).json().at("/ledger/discarded").intValue()).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"filter":{"reason":"BORED"}}     | reason
          {"filter":{"message":"x"}}        | message
          {"filter":{"diedFrom":"today"}}   | diedFrom
          {"filter":{"when":"x"}}           | filter.when
          {"filter":{"attributes":{"a":1}}} | attributes
          {"perSecond":0}                   | perSecond
          {"perSecond":"10"}                | perSecond
          {"dryRun":1}                      | dryRun
          {"limit":0}                       | limit
          {"cursor":"AAAA"}                 | cursor
          {"fast":true}                     | fast
          """)
  void badRedriveNamesTheField(String body, String field) {
    String id = api.subscribe("bad-redrive", endpoint(""));
    Reply reply = api.post("/v1/subscriptions/" + id + "/redrive", body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.fields()).containsExactly(field);
  }

  // --- the rest ------------------------------------------------------------------------------

  @Test
  void healthAndMetricsAreOpen() {
    assertThat(api.get("/health/live").status()).isEqualTo(200);
    assertThat(api.awaitReady().json().get("status").asString()).isEqualTo("ready");
    api.subscribe("metrics", endpoint(""));
    api.publish("metrics", "{\"body\":1}");
    Reply metrics = api.get("/metrics");
    assertThat(metrics.status()).isEqualTo(200);
    assertThat(metrics.text())
        .contains("reprise_messages_published_total")
        .contains("reprise_attempts_total{outcome=\"2xx\"}")
        .contains("reprise_deliveries{state=\"pending\"}")
        .contains("reprise_publish_duration_seconds_bucket")
        .contains("reprise_first_attempt_delay_seconds_bucket")
        .contains("reprise_build_info{")
        .contains("jvm_memory_used_bytes");
  }

  @Test
  void metricsAreCompressedForAScraperThatAsksForIt() throws Exception {
    Reply plain = api.get("/metrics");
    HttpURLConnection request = (HttpURLConnection) plain.response().uri().toURL().openConnection();
    request.setRequestProperty("Accept-Encoding", "gzip");

    assertThat(plain.header("Content-Encoding")).isEmpty();
    assertThat(request.getHeaderField("Content-Encoding")).isEqualTo("gzip");
    assertThat(request.getHeaderField("Vary")).isEqualTo("Accept-Encoding");
    try (InputStream body = new GZIPInputStream(request.getInputStream())) {
      assertThat(new String(body.readAllBytes(), UTF_8)).contains("jvm_memory_used_bytes");
    }
  }
}
