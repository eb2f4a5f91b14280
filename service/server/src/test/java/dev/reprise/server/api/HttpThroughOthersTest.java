package dev.reprise.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Nginx;
import dev.reprise.fixtures.Squid;
import dev.reprise.fixtures.TestAuthority;
import dev.reprise.server.fixture.RunningService;
import dev.reprise.server.fixture.RunningService.Reply;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The whole service with an nginx that asks for certificates, and a squid that asks for a login.
 */
@Tag("slow")
class HttpThroughOthersTest {
  private static final JsonMapper JSON = JsonMapper.shared();

  static RunningService api;
  static TestAuthority authority;
  static Nginx nginx;
  static Squid squid;

  @BeforeAll
  static void start(@TempDir(cleanup = CleanupMode.NEVER) Path folder) throws Exception {
    authority = TestAuthority.in(folder);
    TestAuthority.Identity server = authority.server();
    nginx =
        Nginx.start(
            Files.createDirectory(folder.resolve("nginx")),
            """
            ssl_certificate %s;
            ssl_certificate_key %s;
            ssl_client_certificate %s;
            ssl_verify_client on;
            server {
              listen @port@ ssl;
              location / { return 204; }
            }
            """
                .formatted(server.certificatePem(), server.keyPem(), authority.certificatePem()));
    squid =
        Squid.start(
            Files.createDirectory(folder.resolve("squid")),
            Squid.AUTHENTICATION + "http_access allow all\n");
    api = RunningService.dev(folder.resolve("data"));
  }

  @AfterAll
  static void stop() throws Exception {
    if (api != null) {
      api.close();
    }
    if (squid != null) {
      squid.close();
    }
    if (nginx != null) {
      nginx.close();
    }
  }

  private static ObjectNode mutualTls() throws Exception {
    TestAuthority.Identity client = authority.client("reprise");
    return JSON.createObjectNode()
        .put("certificate", Files.readString(client.certificatePem()))
        .put("privateKey", Files.readString(client.keyPem()))
        .put("authority", Files.readString(authority.certificatePem()));
  }

  private static ObjectNode endpoint() {
    return JSON.createObjectNode()
        .put("endpoint", "https://localhost:" + nginx.port() + "/")
        .put("deadLetters", "keep");
  }

  private static JsonNode awaitEnd(String subscription) {
    return api.await(
        "/v1/subscriptions/" + subscription,
        each -> each.at("/ledger/accepted").asInt() > 0 && each.at("/ledger/pending").asInt() == 0);
  }

  @Test
  void aSubscriptionShowsItsCertificate() throws Exception {
    ObjectNode settings = endpoint();
    settings.set("http", mutualTls());
    String id = api.subscribe("mutual", settings.toString());
    api.publish("mutual", "{\"body\":1}");
    assertThat(awaitEnd(id).at("/ledger/delivered").asInt()).isEqualTo(1);
    assertThat(api.get("/v1/subscriptions/" + id).text()).doesNotContain("PRIVATE KEY");

    settings.set("http", mutualTls().without("certificate").without("privateKey"));
    String without = api.subscribe("without", settings.toString());
    api.publish("without", "{\"body\":1}");
    assertThat(awaitEnd(without).at("/ledger/deadLettered").asInt()).isEqualTo(1);
  }

  @Test
  void aKeyOfAnotherCertificateIsRefused() throws Exception {
    ObjectNode settings = endpoint();
    ObjectNode http = mutualTls();
    http.put("privateKey", Files.readString(authority.client("other").keyPem()));
    settings.set("http", http);
    api.put("/v1/topics/wrong", "{}");
    Reply reply = api.post("/v1/topics/wrong/subscriptions", settings.toString());
    assertThat(reply.status()).isEqualTo(400);
    assertThat(reply.text()).contains("key").doesNotContain("PRIVATE KEY");
  }

  @Test
  void aProxyIsACarrierWhoseFaultCostsNothing() throws Exception {
    ObjectNode carrier = JSON.createObjectNode().put("name", "egress").put("type", "proxy");
    carrier
        .putObject("settings")
        .put("username", Squid.USER)
        .put("password", "wrong")
        .putArray("addresses")
        .add("127.0.0.1:" + squid.port());
    assertThat(api.post("/v1/carriers", carrier.toString()).status()).isEqualTo(201);
    ObjectNode settings = endpoint().put("carrier", "egress");
    settings.set("http", mutualTls());
    String id = api.subscribe("proxied", settings.toString());
    String message = api.publish("proxied", "{\"body\":1}");

    JsonNode waiting =
        api.await(
            "/v1/deliveries/" + message + "@" + id,
            each -> each.at("/nextAttempt/waitingFor").asString("").contains("407"));
    assertThat(waiting.get("attempts").asInt()).isZero();
    assertThat(api.get("/v1/carriers/egress").json().at("/state/fault").asString()).contains("407");
    ObjectNode login = JSON.createObjectNode();
    login.putObject("settings").put("password", Squid.PASSWORD);
    assertThat(api.patch("/v1/carriers/egress", login.toString()).status()).isEqualTo(200);

    JsonNode ended = awaitEnd(id);
    assertThat(ended.at("/ledger/delivered").asInt()).isEqualTo(1);
    assertThat(ended.at("/ledger/attempts").asInt()).isEqualTo(1);
  }
}
