package dev.reprise.device.transport.http;

import static dev.reprise.device.fixture.RecordingDevice.within;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.reprise.device.credential.Credential;
import dev.reprise.device.error.DeviceErrors;
import dev.reprise.device.error.ErrorKind;
import dev.reprise.device.error.ErrorRow;
import dev.reprise.device.error.ErrorScope;
import dev.reprise.device.error.TransportException;
import dev.reprise.device.fixture.RecordingDevice;
import dev.reprise.device.message.Message;
import dev.reprise.device.transport.SendCallback;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpTransportTest {
  private static final Credential TOKEN = new Credential(null, "token-1", Duration.ofHours(1));

  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final ExecutorService serverThreads = Executors.newCachedThreadPool();
  private HttpServer server;
  private volatile Answer answer = exchange -> exchange.sendResponseHeaders(204, -1);

  private record Received(String method, String path, Headers headers, String body) {}

  private interface Answer {
    void give(HttpExchange exchange) throws IOException;
  }

  @BeforeEach
  void startServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(serverThreads);
    server.createContext(
        "/",
        exchange -> {
          String body = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
          received.add(
              new Received(
                  exchange.getRequestMethod(),
                  exchange.getRequestURI().toString(),
                  exchange.getRequestHeaders(),
                  body));
          answer.give(exchange);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stopServer() {
    server.stop(0);
    serverThreads.shutdownNow();
  }

  static Stream<ErrorRow> httpRows() {
    return DeviceErrors.rows().stream()
        .filter(row -> row.protocol().equals("http") && Character.isDigit(row.code().charAt(0)));
  }

  @Test
  void messageIsOnePostWithItsIdBodyTypeAndProperties() throws Exception {
    RecordingDevice device = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);
    Message message =
        Message.builder()
            .id("message 7")
            .body("21.5 °C")
            .contentType("text/plain; charset=utf-8")
            .property("room", "12")
            .property("door name", "50 % öffen\r\nX: y")
            .build();

    assertThat(within(device.send(message))).isEmpty();

    assertThat(received).hasSize(1);
    Received request = received.get(0);
    assertThat(request.method()).isEqualTo("POST");
    assertThat(request.path()).isEqualTo("/readings?from=test");
    assertThat(request.body()).isEqualTo("21.5 °C");
    assertThat(request.headers().getFirst("Content-Type")).isEqualTo("text/plain; charset=utf-8");
    assertThat(request.headers().getFirst("Idempotency-Key")).isEqualTo("message%207");
    assertThat(request.headers().getFirst("Property-room")).isEqualTo("12");
    assertThat(request.headers().getFirst("Property-door%20name"))
        .isEqualTo("50%20%25%20%C3%B6ffen%0D%0AX:%20y");
    assertThat(request.headers().getFirst("Authorization")).isEqualTo("Bearer token-1");
  }

  @Test
  void passwordIsSentAsBasicAuthorization() throws Exception {
    RecordingDevice device =
        RecordingDevice.ready(
            new HttpTransport(settings().build()), new Credential("ümlaut", "pass:word", null));

    assertThat(within(device.send(Message.of("x")))).isEmpty();
    // "ümlaut:pass:word" in UTF-8, encoded by base64(1).
    assertThat(received.get(0).headers().getFirst("Authorization"))
        .isEqualTo("Basic w7xtbGF1dDpwYXNzOndvcmQ=");
  }

  @Test
  void deviceWithoutSecretSendsNoAuthorization() throws Exception {
    RecordingDevice device =
        RecordingDevice.ready(new HttpTransport(settings().build()), Credential.NONE);

    assertThat(within(device.send(Message.of("x")))).isEmpty();
    assertThat(received.get(0).headers()).doesNotContainKey("Authorization");
  }

  @Test
  void secretCanHaveAHeaderOfItsOwn() throws Exception {
    RecordingDevice device =
        RecordingDevice.ready(
            new HttpTransport(
                settings().authorization(HttpAuthorization.secretIn("Device-Token")).build()),
            TOKEN);

    assertThat(within(device.send(Message.of("x")))).isEmpty();
    assertThat(received.get(0).headers().getFirst("Device-Token")).isEqualTo("token-1");
    assertThat(received.get(0).headers()).doesNotContainKey("Authorization");
  }

  @ParameterizedTest
  @MethodSource("httpRows")
  void statusMeansWhatTheTableSays(ErrorRow row) throws Exception {
    answer = status(Integer.parseInt(row.code()), "{\"Message\":\n\"because\"}");
    RecordingDevice device =
        RecordingDevice.ready(
            new HttpTransport(settings().forbiddenMeansQuota(true).build()), TOKEN);
    CompletableFuture<Optional<TransportException>> outcome = device.send(Message.of("x"));

    TransportException cause;
    if (row.scope() == ErrorScope.CONNECTION) {
      cause = within(device.lost);
      assertThat(device.connection.capacity()).isZero();
      assertThat(outcome).isNotDone();
    } else {
      cause = within(outcome).orElseThrow();
      assertThat(device.lost).isNotDone();
      device.awaitCapacity(1);
    }
    assertThat(cause.code()).isEqualTo(row.code());
    assertThat(cause.kind()).isEqualTo(row.kind());
    assertThat(cause.isRetryable()).isEqualTo(row.retryable());
    assertThat(cause)
        .hasMessageStartingWith(row.name() + ": " + row.code())
        .hasMessageEndingWith(", {\"Message\": \"because\"}");
    assertThat(received).hasSize(1);
  }

  @Test
  void forbiddenIsNoQuotaUnlessTheServerIsSaidToMeanThat() throws Exception {
    answer = status(403, "not this one");
    RecordingDevice device = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);

    TransportException cause = within(device.send(Message.of("x"))).orElseThrow();
    assertThat(cause.name()).isEqualTo("Forbidden");
    assertThat(cause).hasMessageStartingWith("Forbidden: 403");
    assertThat(cause.kind()).isEqualTo(ErrorKind.CLIENT);
    assertThat(cause.scope()).isEqualTo(ErrorScope.OPERATION);
  }

  @ParameterizedTest
  @ValueSource(ints = {402, 405, 409, 411, 422, 451})
  void statusThatNobodyListedConcernsOnlyItsMessage(int status) throws Exception {
    answer = status(status, "");
    RecordingDevice device = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);

    TransportException cause = within(device.send(Message.of("x"))).orElseThrow();
    assertThat(cause.isRetryable()).isFalse();
    assertThat(cause.code()).isEqualTo(Integer.toString(status));
  }

  @ParameterizedTest
  @CsvSource({
    "301, /login?token=s3cret, 127.0.0.1",
    "302, https://portal.example/login?token=s3cret, portal.example",
    "303, //device:s3cret@portal.example/, portal.example",
    "307, 'https://portal.example/a b s3cret', an unknown host",
    "308, mailto:s3cret, an unknown host"
  })
  void redirectIsNotFollowedAndCostsNoMessage(int status, String location, String host)
      throws Exception {
    answer =
        exchange -> {
          exchange.getResponseHeaders().set("Location", location);
          status(status, "").give(exchange);
        };
    RecordingDevice device = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);
    CompletableFuture<Optional<TransportException>> outcome = device.send(Message.of("x"));

    TransportException cause = within(device.lost);
    assertThat(cause.isRetryable()).isTrue();
    assertThat(cause.kind()).isEqualTo(ErrorKind.NETWORK);
    assertThat(cause.code()).isEqualTo("redirect");
    assertThat(cause)
        .hasMessageContaining("HubNotReached: " + status)
        .hasMessageEndingWith("to " + host + ": redirects are not followed");
    assertThat(outcome).isNotDone();
    assertThat(received).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 503})
  void secondsOfRetryAfterAreTheHint(int status) throws Exception {
    answer =
        exchange -> {
          exchange.getResponseHeaders().set("Retry-After", "7");
          status(status, "").give(exchange);
        };
    RecordingDevice device = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);

    TransportException cause = within(device.send(Message.of("x"))).orElseThrow();
    assertThat(cause.retryAfter()).isEqualTo(Duration.ofSeconds(7));
    assertThat(cause.isRetryable()).isTrue();
  }

  @Test
  void capacityIsWhatIsNotUnderWay() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    answer =
        exchange -> {
          try {
            go.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.sendResponseHeaders(200, -1);
        };
    RecordingDevice device =
        RecordingDevice.ready(new HttpTransport(settings().parallelRequests(2).build()), TOKEN);
    assertThat(device.connection.capacity()).isEqualTo(2);

    var first = device.send(Message.of("1"));
    assertThat(device.connection.capacity()).isEqualTo(1);
    var second = device.send(Message.of("2"));
    assertThat(device.connection.capacity()).isZero();
    go.countDown();

    assertThat(within(first)).isEmpty();
    assertThat(within(second)).isEmpty();
    device.awaitCapacity(2);
  }

  @Test
  void freesThePlaceOfARequestAfterItsOutcomeIsTold() throws Exception {
    answer = status(503, "");
    RecordingDevice device = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);
    CompletableFuture<Integer> capacityAtOutcome = new CompletableFuture<>();
    device.connection.send(
        Message.of("x"),
        1,
        new SendCallback() {
          @Override
          public void onAcknowledged() {
            capacityAtOutcome.complete(-1);
          }

          @Override
          public void onFailed(TransportException cause) {
            capacityAtOutcome.complete(device.connection.capacity());
          }
        });

    assertThat(within(capacityAtOutcome)).isZero();
    within(device.writable);
    assertThat(device.connection.capacity()).isEqualTo(1);
    assertThat(device.connection.isProven()).isFalse();
  }

  @Test
  void isProvenByAnAcknowledgement() throws Exception {
    RecordingDevice device = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);
    assertThat(device.connection.isProven()).isFalse();

    assertThat(within(device.send(Message.of("x")))).isEmpty();
    assertThat(device.connection.isProven()).isTrue();
  }

  @Test
  void nothingIsToldAfterClose() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    answer =
        exchange -> {
          arrived.countDown();
          try {
            go.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.sendResponseHeaders(401, -1);
        };
    RecordingDevice device = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);
    var outcome = device.send(Message.of("x"));
    arrived.await();

    device.connection.close();
    device.connection.close();
    go.countDown();

    // A second device sees its own loss, so that what was to come for the first has come.
    RecordingDevice other = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);
    var unused = other.send(Message.of("y"));
    within(other.lost);
    assertThat(outcome).isNotDone();
    assertThat(device.lost).isNotDone();
    assertThat(device.connection.capacity()).isZero();
  }

  @Test
  void renewedCredentialIsUsedFromTheNextRequestOn() throws Exception {
    RecordingDevice device = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);
    assertThat(within(device.send(Message.of("1")))).isEmpty();

    assertThat(device.connection.renew(new Credential(null, "token-2", null))).isTrue();
    within(device.renewed);
    assertThat(within(device.send(Message.of("2")))).isEmpty();

    assertThat(received)
        .extracting(request -> request.headers().getFirst("Authorization"))
        .containsExactly("Bearer token-1", "Bearer token-2");
  }

  @Test
  void commandsAreRefusedInPlainWordsAndMessagesAreSentAllTheSame() throws Exception {
    RecordingDevice wanting =
        RecordingDevice.wantingCommands(new HttpTransport(settings().build()), TOKEN);
    within(wanting.ready);
    // The refusal is told before.
    assertThat(wanting.subscribed).isDone();
    TransportException cause = within(wanting.subscribed).orElseThrow();
    assertThat(cause.isRetryable()).isFalse();
    assertThat(cause)
        .hasMessageContaining("commands cannot be received over HTTP: must be MQTT or AMQP");
    assertThat(within(wanting.send(Message.of("x")))).isEmpty();

    RecordingDevice device = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);
    device.connection.subscribe();
    assertThat(within(device.subscribed).orElseThrow()).hasMessage(cause.getMessage());
    assertThat(device.lost).isNotDone();
  }

  @Test
  void messageThatCannotBeSaidIsRejectedAndTheNextOneIsSent() throws Exception {
    RecordingDevice device = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);

    TransportException cause =
        within(device.send(Message.builder().contentType("text/plain\r\nX: y").build()))
            .orElseThrow();
    assertThat(cause.code()).isEqualTo("invalid-message");
    assertThat(cause.isRetryable()).isFalse();
    assertThat(within(device.send(Message.of("x")))).isEmpty();
    assertThat(received).hasSize(1);
    device.awaitCapacity(1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void credentialThatNoHeaderCanSayEndsTheConnectionAndIsNotTold(boolean probed) throws Exception {
    HttpSettings.Builder settings = settings();
    if (probed) {
      settings.probe(uri("/health"));
    }
    RecordingDevice device =
        RecordingDevice.connect(
            new HttpTransport(settings.build()), new Credential(null, "s3cret\n", null));
    if (!probed) {
      within(device.ready);
      assertThat(device.send(Message.of("x"))).isNotDone();
    }

    TransportException cause = within(device.lost);
    assertThat(cause.protocol() + " " + cause.code()).isEqualTo("client settings");
    assertThat(cause.isRetryable()).isFalse();
    assertThat(cause).hasMessageContaining("the credential cannot be said in a header");
    assertThat(cause).hasNoCause().hasMessageNotContaining("s3cret");
    assertThat(received).isEmpty();
  }

  @Test
  void probeThatIsAnsweredMakesTheConnectionReady() throws Exception {
    answer = status(404, "");
    RecordingDevice.ready(new HttpTransport(settings().probe(uri("/health")).build()), TOKEN);

    assertThat(received).hasSize(1);
    assertThat(received.get(0).method()).isEqualTo("HEAD");
    assertThat(received.get(0).path()).isEqualTo("/health");
    assertThat(received.get(0).headers().getFirst("Authorization")).isEqualTo("Bearer token-1");
  }

  @ParameterizedTest
  @ValueSource(ints = {401, 407, 421, 425, 426, 429, 500, 503, 511})
  void probeThatIsTurnedAwayIsAFailedAttempt(int status) throws Exception {
    answer = exchange -> exchange.sendResponseHeaders(status, -1);
    RecordingDevice device =
        RecordingDevice.connect(new HttpTransport(settings().probe(uri("/health")).build()), TOKEN);

    assertThat(within(device.lost).code()).isEqualTo(Integer.toString(status));
    assertThat(device.ready).isNotDone();
    assertThat(device.connection.capacity()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 307})
  void portalThatSendsTheProbeElsewhereIsAFailedAttempt(int status) throws Exception {
    answer = exchange -> exchange.sendResponseHeaders(status, -1);
    RecordingDevice device =
        RecordingDevice.connect(new HttpTransport(settings().probe(uri("/health")).build()), TOKEN);

    TransportException cause = within(device.lost);
    assertThat(cause.isRetryable()).isTrue();
    assertThat(cause.kind()).isEqualTo(ErrorKind.NETWORK);
    assertThat(device.ready).isNotDone();
  }

  @Test
  void manyDevicesShareAFewThreads() throws Exception {
    Set<Thread> before = Thread.getAllStackTraces().keySet();
    for (int i = 0; i < 200; i++) {
      RecordingDevice device = RecordingDevice.ready(new HttpTransport(settings().build()), TOKEN);
      assertThat(within(device.send(Message.of("x")))).isEmpty();
    }

    assertThat(received).hasSize(200);
    Set<Thread> now = Thread.getAllStackTraces().keySet();
    assertThat(now)
        .filteredOn(thread -> thread.getName().startsWith("reprise-device-io-"))
        .hasSizeBetween(1, Runtime.getRuntime().availableProcessors());
    // Those of the server, too; a thread for each device would be 200.
    assertThat(now).filteredOn(thread -> !before.contains(thread)).hasSizeLessThan(50);
  }

  private HttpSettings.Builder settings() {
    return HttpSettings.builder(uri("/readings?from=test"));
  }

  private URI uri(String path) {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path);
  }

  private static Answer status(int code, String body) {
    return exchange -> {
      byte[] bytes = body.getBytes(UTF_8);
      boolean head = exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(code, head || bytes.length == 0 ? -1 : bytes.length);
      if (!head && bytes.length > 0) {
        exchange.getResponseBody().write(bytes);
      }
    };
  }
}
