package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.fixtures.Nginx;
import dev.reprise.fixtures.TestCertificate;
import dev.reprise.testkit.RefusingPort;
import io.vertx.core.Vertx;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Method, headers and excerpt, against nginx over HTTP/1.1 and HTTP/2. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HttpOptionsTest {
  private static final AddressGuard DEV = AddressGuard.allowing(true, List.of());
  private static final int FILE_BYTES = 100_000;

  private final Vertx vertx = Vertx.vertx();
  private Nginx nginx;
  private RefusingPort h2;
  private VertxHttpSender sender;

  @BeforeAll
  void start(@TempDir(cleanup = CleanupMode.NEVER) Path folder) throws Exception {
    TestCertificate certificate = TestCertificate.of(folder, "localhost", "localhost");
    h2 = RefusingPort.take();
    Files.write(folder.resolve("file"), "x".repeat(FILE_BYTES).getBytes(UTF_8));
    nginx =
        Nginx.start(
            folder,
            """
            ssl_certificate %2$s;
            ssl_certificate_key %3$s;
            server {
              listen @port@;
              listen 127.0.0.1:%1$d ssl http2;
              add_header X-First one;
              add_header X-First two;
              add_header X-Empty "";
              add_header X-Long "%4$s";
              location / {
                return 200 "$request_method|$content_type|$content_length|$server_protocol|$connection";
              }
              location /file { root %5$s; }
            }
            """
                .formatted(
                    h2.number(),
                    certificate.certificatePem(),
                    certificate.keyPem(),
                    "l".repeat(1000),
                    folder));
    sender =
        new VertxHttpSender(
            vertx,
            new VettedResolver(new ScriptedLookup(), DEV, System::nanoTime),
            HttpSenderSettings.DEFAULT
                .withConnectTimeout(LONG)
                .withTrustedCertificates(certificate.certificatePem()));
  }

  @AfterAll
  void stop() throws Exception {
    if (nginx != null) {
      nginx.close();
      sender.close();
    }
    h2.close();
    vertx.close().toCompletionStage().toCompletableFuture().get(300, SECONDS);
  }

  @ParameterizedTest
  @CsvSource({
    "POST, b, text/plain, 1",
    "PUT, b, text/plain, 1",
    "DELETE, b, text/plain, 1",
    "POST, '', text/plain, 0",
    "PUT, '', text/plain, 0",
    "PATCH, '', text/plain, 0",
    "GET, '', '', ''",
    "OPTIONS, '', '', ''",
    "PURGE, '', '', ''",
  })
  void theMethodDecidesHowContentIsDescribed(
      String method, String body, String contentType, String length) throws Exception {
    HttpOptions options = HttpOptions.DEFAULT.withMethod(method);
    for (boolean http2 : new boolean[] {false, true}) {
      Response response = send(http2, "/", body, options);
      assertThat(fields(response))
          .startsWith(method, contentType, length, http2 ? "HTTP/2.0" : "HTTP/1.1");
      assertThat(response.headers()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aResponseToHeadHasNoBodyAndKeepsItsConnection(boolean http2) throws Exception {
    String before = fields(send(http2, "/", "", HttpOptions.DEFAULT))[4];
    Response head = send(http2, "/file", "", HttpOptions.DEFAULT.withMethod("HEAD"));
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.bodyExcerpt()).isEmpty();
    assertThat(fields(send(http2, "/", "", HttpOptions.DEFAULT))[4]).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void headersThatAreWantedAreHandedOver(boolean http2) throws Exception {
    List<String> wanted = List.of("x-long", "x-missing", "x-first", "content-type");
    Response response = send(http2, "/", "b", HttpOptions.DEFAULT.withResponse(10, wanted));
    assertThat(response.headers())
        .containsExactly(
            Map.entry("x-long", "l".repeat(1000)),
            Map.entry("x-first", "one"),
            Map.entry("content-type", "text/plain"));
    assertThat(response.bodyExcerpt()).hasSize(10);
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "1024", "30000", "65536"})
  void asMuchOfTheBodyIsKeptAsIsAskedFor(int bytes) throws Exception {
    HttpOptions options = HttpOptions.DEFAULT.withMethod("GET").withResponse(bytes, List.of());
    for (boolean http2 : new boolean[] {false, true}) {
      assertThat(send(http2, "/file", "", options).bodyExcerpt()).hasSize(bytes);
    }
  }

  @Test
  void noMoreThanEightKilobytesOfHeadersAreKept() {
    List<String> names = List.of("a", "b", "c", "d");
    Map<String, String> picked =
        ResponseHead.pick(names, name -> name.repeat(name.equals("b") ? 5000 : 4000));
    assertThat(picked).containsOnlyKeys("a", "c");
  }

  @Test
  void optionsThatAreNotHttpAreNamed() {
    for (String method : List.of("", "P ST", "GET\r\n", "É", "CONNECT")) {
      assertThatThrownBy(() -> HttpOptions.DEFAULT.withMethod(method))
          .hasMessageStartingWith("method '")
          .hasMessageEndingWith("must be an HTTP token other than CONNECT");
    }
    for (String name : List.of("", "X-Upper", "a:", "a b")) {
      assertThatThrownBy(() -> HttpOptions.DEFAULT.withResponse(1, List.of(name)))
          .hasMessageContaining("must be the name of a header in lower case");
    }
    assertThatThrownBy(() -> HttpOptions.DEFAULT.withResponse(65_537, List.of()))
        .hasMessage("excerptBytes 65537 must be from 0 to 65536");
  }

  private static String[] fields(Response response) {
    return new String(response.bodyExcerpt(), UTF_8).split("\\|", -1);
  }

  private Response send(boolean http2, String path, String body, HttpOptions options)
      throws Exception {
    String text =
        http2
            ? "https://localhost:" + h2.number() + path
            : "http://127.0.0.1:" + nginx.port() + path;
    EndpointUrl url = EndpointUrl.parse(text, DEV).url();
    return (Response)
        Sending.send(
            sender,
            new HttpAttempt(url, List.of(), body.getBytes(UTF_8), "text/plain", LONG, options));
  }
}
