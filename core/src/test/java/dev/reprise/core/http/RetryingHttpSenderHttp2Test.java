package dev.reprise.core.http;

import static dev.reprise.core.http.ScriptedServer.Answer.body;
import static dev.reprise.core.http.ScriptedServer.Answer.status;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.http.ScriptedServer.Seen;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.RefusingPort;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The sender over TLS and HTTP/2: a real nginx stands before the scripted server. */
@Timeout(300)
class RetryingHttpSenderHttp2Test {
  private static final String PASSWORD = "changeit";
  private static final String LONG_TEXT = "all work and no play ".repeat(50_000);

  private static Process nginx;
  private static HttpClient client;
  private static RefusingPort port;
  private static RefusingPort scriptedPort;

  @BeforeAll
  static void startNginx(@TempDir Path folder) throws Exception {
    KeyStore keys = makeKeys(folder);
    Files.writeString(
        folder.resolve("cert.pem"), pem("CERTIFICATE", keys.getCertificate("a").getEncoded()));
    Files.writeString(
        folder.resolve("key.pem"),
        pem("PRIVATE KEY", keys.getKey("a", PASSWORD.toCharArray()).getEncoded()));
    client = HttpClient.newBuilder().sslContext(trusting(keys)).build();
    port = RefusingPort.take();
    scriptedPort = RefusingPort.take();
    Files.writeString(
        folder.resolve("nginx.conf"),
        """
        daemon off;
        master_process off;
        pid %1$s/nginx.pid;
        error_log %1$s/error.log;
        events {}
        http {
          access_log off;
          client_body_temp_path %1$s/body;
          proxy_temp_path %1$s/proxy;
          fastcgi_temp_path %1$s/fastcgi;
          uwsgi_temp_path %1$s/uwsgi;
          scgi_temp_path %1$s/scgi;
          server {
            listen 127.0.0.1:%2$d ssl http2;
            ssl_certificate %1$s/cert.pem;
            ssl_certificate_key %1$s/key.pem;
            location / { proxy_pass http://127.0.0.1:%3$d; }
          }
        }
        """
            .formatted(folder, port.number(), scriptedPort.number()));
    Path binary =
        Stream.of("/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx")
            .map(Path::of)
            .filter(Files::isExecutable)
            .findFirst()
            .orElseGet(() -> abort("nginx is not installed (apt-get install nginx)"));
    nginx =
        new ProcessBuilder(binary.toString(), "-p", folder.toString(), "-c", folder + "/nginx.conf")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("nginx.out").toFile())
            .start();
    awaitListening(folder);
  }

  @AfterAll
  static void stopNginx() throws Exception {
    if (nginx != null) {
      nginx.destroy();
      assertThat(nginx.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    port.close();
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
    return URI.create("https://localhost:" + port.number() + "/");
  }

  private static KeyStore makeKeys(Path folder) throws Exception {
    Path file = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "a",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=DNS:localhost",
                "-keystore",
                file.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD)
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), UTF_8);
    assertThat(keytool.waitFor()).as(output).isZero();
    return KeyStore.getInstance(file.toFile(), PASSWORD.toCharArray());
  }

  private static SSLContext trusting(KeyStore keys) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("a", keys.getCertificate("a"));
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  private static String pem(String kind, byte[] content) {
    return "-----BEGIN "
        + kind
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content)
        + "\n-----END "
        + kind
        + "-----\n";
  }

  private static void awaitListening(Path folder) throws Exception {
    while (!isListening()) {
      if (nginx.waitFor(25, TimeUnit.MILLISECONDS)) {
        throw new IOException(
            "nginx did not start: " + Files.readString(folder.resolve("nginx.out")));
      }
    }
  }

  private static boolean isListening() {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port.number())) {
      return socket.isConnected();
    } catch (IOException notYet) {
      return false;
    }
  }
}
