package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static dev.reprise.delivery.http.Sending.attempt;
import static dev.reprise.delivery.http.Sending.sendBriefly;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.http.HttpOutcome.ConnectionFailed;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.delivery.http.HttpOutcome.TimedOut;
import dev.reprise.fixtures.TestCertificate;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Endpoints that speak HTTP/2 frame by frame, and not as they should. */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileHttp2Test {
  private static final AddressGuard DEV = AddressGuard.allowing(true, List.of());
  private static final int PREFACE_BYTES = 24;
  private static final int HEADERS = 1;

  private static final String SETTINGS = "000000" + "04" + "00" + "00000000";
  private static final String WINDOW_UPDATE = "000004" + "08" + "00" + "00000000" + "00000001";
  private static final String UNKNOWN = "000000" + "99" + "00" + "00000000";

  /** HEADERS of stream 1 with an indexed status, its end, and the stream's end. */
  private static final String NO_CONTENT = "000001" + "01" + "05" + "00000001" + "89";

  private static final String OK_WITHOUT_END = "000001" + "01" + "04" + "00000001" + "88";

  /** HEADERS with the status as a literal: 102, 101. */
  private static final String PROCESSING = "000005" + "01" + "04" + "00000001" + "0803313032";

  private static final String SWITCHING = "000005" + "01" + "04" + "00000001" + "0803313031";
  private static final String PROCESSING_WITH_END =
      "000005" + "01" + "05" + "00000001" + "0803313032";

  private static final String PROCESSING_OF_3 = "000005" + "01" + "04" + "00000003" + "0803313032";

  private static final String REFUSED = "000004" + "03" + "00" + "00000001" + "00000007";

  /** It says that no stream was processed. */
  private static final String GO_AWAY_BEFORE =
      "000008" + "07" + "00" + "00000000" + "0000000000000000";

  private static final String RST_STREAM = "000004" + "03" + "00" + "00000001" + "00000002";
  private static final String GO_AWAY = "000008" + "07" + "00" + "00000000" + "0000000100000002";

  private final Vertx vertx = Vertx.vertx();
  private VertxHttpSender sender;
  private TestCertificate certificate;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    certificate = TestCertificate.of(folder, "localhost", "localhost");
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
    sender.close();
    vertx.close().toCompletionStage().toCompletableFuture().get(300, SECONDS);
  }

  @ParameterizedTest
  @ValueSource(strings = {WINDOW_UPDATE, UNKNOWN})
  void framesThatGoOnEndWithTheAttempt(String frame) throws Exception {
    HostileServer.Conversation trickle =
        peer -> {
          awaitRequest(peer);
          while (true) {
            peer.writeHex(frame);
            Thread.sleep(1);
          }
        };
    try (HostileServer server = new HostileServer(trickle, certificate, "h2")) {
      HttpOutcome outcome = sendBriefly(sender, url(server), "waiting for its turn", "connecting");
      assertThat(outcome).isInstanceOf(TimedOut.class);
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {WINDOW_UPDATE, UNKNOWN})
  void aFloodEndsTheAttempt(String frame) throws Exception {
    HostileServer.Conversation flood =
        peer -> {
          awaitRequest(peer);
          flood(peer, frame);
        };
    try (HostileServer server = new HostileServer(flood, certificate, "h2")) {
      ConnectionFailed failed = (ConnectionFailed) Sending.send(sender, attempt(url(server), LONG));
      assertThat(failed.detail()).contains("bytes in a row that answer nothing");
      assertThat(failed.neverSent()).isFalse();
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  @Test
  void aFloodAfterTheAnswerEndsTheConnection() throws Exception {
    HostileServer.Conversation flood =
        peer -> {
          awaitRequest(peer);
          peer.writeHex(NO_CONTENT);
          flood(peer, UNKNOWN);
        };
    try (HostileServer server = new HostileServer(flood, certificate, "h2")) {
      Response response = (Response) Sending.send(sender, attempt(url(server), LONG));
      assertThat(response.status()).isEqualTo(204);
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @CsvSource({
    OK_WITHOUT_END + ", 200",
    OK_WITHOUT_END + RST_STREAM + ", 200",
    OK_WITHOUT_END + GO_AWAY + ", 200",
    OK_WITHOUT_END + UNKNOWN + ", 200",
  })
  void theHeadDecides(String frames, int status) throws Exception {
    HostileServer.Conversation broken =
        peer -> {
          awaitRequest(peer);
          peer.writeHex(frames);
          peer.awaitClose();
        };
    try (HostileServer server = new HostileServer(broken, certificate, "h2")) {
      Response response = (Response) Sending.send(sender, attempt(url(server), LONG));
      assertThat(response.status()).isEqualTo(status);
    }
  }

  @Test
  void anEndpointThatNeverSendsItsSettingsIsGivenUpAndTriedAnew() throws Exception {
    AtomicBoolean mute = new AtomicBoolean(true);
    HostileServer.Conversation slow =
        peer -> {
          if (mute.get()) {
            peer.awaitClose();
          }
          awaitRequest(peer);
          peer.writeHex(NO_CONTENT);
          peer.awaitClose();
        };
    VettedResolver resolver = new VettedResolver(new ScriptedLookup(), DEV, System::nanoTime);
    Duration connecting = Duration.ofMillis(300);
    try (HostileServer server = new HostileServer(slow, certificate, "h2")) {
      HttpOutcome first;
      HttpOutcome second = null;
      do {
        HttpSenderSettings settings =
            HttpSenderSettings.DEFAULT
                .withConnectTimeout(connecting)
                .withTrustedCertificates(certificate.certificatePem());
        try (VertxHttpSender impatient = new VertxHttpSender(vertx, resolver, settings)) {
          first = Sending.send(impatient, attempt(url(server), LONG));
          mute.set(false);
          if (isOfSettings(first)) {
            second = Sending.send(impatient, attempt(url(server), LONG));
          }
        }
        mute.set(true);
        // The limit holds for TCP and TLS as well: that must not be what took long, either time.
        connecting = connecting.multipliedBy(2);
      } while ((second == null || isUnsent(second)) && connecting.compareTo(LONG) < 0);
      assertThat(isOfSettings(first)).isTrue();
      assertThat(second).isInstanceOf(Response.class);
      assertThat(((Response) second).status()).isEqualTo(204);
    }
  }

  private static boolean isUnsent(HttpOutcome outcome) {
    return outcome instanceof ConnectionFailed failed && failed.neverSent();
  }

  private static boolean isOfSettings(HttpOutcome outcome) {
    return isUnsent(outcome)
        && ((ConnectionFailed) outcome).detail().contains("no HTTP/2 settings came");
  }

  @Test
  void aGoAwayInsteadOfAnAnswerIsNamed() throws Exception {
    HostileServer.Conversation refusing =
        peer -> {
          awaitRequest(peer);
          peer.writeHex(GO_AWAY);
        };
    try (HostileServer server = new HostileServer(refusing, certificate, "h2")) {
      ConnectionFailed failed = (ConnectionFailed) Sending.send(sender, attempt(url(server), LONG));
      assertThat(failed.detail()).contains("closed the connection").contains("GOAWAY, code 2");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, RequestStream.MAX_INTERIM_RESPONSES})
  void interimResponsesAreReadOver(int count) throws Exception {
    HostileServer.Conversation hesitating =
        peer -> {
          awaitRequest(peer);
          peer.writeHex(PROCESSING.repeat(count) + NO_CONTENT);
          peer.awaitClose();
        };
    try (HostileServer server = new HostileServer(hesitating, certificate, "h2")) {
      Response response = (Response) Sending.send(sender, attempt(url(server), LONG));
      assertThat(response.status()).isEqualTo(204);
    }
  }

  @Test
  void thereIsAnEndToInterimResponses() throws Exception {
    HostileServer.Conversation hesitating =
        peer -> {
          awaitRequest(peer);
          peer.writeHex(PROCESSING.repeat(RequestStream.MAX_INTERIM_RESPONSES + 1));
          peer.awaitClose();
        };
    try (HostileServer server = new HostileServer(hesitating, certificate, "h2")) {
      ConnectionFailed failed = (ConnectionFailed) Sending.send(sender, attempt(url(server), LONG));
      assertThat(failed.detail()).endsWith("sent more than 100 interim responses and no final one");
    }
  }

  @ParameterizedTest
  @CsvSource({SWITCHING + ", switched protocols", PROCESSING_WITH_END + ", interim status 102"})
  void anInterimResponseThatIsNoneIsAFailure(String frame, String detail) throws Exception {
    HostileServer.Conversation odd =
        peer -> {
          awaitRequest(peer);
          peer.writeHex(frame);
          peer.awaitClose();
        };
    try (HostileServer server = new HostileServer(odd, certificate, "h2")) {
      ConnectionFailed failed = (ConnectionFailed) Sending.send(sender, attempt(url(server), LONG));
      assertThat(failed.detail()).contains(detail);
      assertThat(failed.neverSent()).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GO_AWAY_BEFORE, REFUSED})
  void aRequestThatWasNotProcessedIsSentAgainAtOnce(String frame) throws Exception {
    AtomicInteger connections = new AtomicInteger();
    HostileServer.Conversation leaving =
        peer -> {
          int number = connections.incrementAndGet();
          awaitRequest(peer);
          peer.writeHex(number <= 3 ? frame : NO_CONTENT);
          peer.awaitClose();
        };
    long before = sender.figures().sentAgainUnprocessed();
    try (HostileServer server = new HostileServer(leaving, certificate, "h2")) {
      Response response = (Response) Sending.send(sender, attempt(url(server), LONG));
      assertThat(response.status()).isEqualTo(204);
      assertThat(response.note()).isNull();
      assertThat(connections).hasValue(4);
      assertThat(sender.figures().sentAgainUnprocessed() - before).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {GO_AWAY_BEFORE, REFUSED, GO_AWAY + REFUSED})
  void anEndpointThatNeverProcessesIsAFailure(String frames) throws Exception {
    AtomicInteger connections = new AtomicInteger();
    HostileServer.Conversation leaving =
        peer -> {
          int number = connections.incrementAndGet();
          awaitRequest(peer);
          // An end, so that without a bound this fails soon.
          peer.writeHex(number <= 20 ? frames : NO_CONTENT);
          peer.awaitClose();
        };
    try (HostileServer server = new HostileServer(leaving, certificate, "h2")) {
      assertThat(Sending.send(sender, attempt(url(server), LONG)))
          .isInstanceOf(ConnectionFailed.class);
      assertThat(connections).hasValue(4);
    }
  }

  @Test
  void aGoAwayEndsTheStreamsAboveItsOwnAndNoOthers() throws Exception {
    AtomicInteger connections = new AtomicInteger();
    // Streams above 1 are not processed, and stream 1 is answered afterwards.
    String goAway = "000008" + "07" + "00" + "00000000" + "0000000100000000";
    CountDownLatch first = new CountDownLatch(1);
    HostileServer.Conversation rolling =
        peer -> {
          int number = connections.incrementAndGet();
          awaitRequest(peer);
          if (number == 1) {
            first.countDown();
            awaitHeaders(peer);
            peer.writeHex(goAway + NO_CONTENT);
          } else {
            peer.writeHex(NO_CONTENT);
          }
          peer.awaitClose();
        };
    try (HostileServer server = new HostileServer(rolling, certificate, "h2")) {
      CompletableFuture<HttpOutcome> one = new CompletableFuture<>();
      CompletableFuture<HttpOutcome> two = new CompletableFuture<>();
      sender.send(attempt(url(server), LONG), one::complete);
      first.await();
      sender.send(attempt(url(server), LONG), two::complete);
      assertThat(((Response) Sending.await(one)).status()).isEqualTo(204);
      assertThat(((Response) Sending.await(two)).status()).isEqualTo(204);
      assertThat(((Response) Sending.await(two)).note()).isNull();
      assertThat(connections).hasValue(2);
    }
  }

  @ParameterizedTest
  @CsvSource({"'', 2", PROCESSING_OF_3 + ", 1"})
  void aKeptConnectionThatIsLostIsMadeAnew(String before, int expected) throws Exception {
    AtomicInteger connections = new AtomicInteger();
    HostileServer.Conversation dropping =
        peer -> {
          connections.incrementAndGet();
          awaitRequest(peer);
          peer.writeHex(NO_CONTENT);
          awaitHeaders(peer);
          peer.writeHex(before);
        };
    try (HostileServer server = new HostileServer(dropping, certificate, "h2")) {
      assertThat(Sending.send(sender, attempt(url(server), LONG))).isInstanceOf(Response.class);
      HttpOutcome outcome = Sending.send(sender, attempt(url(server), LONG));
      if (expected == 2) {
        assertThat(((Response) outcome).note()).startsWith("sent a second time, since ");
      } else {
        assertThat(outcome).isInstanceOf(ConnectionFailed.class);
      }
      assertThat(connections).hasValue(expected);
    }
  }

  @Test
  void ofThoseThatShareALostConnectionOneIsSentAgain() throws Exception {
    AtomicInteger connections = new AtomicInteger();
    HostileServer.Conversation dropping =
        peer -> {
          int number = connections.incrementAndGet();
          awaitRequest(peer);
          peer.writeHex(NO_CONTENT);
          if (number == 1) {
            awaitHeaders(peer);
            awaitHeaders(peer);
            awaitHeaders(peer);
          } else {
            peer.awaitClose();
          }
        };
    try (HostileServer server = new HostileServer(dropping, certificate, "h2")) {
      assertThat(Sending.send(sender, attempt(url(server), LONG))).isInstanceOf(Response.class);
      List<CompletableFuture<HttpOutcome>> outcomes = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        CompletableFuture<HttpOutcome> outcome = new CompletableFuture<>();
        sender.send(attempt(url(server), LONG), outcome::complete);
        outcomes.add(outcome);
      }
      assertThat(Sending.await(outcomes.get(0))).isInstanceOf(Response.class);
      assertThat(Sending.await(outcomes.get(1))).isInstanceOf(ConnectionFailed.class);
      assertThat(Sending.await(outcomes.get(2))).isInstanceOf(ConnectionFailed.class);
      assertThat(connections).hasValue(2);
    }
  }

  private static void flood(HostileServer.Peer peer, String frame) throws IOException {
    String many = frame.repeat(1000);
    while (true) {
      peer.writeHex(many);
    }
  }

  /** Greets, and reads until the head of a request has come. */
  private static void awaitRequest(HostileServer.Peer peer) throws IOException {
    peer.writeHex(SETTINGS);
    peer.read(PREFACE_BYTES);
    awaitHeaders(peer);
  }

  private static void awaitHeaders(HostileServer.Peer peer) throws IOException {
    int type;
    do {
      byte[] head = peer.read(9);
      peer.read(((head[0] & 0xff) << 16) | ((head[1] & 0xff) << 8) | (head[2] & 0xff));
      type = head[3];
    } while (type != HEADERS);
  }

  private static EndpointUrl url(HostileServer server) {
    return EndpointUrl.parse("https://localhost:" + server.port() + "/", DEV).url();
  }
}
