package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.http.HttpOutcome.ConnectionFailed;
import dev.reprise.delivery.http.HttpOutcome.Refused;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.fixtures.Nginx;
import dev.reprise.fixtures.TestAuthority;
import dev.reprise.testkit.RefusingPort;
import io.vertx.core.Vertx;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Certificates of clients and own authorities, against an nginx that asks for certificates. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpTlsTest {
  private static final AddressGuard DEV = AddressGuard.allowing(true, List.of());

  private final Vertx vertx = Vertx.vertx();
  private TestAuthority authority;
  private TestAuthority stranger;
  private TestAuthority.Identity server;
  private HttpTls first;
  private HttpTls rsa;
  private HttpTls second;
  private HttpTls unknown;
  private Nginx nginx;
  private RefusingPort h2;

  @BeforeAll
  void start(@TempDir(cleanup = CleanupMode.NEVER) Path folder) throws Exception {
    authority = TestAuthority.in(folder);
    stranger = TestAuthority.strangerIn(folder);
    server = authority.server();
    first = tls(authority.client("first"), null);
    rsa = tls(authority.client("rsa", "RSA"), null);
    second = tls(authority.client("second"), null);
    unknown = tls(stranger.client("unknown"), null);
    h2 = RefusingPort.take();
    nginx =
        Nginx.start(
            folder,
            """
            ssl_certificate %2$s;
            ssl_certificate_key %3$s;
            ssl_client_certificate %4$s;
            ssl_verify_client on;
            server {
              listen @port@ ssl;
              listen 127.0.0.1:%1$d ssl http2;
              location / { return 200 "$ssl_client_s_dn|$server_protocol|$connection"; }
            }
            """
                .formatted(
                    h2.number(),
                    server.certificatePem(),
                    server.keyPem(),
                    authority.certificatePem()));
  }

  @AfterAll
  void stop() throws Exception {
    if (nginx != null) {
      nginx.close();
    }
    if (h2 != null) {
      h2.close();
    }
    vertx.close().toCompletionStage().toCompletableFuture().get(300, SECONDS);
  }

  @ParameterizedTest
  @CsvSource({"true, true", "true, false", "false, true", "false, false"})
  void aCertificateIsShownToAServerThatAsks(boolean nativeTls, boolean http2) throws Exception {
    try (VertxHttpSender sender = sender(nativeTls, true)) {
      String protocol = http2 ? "HTTP/2.0" : "HTTP/1.1";
      assertThat(fields(send(sender, http2, first))).startsWith("CN=first", protocol);
      assertThat(fields(send(sender, http2, rsa))).startsWith("CN=rsa", protocol);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noneAndOneOfAnotherAuthorityAreTheServersToRefuse(boolean nativeTls) throws Exception {
    try (VertxHttpSender sender = sender(nativeTls, true)) {
      for (boolean http2 : new boolean[] {true, false}) {
        Response none = (Response) send(sender, http2, null);
        assertThat(none.status()).isEqualTo(400);
        assertThat(none.bodyExcerpt()).asString(UTF_8).contains("No required SSL certificate");
        Response other = (Response) send(sender, http2, unknown);
        assertThat(other.status()).isEqualTo(400);
        assertThat(other.bodyExcerpt()).asString(UTF_8).contains("The SSL certificate error");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aConnectionIsSharedByEqualTlsOnly(boolean http2) throws Exception {
    try (VertxHttpSender sender = sender(true, true)) {
      String[] one = fields(send(sender, http2, first));
      HttpTls same = new HttpTls(first.certificatePem(), first.keyPem(), first.authorityPem());
      assertThat(fields(send(sender, http2, same))).isEqualTo(one);
      String[] rotated = fields(send(sender, http2, second));
      assertThat(rotated[0]).isEqualTo("CN=second");
      assertThat(rotated[2]).isNotEqualTo(one[2]);
      assertThat(((Response) send(sender, http2, null)).status()).isEqualTo(400);
      assertThat(fields(send(sender, http2, first))).isEqualTo(one);
      assertThat(fields(send(sender, http2, second))).isEqualTo(rotated);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOwnAuthorityStandsInsteadOfTheSenders(boolean nativeTls) throws Exception {
    String own = Files.readString(authority.certificatePem());
    HttpTls trusting = new HttpTls(first.certificatePem(), first.keyPem(), own);
    HttpTls trustingOnly = new HttpTls(null, null, own);
    HttpTls wrong = new HttpTls(null, null, Files.readString(stranger.certificatePem()));
    try (VertxHttpSender sender = sender(nativeTls, false)) {
      assertThat(fields(send(sender, true, trusting))[0]).isEqualTo("CN=first");
      assertThat(((Response) send(sender, true, trustingOnly)).status()).isEqualTo(400);
      assertThat(((ConnectionFailed) send(sender, true, first)).detail())
          .startsWith("TLS handshake with localhost at 127.0.0.1:" + h2.number() + " failed: ");
      ConnectionFailed elsewhere =
          (ConnectionFailed)
              send(sender, "https://other.example:" + h2.number() + "/", trustingOnly);
      assertThat(elsewhere.detail()).containsIgnoringCase("no subject alternative");
      assertThat(elsewhere.neverSent()).isTrue();
    }
    try (VertxHttpSender sender = sender(nativeTls, true)) {
      assertThat(((ConnectionFailed) send(sender, false, wrong)).detail())
          .startsWith("TLS handshake with localhost")
          .containsIgnoringCase("certification path");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aServerThatBreaksOffForWantOfACertificateIsNamed(boolean nativeTls) throws Exception {
    HttpServer strict =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setHost("127.0.0.1")
                    .setPort(0)
                    .setSsl(true)
                    .setClientAuth(ClientAuth.REQUIRED)
                    .setKeyCertOptions(
                        new PemKeyCertOptions()
                            .addCertPath(server.certificatePem().toString())
                            .addKeyPath(server.keyPem().toString()))
                    .setTrustOptions(
                        new PemTrustOptions().addCertPath(authority.certificatePem().toString())))
            .requestHandler(request -> request.response().setStatusCode(204).end())
            .listen()
            .toCompletionStage()
            .toCompletableFuture()
            .get(300, SECONDS);
    try (VertxHttpSender sender = sender(nativeTls, true)) {
      String url = "https://localhost:" + strict.actualPort() + "/";
      assertThat(((Response) send(sender, url, first)).status()).isEqualTo(204);
      assertThat(((ConnectionFailed) send(sender, url, null)).detail()).contains("127.0.0.1:");
      assertThat(((ConnectionFailed) send(sender, url, unknown)).detail()).contains("127.0.0.1:");
    } finally {
      strict.close().toCompletionStage().toCompletableFuture().get(300, SECONDS);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsNoTlsIsRefusedAndNamed(boolean nativeTls) throws Exception {
    String own = Files.readString(authority.certificatePem());
    try (VertxHttpSender sender = sender(nativeTls, true)) {
      HttpTls mixed = new HttpTls(first.certificatePem(), second.keyPem(), null);
      for (int i = 0; i < 2; i++) {
        assertThat(((Refused) send(sender, true, mixed)).detail())
            .isEqualTo("TLS key: must be the key of the first certificate");
      }
      assertThat(((Refused) send(sender, true, new HttpTls(own, "secret", null))).detail())
          .startsWith("TLS key: must be one key in PEM")
          .doesNotContain("secret");
      assertThat(((Refused) send(sender, true, new HttpTls(null, null, "x"))).detail())
          .startsWith("TLS authority: must be 1 to 10 certificates in PEM");
      // Without TLS there is nothing to show and nobody to trust.
      assertThat(send(sender, "http://127.0.0.1:" + nginx.port() + "/", mixed))
          .isInstanceOf(Response.class);
    }
  }

  private VertxHttpSender sender(boolean nativeTls, boolean trusting) {
    HttpSenderSettings settings =
        HttpSenderSettings.DEFAULT.withNativeTls(nativeTls).withConnectTimeout(LONG);
    ScriptedLookup lookup = new ScriptedLookup().answer("other.example", 300, "127.0.0.1");
    return new VertxHttpSender(
        vertx,
        new VettedResolver(lookup, DEV, System::nanoTime),
        trusting ? settings.withTrustedCertificates(authority.certificatePem()) : settings);
  }

  private static HttpTls tls(TestAuthority.Identity identity, @Nullable String authority)
      throws IOException {
    return new HttpTls(
        Files.readString(identity.certificatePem()),
        Files.readString(identity.keyPem()),
        authority);
  }

  private static String[] fields(HttpOutcome outcome) {
    assertThat(outcome).isInstanceOf(Response.class);
    return new String(((Response) outcome).bodyExcerpt(), UTF_8).split("\\|", -1);
  }

  private HttpOutcome send(VertxHttpSender sender, boolean http2, @Nullable HttpTls tls)
      throws Exception {
    int port = http2 ? h2.number() : nginx.port();
    return send(sender, "https://localhost:" + port + "/", tls);
  }

  private static HttpOutcome send(VertxHttpSender sender, String url, @Nullable HttpTls tls)
      throws Exception {
    return Sending.send(
        sender,
        new HttpAttempt(
            EndpointUrl.parse(url, DEV).url(),
            List.of(),
            "x".getBytes(UTF_8),
            "text/plain",
            LONG,
            HttpOptions.DEFAULT.withTls(tls)));
  }
}
