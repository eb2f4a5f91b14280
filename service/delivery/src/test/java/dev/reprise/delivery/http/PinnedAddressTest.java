package dev.reprise.delivery.http;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.fixtures.Nginx;
import dev.reprise.fixtures.TestCertificate;
import dev.reprise.testkit.RefusingPort;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientConfig;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.ClientSSLOptions;
import io.vertx.core.net.JdkSSLEngineOptions;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.SocketAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the choice of the client library rests on: a request can be pinned to one vetted address,
 * while the Host header, the TLS server name and the verified certificate stay those of the name.
 * The name used here resolves nowhere, so any look-up of it would fail the request.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PinnedAddressTest {
  private static final String NAME = "hook.pinned.invalid";

  private final Vertx vertx = Vertx.vertx();
  private Nginx nginx;
  private TestCertificate certificate;
  private RefusingPort tls;
  private RefusingPort plain;
  private int tlsPort;
  private int plainPort;

  @BeforeAll
  void startServer(@TempDir(cleanup = org.junit.jupiter.api.io.CleanupMode.NEVER) Path folder)
      throws Exception {
    certificate = TestCertificate.of(folder, NAME, NAME);
    tls = RefusingPort.take();
    plain = RefusingPort.take();
    tlsPort = tls.number();
    plainPort = plain.number();
    nginx =
        Nginx.start(
            folder,
            """
            server {
              listen %s ssl http2;
              listen %s;
              ssl_certificate %s;
              ssl_certificate_key %s;
              location / {
                return 200 "$server_addr|$http_host|$host|$ssl_server_name|$server_protocol";
              }
            }
            """
                .formatted(tlsPort, plainPort, certificate.certificatePem(), certificate.keyPem()));
  }

  @AfterAll
  void stop() throws Exception {
    if (nginx != null) {
      nginx.close();
    }
    for (RefusingPort port : new RefusingPort[] {tls, plain}) {
      if (port != null) {
        port.close();
      }
    }
    vertx.close().toCompletionStage().toCompletableFuture().get(300, SECONDS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.0.0.7", "127.1.2.3"})
  void plainHttpGoesToThePinnedAddressAndKeepsTheHost(String address) throws Exception {
    assertThat(post(client(true), address, NAME, plainPort, false))
        .isEqualTo(address + "|" + NAME + ":" + plainPort + "|" + NAME + "||HTTP/1.1");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void tlsGoesToThePinnedAddressAndKeepsTheServerName(boolean openSsl) throws Exception {
    assertThat(post(client(openSsl), "127.0.0.9", NAME, tlsPort, true))
        .isEqualTo("127.0.0.9|" + NAME + ":" + tlsPort + "|" + NAME + "|" + NAME + "|HTTP/2.0");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theCertificateIsVerifiedAgainstTheNameAndNotTheAddress(boolean openSsl) {
    HttpClient client = client(openSsl);
    assertThatThrownBy(() -> post(client, "127.0.0.9", "other.pinned.invalid", tlsPort, true))
        .hasStackTraceContaining("other.pinned.invalid");
    assertThatThrownBy(() -> post(client, "127.0.0.9", "127.0.0.9", tlsPort, true))
        .hasStackTraceContaining("127.0.0.9");
  }

  private HttpClient client(boolean openSsl) {
    return vertx
        .httpClientBuilder()
        .with(new HttpClientConfig().setVersions(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1))
        .with(new PoolOptions())
        .with(
            new ClientSSLOptions()
                .setSslHandshakeTimeout(60)
                .setTrustOptions(
                    new PemTrustOptions().addCertPath(certificate.certificatePem().toString())))
        .with(openSsl ? new OpenSSLEngineOptions() : new JdkSSLEngineOptions())
        .build();
  }

  private static String post(HttpClient client, String address, String host, int port, boolean tls)
      throws Exception {
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setServer(SocketAddress.inetSocketAddress(port, address))
            .setHost(host)
            .setPort(port)
            .setSsl(tls)
            .setURI("/");
    if (!tls) {
      options.setProtocolVersion(HttpVersion.HTTP_1_1);
    }
    return client
        .request(options)
        // In one step: a body that comes before somebody asks for it is lost.
        .compose(request -> request.send(Buffer.buffer("x")).compose(HttpClientResponse::body))
        .toCompletionStage()
        .toCompletableFuture()
        .get(300, SECONDS)
        .toString();
  }
}
