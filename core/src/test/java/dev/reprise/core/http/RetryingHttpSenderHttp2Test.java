package dev.reprise.core.http;

import static dev.reprise.core.http.ScriptedServer.Answer.body;
import static dev.reprise.core.http.ScriptedServer.Answer.status;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.http.ScriptedServer.Seen;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.fixtures.Nginx;
import dev.reprise.fixtures.TestCertificate;
import dev.reprise.testkit.RefusingPort;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The sender over TLS and HTTP/2: a real nginx stands before the scripted server. */
@Timeout(300)
class RetryingHttpSenderHttp2Test {
  private static final String LONG_TEXT = "all work and no play ".repeat(50_000);

  private static Nginx nginx;
  private static HttpClient client;
  private static RefusingPort scriptedPort;

  @BeforeAll
  static void startNginx(@TempDir Path folder) throws Exception {
    TestCertificate certificate = TestCertificate.of(folder, "localhost", "localhost");
    client = HttpClient.newBuilder().sslContext(TestCertificate.trusting(certificate)).build();
    scriptedPort = RefusingPort.take();
    nginx =
        Nginx.start(
            folder,
            """
            server {
              listen @port@ ssl http2;
              ssl_certificate %s;
              ssl_certificate_key %s;
              location / { proxy_pass http://127.0.0.1:%d; }
            }
            """
                .formatted(
                    certificate.certificatePem(), certificate.keyPem(), scriptedPort.number()));
  }

  @AfterAll
  static void stopNginx() {
    if (nginx != null) {
      nginx.close();
    }
    scriptedPort.close();
  }

  @Test
  void rejectedResponsesOfAnyLengthAreLetGo() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            scriptedPort.number(),
            status(503, "Retry-After", "0"),
            body(503, LONG_TEXT, "Retry-After", "0"),
            body(200, "done"))) {
      HttpRequest post =
          HttpRequest.newBuilder(uri()).POST(BodyPublishers.ofString("hello")).build();

      HttpResponse<InputStream> response = sender().send(post, BodyHandlers.ofInputStream());

      assertThat(new String(response.body().readAllBytes(), UTF_8)).isEqualTo("done");
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(server.seen()).extracting(Seen::body).containsExactly("hello", "hello", "hello");
    }
  }

  @Test
  void theLastResponseIsReturnedWhole() throws Exception {
    try (ScriptedServer server = new ScriptedServer(scriptedPort.number(), body(503, LONG_TEXT))) {
      HttpResponse<String> response =
          sender().sendAsync(HttpRequest.newBuilder(uri()).build(), BodyHandlers.ofString()).get();

      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(response.body()).isEqualTo(LONG_TEXT);
      assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_2);
      assertThat(response.sslSession()).isPresent();
      assertThat(server.seen()).hasSize(3);
    }
  }

  @Test
  void aGatewayWhoseServerIsDownIsAskedAgain() throws Exception {
    HttpResponse<String> response =
        sender().send(HttpRequest.newBuilder(uri()).build(), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(502);
    assertThat(response.body()).contains("502 Bad Gateway");
  }

  private static RetryingHttpSender sender() {
    return RetryingHttpSender.of(
        client,
        Retry.of(
            StandardRetryStrategy.builder()
                .backoff(Backoff.none())
                .throttleBackoff(Backoff.none())
                .build()));
  }

  private static URI uri() {
    return URI.create("https://localhost:" + nginx.port() + "/");
  }
}
