package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import dev.reprise.server.fixture.ScriptedEndpoint;
import dev.reprise.server.fixture.ScriptedEndpoint.Received;
import dev.reprise.webhook.WebhookVerificationException;
import dev.reprise.webhook.WebhookVerifier;
import java.net.http.HttpHeaders;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** What an endpoint that is a URL asks for: headers, login, signatures, consent. */
@Tag("slow")
class SubscriptionHttpTest {
  private static final String POLICY =
      "{\"healthyRetryPolicy\":{\"numRetries\":2,\"minDelayTarget\":0,\"maxDelayTarget\":0}}";

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

  private static String subscribe(String topic, ScriptedEndpoint endpoint, String more) {
    String id = api.subscribe(topic, "{\"endpoint\":\"" + endpoint.url() + "\"," + more + "}");
    api.put("/v1/topics/" + topic, POLICY);
    return id;
  }

  private static JsonNode awaitEnd(String subscription) {
    return api.await(
        "/v1/subscriptions/" + subscription,
        each -> each.at("/ledger/accepted").asInt() > 0 && each.at("/ledger/pending").asInt() == 0);
  }

  private static List<Received> deliver(String topic, String subscription, ScriptedEndpoint from) {
    api.publish(topic, "{\"body\":{\"id\":7},\"attributes\":{\"type\":\"order.created\"}}");
    awaitEnd(subscription);
    return from.posts();
  }

