package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.http.HttpOutcome.ConnectionFailed;
import dev.reprise.delivery.http.HttpOutcome.ProxyFailed;
import dev.reprise.delivery.http.HttpOutcome.Refused;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.fixtures.Nginx;
import dev.reprise.fixtures.Squid;
import dev.reprise.fixtures.TestAuthority;
import dev.reprise.fixtures.TestCertificate;
import dev.reprise.testkit.RefusingPort;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attempts through Squid to nginx. */
@Timeout(300)
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpProxyTest {
  private static final AddressGuard DEV = AddressGuard.allowing(true, List.of());
  private static final String NAME = "hook.example";

  private final Vertx vertx = Vertx.vertx();
  private TestCertificate certificate;
  private HttpTls client;
  private Nginx nginx;
  private Squid squid;
  private RefusingPort h2;
  private RefusingPort h1;
  private RefusingPort closed;
  private RefusingPort forbidden;
  private VertxHttpSender sender;

  @BeforeAll
  void start(
      @TempDir(cleanup = CleanupMode.NEVER) Path folder,
      @TempDir(cleanup = CleanupMode.NEVER) Path squidFolder)
      throws Exception {
    TestAuthority authority = TestAuthority.in(folder);
    certificate = TestCertificate.of(folder, NAME, NAME, "localhost");
    TestAuthority.Identity own = authority.client("client");
    client =
        new HttpTls(Files.readString(own.certificatePem()), Files.readString(own.keyPem()), null);
    h2 = RefusingPort.take();
    h1 = RefusingPort.take();
    closed = RefusingPort.take();
    forbidden = RefusingPort.take();
    nginx =
        Nginx.start(
            folder,
            """
            ssl_certificate %3$s;
            ssl_certificate_key %4$s;
            ssl_client_certificate %5$s;
            ssl_verify_client optional;
            server {
              listen @port@;
              listen 127.0.0.1:%1$d ssl http2;
              listen 127.0.0.1:%2$d ssl;
              location / {
                return 200 "$server_protocol|$connection|$host|$ssl_server_name|$ssl_client_s_dn|$http_proxy_authorization|$request_uri|$http_via";
              }
              location /502 { return 502 "mine"; }
              location /407 { return 407; }
            }
            """
                .formatted(
                    h2.number(),
                    h1.number(),
                    certificate.certificatePem(),
                    certificate.keyPem(),
                    authority.certificatePem()));
    squid =
        Squid.start(
            squidFolder,
            Squid.AUTHENTICATION
                + """
                acl forbidden port %s
                http_access deny forbidden
                http_access allow CONNECT
                """
                    .formatted(forbidden.number()));
    sender = sender(DEV);
  }

  @AfterAll
  void stop() throws Exception {
    for (AutoCloseable open :
        new AutoCloseable[] {sender, squid, nginx, h2, h1, closed, forbidden}) {
      if (open != null) {
        open.close();
      }
    }
    vertx.close().toCompletionStage().toCompletableFuture().get(300, SECONDS);
  }

  @ParameterizedTest
  @CsvSource({
    "http, true, HTTP/1.1",
    "h1, true, HTTP/1.1",
    "h2, true, HTTP/2.0",
    "http, false, HTTP/1.1",
    "h1, false, HTTP/1.1",
    "h2, false, HTTP/2.0",
  })
  void aTunnelLeadsToTheEndpoint(String kind, boolean nativeTls, String protocol) throws Exception {
    try (VertxHttpSender sender = sender(DEV, nativeTls)) {
      String connection = null;
      for (int i = 0; i < 3; i++) {
        // Squid cannot resolve this name. It stays what the endpoint and its certificate see.
        Response response = (Response) send(sender, url(kind, NAME, "/a?b"), proxy());
        String[] fields = fields(response);
        assertThat(fields[0]).isEqualTo(protocol);
        assertThat(connection == null ? fields[1] : connection).isEqualTo(fields[1]);
        // Neither what was meant for the proxy nor anything that it says reaches the endpoint.
        assertThat(List.of(fields).subList(2, 8))
            .containsExactly(NAME, kind.equals("http") ? "" : NAME, "", "", "/a?b", "");
        assertThat(response.address()).isEqualTo("127.0.0.1:" + port(kind));
        connection = fields[1];
      }
    }
  }

  @Test
  void manyAttemptsShareTunnels() throws Exception {
    for (String kind : List.of("h2", "h1")) {
      List<CompletableFuture<HttpOutcome>> outcomes = new ArrayList<>();
      for (int i = 0; i < 64; i++) {
        CompletableFuture<HttpOutcome> outcome = new CompletableFuture<>();
        outcomes.add(outcome);
        sender.send(attempt(url(kind, "localhost", "/"), proxy(), null), outcome::complete);
      }
      Set<String> connections = new HashSet<>();
      for (CompletableFuture<HttpOutcome> outcome : outcomes) {
        connections.add(fields(Sending.await(outcome))[1]);
      }
      if (kind.equals("h2")) {
        assertThat(connections).hasSizeBetween(1, 4);
      }
    }
  }

  @Test
  void connectionsThroughAProxyAndWithoutAreNotShared() throws Exception {
    String url = url("h1", "localhost", "/");
    Set<String> connections = new HashSet<>();
    connections.add(fields(send(sender, url, null))[1]);
    connections.add(fields(send(sender, url, proxy()))[1]);
    String[] shown = fields(Sending.send(sender, attempt(url, proxy(), client)));
    connections.add(shown[1]);
    assertThat(shown[4]).isEqualTo("CN=client");
    HttpProxy byName = new HttpProxy("proxy.example", squid.port(), credentials("right"), false);
    connections.add(fields(send(sender, url, byName))[1]);
    assertThat(connections).hasSize(4);
    assertThat(fields(send(sender, url, null))[4]).isEmpty();
  }

  @Test
  void theCertificateMustNameTheHostAndNotTheProxy() throws Exception {
    ConnectionFailed failed =
        (ConnectionFailed) send(sender, url("h2", "other.example", "/"), proxy());
    assertThat(failed.detail())
        .startsWith("TLS handshake with other.example at 127.0.0.1:" + h2.number() + " through ")
        .containsIgnoringCase("no subject alternative");
    assertThat(failed.neverSent()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAddressThatIsNotAllowedIsRefusedBeforeTheProxyHearsOfIt(boolean resolves)
      throws Exception {
    HttpProxy nowhere = new HttpProxy("127.0.0.1", closed.number(), "", resolves);
    try (VertxHttpSender strict = sender(AddressGuard.globalOnly())) {
      if (!resolves) {
        HttpOutcome named =
            Sending.send(
                strict, attempt("http://private.example/", AddressGuard.globalOnly(), nowhere));
        assertThat(((Refused) named).detail())
            .isEqualTo("host 'private.example' must have a public address, and has none");
      }
      for (String host : List.of("127.0.0.1", "localhost", "[::1]", "10.0.0.1")) {
        AddressGuard laxer = AddressGuard.allowing(true, List.of("10.0.0.0/8"));
        HttpOutcome literal = Sending.send(strict, attempt("http://" + host, laxer, nowhere));
        assertThat(((Refused) literal).detail()).contains("must");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "h1", "h2"})
  void aProxyThatResolvesIsAskedByName(String kind) throws Exception {
    HttpProxy resolving = new HttpProxy("127.0.0.1", squid.port(), credentials("right"), true);
    Response response = (Response) send(sender, url(kind, "localhost", "/"), resolving);
    assertThat(response.status()).isEqualTo(200);
    assertThat(response.address()).isEqualTo("localhost:" + port(kind));
  }

  @Test
  void wrongCredentialsAreTheProxysToRefuse() throws Exception {
    for (String password : List.of("wrong", "")) {
      String credentials = password.isEmpty() ? "" : credentials(password);
      HttpProxy proxy = new HttpProxy("127.0.0.1", squid.port(), credentials, false);
      ProxyFailed failed = (ProxyFailed) send(sender, url("h2", "localhost", "/"), proxy);
      assertThat(failed.detail())
          .isEqualTo(
              "the proxy "
                  + proxy
                  + " does not accept the credentials it was given:"
                  + " 407 Proxy Authentication Required");
    }
  }

  @Test
  void aPortThatTheProxyForbidsIsNamed() throws Exception {
    ProxyFailed failed =
        (ProxyFailed) send(sender, "http://127.0.0.1:" + forbidden.number() + "/", proxy());
    assertThat(failed.detail())
        .isEqualTo(
            "the proxy 127.0.0.1:%s refused a tunnel to 127.0.0.1:%s: 403 Forbidden; its rules must allow CONNECT to this port and address"
                .formatted(squid.port(), forbidden.number()));
  }

  @Test
  void anEndpointThatIsDownBehindTheProxyIsAtFaultItself() throws Exception {
    ConnectionFailed failed =
        (ConnectionFailed) send(sender, "http://127.0.0.1:" + closed.number() + "/", proxy());
    assertThat(failed.detail())
        .isEqualTo(
            "the proxy 127.0.0.1:%s cannot reach 127.0.0.1:%s: 503 Service Unavailable, ERR_CONNECT_FAIL 111"
                .formatted(squid.port(), closed.number()));
    assertThat(failed.neverSent()).isTrue();
  }

  @Test
  void aProxyThatIsDownIsNamed() throws Exception {
    HttpProxy down = new HttpProxy("localhost", closed.number(), "", false);
    assertThat(((ProxyFailed) send(sender, url("h2", "localhost", "/"), down)).detail())
        .isEqualTo("connection to the proxy " + down + " refused");
    HttpProxy unknown = new HttpProxy("noproxy.example", squid.port(), "", false);
    assertThat(((ProxyFailed) send(sender, url("h2", "localhost", "/"), unknown)).detail())
        .isEqualTo(
            "the proxy " + unknown + ": host 'noproxy.example' cannot be resolved: NXDOMAIN");
  }

  @Test
  void whatTheEndpointAnswersIsNotTheProxys() throws Exception {
    for (String kind : List.of("http", "h2")) {
      for (int status : List.of(502, 407)) {
        Response response = (Response) send(sender, url(kind, "localhost", "/" + status), proxy());
        assertThat(response.status()).isEqualTo(status);
      }
    }
    // An endpoint that speaks no TLS, and one whose certificate nobody vouches for.
    String plain = "https://localhost:" + nginx.port() + "/";
    assertThat(((ConnectionFailed) send(sender, plain, proxy())).detail())
        .startsWith("TLS handshake with localhost at 127.0.0.1:" + nginx.port() + " through");
    try (VertxHttpSender other =
        new VertxHttpSender(
            vertx, resolver(DEV), HttpSenderSettings.DEFAULT.withConnectTimeout(LONG))) {
      assertThat(((ConnectionFailed) send(other, url("h2", "localhost", "/"), proxy())).detail())
          .containsIgnoringCase("certification path");
    }
  }

  @Test
  void aProxyThatDiesInTheMiddleOfAnExchangeLeavesItOpen(
      @TempDir(cleanup = CleanupMode.NEVER) Path folder) throws Exception {
    CompletableFuture<HttpOutcome> outcome = new CompletableFuture<>();
    try (Squid dying = Squid.start(folder, "http_access allow CONNECT");
        HostileServer silent =
            new HostileServer(
                peer -> {
                  peer.readRequest();
                  dying.kill();
                  peer.awaitClose();
                })) {
      HttpProxy proxy = new HttpProxy("127.0.0.1", dying.port(), "", false);
      sender.send(attempt(Sending.url(silent).toString(), proxy, null), outcome::complete);
      ConnectionFailed failed = (ConnectionFailed) Sending.await(outcome);
      assertThat(failed.detail()).contains("through the proxy " + proxy);
      assertThat(failed.neverSent()).isFalse();
      // And whoever comes next is told that the proxy is gone.
      assertThat(send(sender, url("h2", "localhost", "/"), proxy)).isInstanceOf(ProxyFailed.class);
    }
  }

  private VertxHttpSender sender(AddressGuard guard) {
    return sender(guard, true);
  }

  private VertxHttpSender sender(AddressGuard guard, boolean nativeTls) {
    return new VertxHttpSender(
        vertx,
        resolver(guard),
        HttpSenderSettings.DEFAULT
            .withNativeTls(nativeTls)
            .withConnectTimeout(LONG)
            .withTrustedCertificates(certificate.certificatePem()));
  }

  private VettedResolver resolver(AddressGuard guard) {
    ScriptedLookup lookup =
        new ScriptedLookup()
            .answer(NAME, 300, "127.0.0.1")
            .answer("other.example", 300, "127.0.0.1")
            .answer("private.example", 300, "10.1.2.3")
            .answer("proxy.example", 300, "127.0.0.1")
            .fail("noproxy.example", 300, "NXDOMAIN");
    return new VettedResolver(lookup, guard, System::nanoTime);
  }

  private HttpProxy proxy() {
    return new HttpProxy("127.0.0.1", squid.port(), credentials("right"), false);
  }

  private static String credentials(String password) {
    return "Basic "
        + Base64.getEncoder().encodeToString((Squid.USER + ":" + password).getBytes(UTF_8));
  }

  private int port(String kind) {
    return kind.equals("h2") ? h2.number() : kind.equals("h1") ? h1.number() : nginx.port();
  }

  private String url(String kind, String host, String path) {
    return (kind.equals("http") ? "http://" : "https://") + host + ":" + port(kind) + path;
  }

  private static String[] fields(HttpOutcome outcome) {
    assertThat(outcome).isInstanceOf(Response.class);
    return new String(((Response) outcome).bodyExcerpt(), UTF_8).split("\\|", -1);
  }

  private static HttpOutcome send(VertxHttpSender sender, String url, HttpProxy proxy)
      throws Exception {
    return Sending.send(sender, attempt(url, proxy, null));
  }

  private static HttpAttempt attempt(String url, HttpProxy proxy, HttpTls tls) {
    HttpAttempt attempt = attempt(url, DEV, proxy);
    return new HttpAttempt(
        attempt.url(),
        attempt.headers(),
        attempt.body(),
        attempt.contentType(),
        attempt.timeout(),
        attempt.options().withTls(tls));
  }

  private static HttpAttempt attempt(String url, AddressGuard guard, HttpProxy proxy) {
    return new HttpAttempt(
        EndpointUrl.parse(url, guard).url(),
        List.of(),
        "x".getBytes(UTF_8),
        "text/plain",
        LONG,
        HttpOptions.DEFAULT.withProxy(proxy));
  }
}
