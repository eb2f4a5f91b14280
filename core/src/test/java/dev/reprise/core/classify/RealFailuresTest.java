package dev.reprise.core.classify;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.RetrySafety;
import dev.reprise.fixtures.TestCertificate;
import dev.reprise.testkit.RefusingPort;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The failures as this JDK throws them, over sockets of this machine: what the table of {@link
 * DefaultRulesTest} builds by hand is what happens.
 */
@Timeout(300)
class RealFailuresTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final Duration PATIENCE = Duration.ofSeconds(50);
  private static SSLContext serverTls;
  private static SSLContext trustingTls;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  /** What a server does with a connection before it closes it. */
  interface Answer {
    void to(Socket connection) throws IOException;
  }

  /** What a client does at a port. */
  interface Call {
    void at(int port) throws Exception;
  }

  @BeforeAll
  static void makeCertificate(@TempDir Path folder) throws Exception {
    TestCertificate certificate = TestCertificate.of(folder, "another.example");
    serverTls = certificate.serverTls();
    trustingTls = TestCertificate.trusting(certificate);
  }

  @AfterEach
  void stopServers() {
    threads.shutdownNow();
  }

  @Test
  void aRefusedConnectionWasNeverSentAnything() throws Exception {
    try (RefusingPort refusing = RefusingPort.take()) {
      Verdict verdict = verdictOn(() -> new Socket(LOOPBACK, refusing.number()).close());

      assertSafety(verdict, RetrySafety.YES, "no connection, nothing was sent");
    }
  }

  @Test
  void aRefusedConnectionOfTheHttpClientWasNeverSentAnything() throws Exception {
    try (RefusingPort refusing = RefusingPort.take()) {
      Verdict verdict =
          verdictOn(() -> post("http", refusing.number(), HttpClient.newHttpClient(), PATIENCE));

      assertSafety(verdict, RetrySafety.YES, "no connection, nothing was sent");
    }
  }

  @Test
  void aNameThatWasNotResolvedWasNeverSentAnything() {
    Verdict verdict =
        verdictOn(
            () ->
                SocketChannel.open(InetSocketAddress.createUnresolved("example.invalid", 80))
                    .close());

    assertSafety(verdict, RetrySafety.YES, "the name was not resolved, nothing was sent");
  }

  @Test
  void aReadThatTimesOutMayHaveHadItsEffect() throws Exception {
    Verdict verdict =
        verdictAt(
            connection -> connection.getInputStream().read(),
            port -> {
              try (Socket socket = new Socket(LOOPBACK, port)) {
                socket.setSoTimeout(1);
                socket.getInputStream().read();
              }
            });

    assertSafety(verdict, RetrySafety.MAYBE, "no answer in time");
    assertThat(verdict.isTimeout()).isTrue();
  }

  @Test
  void anHttpRequestThatTimesOutMayHaveHadItsEffect() throws Exception {
    Verdict verdict = verdictOnNoAnswerWithin(Duration.ofMillis(300));

    assertSafety(verdict, RetrySafety.MAYBE, "no answer in time");
    assertThat(verdict.isTimeout()).isTrue();
  }

  /** A request whose time is over before it is sent fails in another way; it gets more time. */
  private Verdict verdictOnNoAnswerWithin(Duration timeout) throws IOException {
    AtomicBoolean sent = new AtomicBoolean();
    Verdict verdict =
        verdictAt(
            connection -> {
              sent.set(connection.getInputStream().read() == 'P');
              readToTheEnd(connection);
            },
            port -> post("http", port, HttpClient.newHttpClient(), timeout));
    return sent.get() ? verdict : verdictOnNoAnswerWithin(timeout.multipliedBy(2));
  }

  @Test
  void aConnectionThatIsResetMayHaveHadItsEffect() throws Exception {
    Verdict verdict = verdictAt(RealFailuresTest::reset, RealFailuresTest::readByte);

    assertSafety(verdict, RetrySafety.MAYBE, "the connection broke");
  }

  @Test
  void aConnectionThatEndsMayHaveHadItsEffect() throws Exception {
    Verdict verdict = verdictAt(connection -> {}, RealFailuresTest::readByte);

    assertSafety(verdict, RetrySafety.MAYBE, "the connection broke");
  }

  @Test
  void anHttpConnectionThatEndsWithoutAnAnswerMayHaveHadItsEffect() throws Exception {
    Verdict verdict =
        verdictAt(
            connection -> assertThat(connection.getInputStream().read()).isEqualTo('P'),
            port -> post("http", port, HttpClient.newHttpClient(), PATIENCE));

    assertThat(verdict.isRetrySafe()).isEqualTo(RetrySafety.MAYBE);
  }

  @Test
  void anInterruptWhileReadingAChannelIsNeverRetried() throws Exception {
    Verdict verdict =
        verdictAt(
            RealFailuresTest::readToTheEnd,
            port -> {
              try (SocketChannel channel =
                  SocketChannel.open(new InetSocketAddress(LOOPBACK, port))) {
                Thread.currentThread().interrupt();
                channel.read(ByteBuffer.allocate(1));
              } finally {
                assertThat(Thread.interrupted()).isTrue();
              }
            });

    assertSafety(verdict, RetrySafety.NO, "interrupted");
    assertThat(verdict.isVeto()).isTrue();
  }

  @Test
  void aCertificateThatIsNotTrustedIsNotRetried() throws Exception {
    SSLSocketFactory plainTrust = SSLContext.getDefault().getSocketFactory();

    Verdict verdict = verdictAt(RealFailuresTest::serveTls, port -> handshake(plainTrust, port));

    assertSafety(verdict, RetrySafety.NO, "the two sides do not agree on TLS");
  }

  @Test
  void aCertificateThatIsNotTrustedByTheHttpClientIsNotRetried() throws Exception {
    Verdict verdict =
        verdictAt(
            RealFailuresTest::serveTls,
            port -> post("https", port, HttpClient.newHttpClient(), PATIENCE));

    assertThat(verdict.isRetrySafe()).isEqualTo(RetrySafety.NO);
  }

  @Test
  void aTrustedCertificateOfAnotherHostIsNotRetried() throws Exception {
    HttpClient client = HttpClient.newBuilder().sslContext(trustingTls).build();

    Verdict verdict =
        verdictAt(RealFailuresTest::serveTls, port -> post("https", port, client, PATIENCE));

    assertThat(verdict.isRetrySafe()).isEqualTo(RetrySafety.NO);
  }

  @Test
  void aServerThatDoesNotSpeakTlsIsNotRetried() throws Exception {
    Verdict verdict =
        verdictAt(
            connection -> {
              assertThat(connection.getInputStream().read()).isNotNegative();
              connection
                  .getOutputStream()
                  .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII));
              readToTheEnd(connection);
            },
            port -> handshake(trustingTls.getSocketFactory(), port));

    assertSafety(verdict, RetrySafety.NO, "the two sides do not agree on TLS");
  }

  @Test
  void aHandshakeThatIsCutWasNeverSentAnything() throws Exception {
    Verdict verdict =
        verdictAt(
            RealFailuresTest::cutHandshake,
            port -> handshake(trustingTls.getSocketFactory(), port));

    assertSafety(
        verdict,
        RetrySafety.YES,
        "the connection broke during the TLS handshake, nothing was sent");
  }

  @Test
  void aHandshakeOfTheHttpClientThatIsCutWasNeverSentAnything() throws Exception {
    Verdict verdict =
        verdictAt(
            RealFailuresTest::cutHandshake,
            port -> post("https", port, HttpClient.newHttpClient(), PATIENCE));

    assertSafety(
        verdict,
        RetrySafety.YES,
        "the connection broke during the TLS handshake, nothing was sent");
  }

  @Test
  void aTlsConnectionThatIsResetMayHaveHadItsEffect() throws Exception {
    Verdict verdict =
        verdictAt(
            connection -> {
              SSLSocket tls = overlay(connection);
              tls.startHandshake();
              assertThat(tls.getInputStream().read()).isEqualTo(1);
              reset(connection);
            },
            port -> {
              try (Socket socket = trustingTls.getSocketFactory().createSocket(LOOPBACK, port)) {
                socket.getOutputStream().write(1);
                socket.getInputStream().read();
              }
            });

    assertSafety(verdict, RetrySafety.MAYBE, "the connection broke");
  }

  private Verdict verdictAt(Answer answer, Call call) throws IOException {
    try (ServerSocket server = new ServerSocket(0, 50, LOOPBACK)) {
      threads.execute(
          () -> {
            while (!server.isClosed()) {
              try (Socket connection = server.accept()) {
                answer.to(connection);
              } catch (IOException expectedOfSomeAnswers) {
                // The client is what is tested; its end of the connection tells.
              }
            }
          });
      return verdictOn(() -> call.at(server.getLocalPort()));
    }
  }

  private static Verdict verdictOn(ThrowingCallable operation) {
    Throwable failure = catchThrowable(operation);
    assertThat(failure).as("the failure that was to be provoked").isNotNull();
    return Classifier.defaults().classify(failure);
  }

  private static void assertSafety(Verdict verdict, RetrySafety safety, String reason) {
    assertThat(verdict.reason()).isEqualTo(reason);
    assertThat(verdict.isRetrySafe()).isEqualTo(safety);
  }

  private static void post(String scheme, int port, HttpClient client, Duration timeout)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(
                URI.create(scheme + "://" + LOOPBACK.getHostAddress() + ":" + port + "/"))
            .POST(HttpRequest.BodyPublishers.ofString("x"))
            .timeout(timeout)
            .build();
    client.send(request, HttpResponse.BodyHandlers.discarding());
  }

  private static void readByte(int port) throws IOException {
    try (Socket socket = new Socket(LOOPBACK, port)) {
      new DataInputStream(socket.getInputStream()).readByte();
    }
  }

  private static void handshake(SSLSocketFactory factory, int port) throws IOException {
    try (SSLSocket socket = (SSLSocket) factory.createSocket(LOOPBACK, port)) {
      socket.startHandshake();
    }
  }

  private static void readToTheEnd(Socket connection) throws IOException {
    connection.getInputStream().readAllBytes();
  }

  /** Reads the greeting of the client to its end, for else the close would be a reset. */
  private static void cutHandshake(Socket connection) throws IOException {
    DataInputStream in = new DataInputStream(connection.getInputStream());
    in.readFully(new byte[3]);
    in.readFully(new byte[in.readUnsignedShort()]);
  }

  private static void serveTls(Socket connection) throws IOException {
    overlay(connection).startHandshake();
  }

  private static SSLSocket overlay(Socket connection) throws IOException {
    SSLSocket tls =
        (SSLSocket) serverTls.getSocketFactory().createSocket(connection, null, 0, false);
    tls.setUseClientMode(false);
    return tls;
  }

  /** Closes without a goodbye: the other side gets an RST. */
  private static void reset(Socket connection) throws IOException {
    connection.setSoLinger(true, 0);
    connection.close();
  }
}