  @Test
  void headersAndLoginComeWithEveryAttempt() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().then(503, null)) {
      String id =
          subscribe(
              "login",
              endpoint,
              "\"http\":{\"headers\":{\"X-Tenant\":\"blue\"},\"username\":\"me\","
                  + "\"password\":\"hunter2\"}");
      List<Received> received = deliver("login", id, endpoint);

      assertThat(received).hasSize(2);
      for (Received each : received) {
        assertThat(each.header("X-Tenant")).isEqualTo("blue");
        assertThat(each.header("Authorization"))
            .isEqualTo("Basic " + Base64.getEncoder().encodeToString("me:hunter2".getBytes(UTF_8)));
      }
      Reply shown = api.get("/v1/subscriptions/" + id);
      assertThat(shown.text()).doesNotContain("hunter2").doesNotContain("sealed");
      assertThat(shown.json().at("/http/password")).hasToString("{\"set\":true,\"key\":\"dev\"}");
    }
  }

  @Test
  void changesOfHttpNameWhatChanges() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id =
          subscribe(
              "merge",
              endpoint,
              "\"http\":{\"headers\":{\"X-A\":\"1\"},\"token\":\"first-token\"}");
      String path = "/v1/subscriptions/" + id;
      api.patch(path, "{\"http\":{\"headers\":{\"X-B\":\"2\"}}}");
      Received first = deliver("merge", id, endpoint).get(0);
      assertThat(first.header("X-B")).isEqualTo("2");
      assertThat(first.header("X-A")).isNull();
      assertThat(first.header("Authorization")).isEqualTo("Bearer first-token");

      JsonNode shown = api.get(path).json().get("http");
      assertThat(api.patch(path, "{\"http\":" + shown + "}").status()).isEqualTo(200);
      assertThat(deliver("merge", id, endpoint).get(1).header("Authorization"))
          .isEqualTo("Bearer first-token");
      api.patch(path, "{\"http\":{\"token\":null}}");
      assertThat(deliver("merge", id, endpoint).get(2).header("Authorization")).isNull();
      api.patch(path, "{\"http\":null}");
      assertThat(api.get(path).json().has("http")).isFalse();
      assertThat(deliver("merge", id, endpoint).get(3).header("X-B")).isNull();
    }
  }

  @Test
  void aSecretDoesNotFollowToAnotherHost() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint();
        ScriptedEndpoint evil = new ScriptedEndpoint()) {
      String id = subscribe("follow", endpoint, "\"http\":{\"token\":\"hunter2\"}");
      String path = "/v1/subscriptions/" + id;
      Reply stolen = api.patch(path, "{\"endpoint\":\"" + evil.url() + "\"}");

      assertThat(stolen.status()).isEqualTo(400);
      assertThat(stolen.fields()).containsExactly("http.token");
      for (String kept : List.of("{}", "{\"handshake\":false}", "{\"token\":{\"set\":true}}")) {
        Reply merged =
            api.patch(path, "{\"endpoint\":\"" + evil.url() + "\",\"http\":" + kept + "}");
        assertThat(merged.fields()).as(kept).containsExactly("http.token");
      }
      assertThat(api.patch(path, "{\"endpoint\":\"" + endpoint.url() + "/2\"}").status())
          .isEqualTo(200);
      Reply again =
          api.patch(path, "{\"endpoint\":\"" + evil.url() + "\",\"http\":{\"token\":\"another\"}}");
      assertThat(again.status()).isEqualTo(200);
    }
  }

  @Test
  void aClientSecretDoesNotFollowToAnotherTokenUrl() {
    try (ScriptedEndpoint tokens = new ScriptedEndpoint();
        ScriptedEndpoint evil = new ScriptedEndpoint();
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id =
          subscribe(
              "token-follow",
              endpoint,
              "\"http\":{\"tokenUrl\":\""
                  + tokens.url()
                  + "\",\"clientId\":\"me\",\"clientSecret\":\"hunter2\"}");
      String path = "/v1/subscriptions/" + id;

      assertThat(api.patch(path, "{\"http\":{\"tokenUrl\":\"" + evil.url() + "\"}}").fields())
          .containsExactly("http.clientSecret");
      assertThat(api.patch(path, "{\"http\":{\"tokenUrl\":\"" + tokens.url() + "/2\"}}").status())
          .isEqualTo(200);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"username":"me"}                                | username and password must be given together
          {"token":"a","username":"me","password":"b"}      | one of username, token and tokenUrl
          {"headers":{"Authorization":"x"}}                 | is set by username, token or tokenUrl
          {"headers":{"Reprise-Attempt":"1"}}               | a header that the service sets itself
          {"headers":{"a b":"1"}}                           | whose names are HTTP tokens
          {"headers":{"X-A":"hunter2\\nX-B: 1"}}            | printable ASCII
          {"pasword":"hunter2"}                             | is not a field
          {"password":{"x":"hunter2"}}                      | must be a text of 1 to 16384 characters
          {"oldSigningUntil":"soon"}                        | must be a time
          {"tokenUrl":"http://10.0.0.1/","clientId":"a","clientSecret":"hunter2"} | private network
          {"authority":"none"}                              | authority
          {"signingSecret":"hunter2"}                       | must be whsec_ and 24 to 64 bytes in Base64
          {"scope":"a"}                                     | scope must be absent without tokenUrl
          {"tokenParameters":{"audience":"a"}}              | tokenParameters must be absent without tokenUrl
          {"tokenAuthentication":"client_secret_post"}      | tokenAuthentication must be absent without
          {"tokenAuthentication":"none"}                    | must be client_secret_basic or client_secret_post
          {"tokenParameters":{"client_secret":"hunter2"}}   | is set by clientId, clientSecret or scope
          {"tokenParameters":{"scope":"a"}}                 | is set by clientId, clientSecret or scope
          {"tokenParameters":{"grant_type":"password"}}     | is always client_credentials
          {"tokenParameters":{"a b":"hunter2"}}             | under names of letters
          {"tokenParameters":{"audience":["hunter2"]}}      | must be an object of 1 to 20 texts
          {"tokenParameters":{"audience":""}}               | texts of 1 to 1024 characters
          {"tokenParameters":{}}                            | must be an object of 1 to 20 texts
          {"tokenParameters":"hunter2"}                     | must be an object of 1 to 20 texts
          []                                                | must be an object
          """)
  void whatIsWrongIsNamedWithoutSecrets(String http, String rule) {
    api.put("/v1/topics/wrong", "{}");
    Reply reply =
        api.post(
            "/v1/topics/wrong/subscriptions",
            "{\"endpoint\":\"http://127.0.0.1:9/\",\"http\":" + http + "}");
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    assertThat(reply.text()).contains(rule).doesNotContain("hunter2");
  }

  @Test
  void aTokenIsFetchedOnceAndAgainAfterItWasRefused() {
    try (ScriptedEndpoint tokens =
            new ScriptedEndpoint()
                .always(200)
                .withBody("{\"access_token\":\"abc.def\",\"expires_in\":3600}");
        ScriptedEndpoint endpoint =
            new ScriptedEndpoint().then(204, null).then(401, null).then(204, null)) {
      String id =
          subscribe(
              "oauth",
              endpoint,
              "\"http\":{\"tokenUrl\":\""
                  + tokens.url()
                  + "\",\"clientId\":\"me:\",\"clientSecret\":\"hunter2\",\"scope\":\"a b\"}");
      assertThat(deliver("oauth", id, endpoint).get(0).header("Authorization"))
          .isEqualTo("Bearer abc.def");
      Received request = tokens.posts().get(0);
      assertThat(request.body())
          .asString(UTF_8)
          .isEqualTo("grant_type=client_credentials&scope=a+b");
      assertThat(request.header("Authorization"))
          .isEqualTo(
              "Basic " + Base64.getEncoder().encodeToString("me%3A:hunter2".getBytes(UTF_8)));

      // It was revoked meanwhile: the 401 is tried once more with a fresh one.
      deliver("oauth", id, endpoint);
      assertThat(endpoint.posts()).hasSize(3);
      assertThat(tokens.posts()).hasSize(2);
      assertThat(awaitEnd(id).at("/ledger/delivered").asInt()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "client_secret_basic, true, grant_type=client_credentials&scope=a+b",
    "client_secret_post, false,"
        + " grant_type=client_credentials&scope=a+b&client_id=me%3A&client_secret=hunter2%26"
  })
  void aTokenIsAskedForWithWhatItsServerWants(
      String authentication, boolean basic, String beginning) {
    try (ScriptedEndpoint tokens =
            new ScriptedEndpoint().always(200).withBody("{\"access_token\":\"abc.def\"}");
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String topic = "oauth-" + basic;
      String id =
          subscribe(
              topic,
              endpoint,
              "\"http\":{\"tokenUrl\":\""
                  + tokens.url()
                  + "\",\"clientId\":\"me:\",\"clientSecret\":\"hunter2&\",\"scope\":\"a b\","
                  + "\"tokenAuthentication\":\""
                  + authentication
                  + "\",\"tokenParameters\":{\"resource\":\"https://a/?b\",\"audience\":\"c d\"}}");
      assertThat(deliver(topic, id, endpoint).get(0).header("Authorization"))
          .isEqualTo("Bearer abc.def");
      Received request = tokens.posts().get(0);
      assertThat(request.body())
          .asString(UTF_8)
          .isEqualTo(beginning + "&audience=c+d&resource=https%3A%2F%2Fa%2F%3Fb");
      assertThat(request.header("Authorization") != null).isEqualTo(basic);

      String path = "/v1/subscriptions/" + id;
      JsonNode shown = api.get(path).json().get("http");
      assertThat(shown.get("tokenAuthentication").asString()).isEqualTo(authentication);
      assertThat(shown.at("/tokenParameters/audience").asString()).isEqualTo("c d");
      assertThat(shown.toString()).doesNotContain("hunter2");
      JsonNode changed =
          api.patch(path, "{\"http\":{\"tokenAuthentication\":null,\"tokenParameters\":null}}")
              .json()
              .get("http");
      assertThat(changed.has("tokenAuthentication")).isFalse();
      assertThat(changed.has("tokenParameters")).isFalse();
    }
  }

  @Test
  void aRefusedTokenRequestIsTheReason() {
    try (ScriptedEndpoint tokens =
            new ScriptedEndpoint().always(400).withBody("{\"error\":\"invalid_client\"}");
        ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id =
          subscribe(
              "refused",
              endpoint,
              "\"http\":{\"tokenUrl\":\""
                  + tokens.url()
                  + "\",\"clientId\":\"me\",\"clientSecret\":\"hunter2\"}");
      assertThat(deliver("refused", id, endpoint)).isEmpty();
      JsonNode dead = api.get("/v1/deliveries?subscription=" + id + "&status=dead-lettered").json();
      assertThat(dead.toString()).contains("access token: 400");
    }
  }

  @Test
  void withoutAKeySecretsAreRefused(@TempDir Path other) {
    try (RunningService keyless = RunningService.withKeys(other)) {
      keyless.put("/v1/topics/t", "{}");
      Reply reply =
          keyless.post(
              "/v1/topics/t/subscriptions",
              "{\"endpoint\":\"http://example.com/\",\"http\":{\"token\":\"hunter2\"}}");
      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.message())
          .contains("http.token is not shown: cannot be kept: this service has no key for secrets");
    }
  }

  private static WebhookVerifier verifier(String key) {
    return WebhookVerifier.of(key);
  }

  /** Verifies by our own kit and by the library of Standard Webhooks. */
  private static void verify(Received delivery, String key) throws Exception {
    assertThat(verifier(key).verify(delivery.headers()::getFirst, delivery.body()).id())
        .isEqualTo(delivery.messageId());
    if (key.startsWith("whsec_")) {
      new Webhook(key).verify(new String(delivery.body(), UTF_8), httpHeaders(delivery));
    }
  }

  private static HttpHeaders httpHeaders(Received delivery) {
    return HttpHeaders.of(delivery.headers(), (name, value) -> true);
  }

  @Test
  void everyAttemptIsSignedAndSecretsOverlap() throws Exception {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint().then(503, null)) {
      String id = subscribe("signed", endpoint, "\"http\":{\"headers\":{}}");
      String path = "/v1/subscriptions/" + id + "/signing-secret";
      String first = api.post(path, "{}").json().get("signingSecret").asString();
      for (Received attempt : deliver("signed", id, endpoint)) {
        verify(attempt, first);
      }
      assertThat(endpoint.posts()).hasSize(2);

      JsonNode second = api.post(path, "{}").json();
      assertThat(second.has("oldSigningUntil")).isTrue();
      Received both = deliver("signed", id, endpoint).get(2);
      verify(both, first);
      verify(both, second.get("signingSecret").asString());

      JsonNode third = api.post(path, "{\"kind\":\"ed25519\",\"overlap\":\"0s\"}").json();
      Received last = deliver("signed", id, endpoint).get(3);
      verify(last, third.get("publicKey").asString());
      assertThat(third.get("signingSecret").isNull()).isTrue();
      assertThatThrownBy(() -> verify(last, second.get("signingSecret").asString()))
          .isInstanceOf(WebhookVerificationException.class);
      assertThat(api.get("/v1/subscriptions/" + id).text()).doesNotContain(first.substring(6));
    }
  }

  @Test
  void aSecretThatIsRotatedAgainKeepsItsTime() throws Exception {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String id = subscribe("rotated", endpoint, "\"http\":{\"headers\":{}}");
      String path = "/v1/subscriptions/" + id + "/signing-secret";
      List<String> secrets = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        secrets.add(api.post(path, "{}").json().get("signingSecret").asString());
      }
      Received delivery = deliver("rotated", id, endpoint).get(0);
      for (String secret : secrets) {
        verify(delivery, secret);
      }
      Reply sixth = api.post(path, "{}");
      assertThat(sixth.status()).isEqualTo(400);
      assertThat(sixth.message()).contains("must not be more than 4 at a time: the first ends at");

      String last = api.post(path, "{\"overlap\":\"0s\"}").json().get("signingSecret").asString();
      Received alone = deliver("rotated", id, endpoint).get(1);
      verify(alone, last);
      assertThat(alone.header("webhook-signature").split(" ")).hasSize(1);
    }
  }

  @Test
  void anEndpointMayHaveToAllowDeliveriesFirst() {
    try (ScriptedEndpoint endpoint =
            new ScriptedEndpoint().always(200).withHeader("WebHook-Allowed-Origin", "*");
        ScriptedEndpoint silent = new ScriptedEndpoint().always(200)) {
      String id = subscribe("consent", endpoint, "\"http\":{\"handshake\":true}");
      deliver("consent", id, endpoint);
      deliver("consent", id, endpoint);

      assertThat(endpoint.received)
          .extracting(Received::method)
          .containsExactly("OPTIONS", "POST", "POST");
      assertThat(endpoint.received.get(0).header("WebHook-Request-Origin")).isEqualTo("reprise");

      String refused = subscribe("refusal", silent, "\"http\":{\"handshake\":true}");
      assertThat(deliver("refusal", refused, silent)).isEmpty();
      JsonNode dead =
          api.get("/v1/deliveries?subscription=" + refused + "&status=dead-lettered").json();
      assertThat(dead.toString()).contains("the endpoint does not allow deliveries, OPTIONS: 200");
    }
  }

  @Test
  void anEventIsSentAsTheFormatSays() {
    try (ScriptedEndpoint endpoint = new ScriptedEndpoint()) {
      String binary = subscribe("binary", endpoint, "\"format\":\"cloudevents\"");
      Received first = deliver("binary", binary, endpoint).get(0);
      assertThat(first.header("ce-type")).isEqualTo("order.created");
      assertThat(first.header("ce-id")).isEqualTo(first.messageId());
      assertThat(first.body()).asString(UTF_8).isEqualTo("{\"id\":7}");

      api.put("/v1/topics/structured", "{}");
      String structured =
          api.subscribe(
              "structured", "{\"protocol\":\"function\",\"endpoint\":\"" + endpoint.url() + "\"}");
      Received second = deliver("structured", structured, endpoint).get(1);
      assertThat(second.contentType()).isEqualTo("application/cloudevents+json");
      assertThat(second.body()).asString(UTF_8).contains("\"data\":{\"id\":7}");
    }
  }
}
