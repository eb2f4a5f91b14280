package dev.reprise.device.error;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.device.fixture.UnknownHost;
import dev.reprise.testkit.RefusingPort;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.ReadTimeoutHandler;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The failures as the JDK and Netty throw them, over sockets of this machine: what {@link
 * NetworkErrorsTest} builds by hand is what happens.
 */
@Tag("slow")
@Timeout(180)
class RealNetworkFailuresTest {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final String ADDRESS = LOOPBACK.getHostAddress();
  private static final int PATIENCE_SECONDS = 60;
  private static final String PASSWORD = "changeit";

  /** What both clients say first ends with this byte, which is nowhere else in it. */
  private static final byte END_OF_GREETING = '!';

  private static final EventLoopGroup LOOPS =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

  private static KeyStore valid;
  private static KeyStore expired;
  private static KeyStore early;
  private static SSLContext trusting;

  private final ExecutorService threads = Executors.newCachedThreadPool();

  /** What a server does with a connection before it closes it. */
  interface Answer {
    void to(Socket connection) throws Exception;
  }

  /** What the transports are made of. */
  enum Client {
    JDK {
      @Override
      Throwable failureAt(String host, int port, @Nullable SSLContext tls, int timeoutSeconds)
          throws Exception {
        HttpClient.Builder client = HttpClient.newBuilder();
        if (tls != null) {
          client.sslContext(tls);
        }
        HttpRequest request =
            HttpRequest.newBuilder(
                    URI.create((tls == null ? "http" : "https") + "://" + host + ":" + port + "/"))
                .POST(HttpRequest.BodyPublishers.ofByteArray(new byte[] {END_OF_GREETING}))
                .timeout(Duration.ofSeconds(timeoutSeconds))
                .build();
        return client
            .build()
            .sendAsync(request, HttpResponse.BodyHandlers.discarding())
            .handle((response, failure) -> failure)
            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    },

    NETTY {
      @Override
      Throwable failureAt(String host, int port, @Nullable SSLContext tls, int timeoutSeconds)
          throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        new Bootstrap()
            .group(LOOPS)
            .channel(NioSocketChannel.class)
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    if (tls != null) {
                      channel.pipeline().addLast(new SslHandler(engine(tls, host, port)));
                    }
                    channel.pipeline().addLast(new ReadTimeoutHandler(timeoutSeconds));
                    channel.pipeline().addLast(new Greeting(failure));
                  }
                })
            .connect(host, port)
            .addListener(
                connected -> {
                  if (!connected.isSuccess()) {
                    failure.complete(connected.cause());
                  }
                });
        return failure.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    };

    abstract Throwable failureAt(
        String host, int port, @Nullable SSLContext tls, int timeoutSeconds) throws Exception;

    private static SSLEngine engine(SSLContext tls, String host, int port) {
      SSLEngine engine = tls.createSSLEngine(host, port);
      engine.setUseClientMode(true);
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      engine.setSSLParameters(parameters);
      return engine;
    }
  }

  /** Sends one byte and takes the first thing that goes wrong. */
  private static final class Greeting extends ChannelInboundHandlerAdapter {
    private final CompletableFuture<Throwable> failure;

    Greeting(CompletableFuture<Throwable> failure) {
      this.failure = failure;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      context
          .writeAndFlush(Unpooled.wrappedBuffer(new byte[] {END_OF_GREETING}))
          .addListener(ChannelFutureListener.FIRE_EXCEPTION_ON_FAILURE);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      failure.complete(new ClosedChannelException());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      failure.complete(cause);
      var unused = context.close();
    }
  }

  @BeforeAll
  static void makeCertificates(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("keys.p12");
    keytool(file, "ca", "-1d", "bc:c");
    keytool(file, "valid", "-1d", "san=ip:" + ADDRESS, "-signer", "ca");
    keytool(file, "expired", "-10d", "san=ip:" + ADDRESS, "-signer", "ca");
    keytool(file, "early", "+1d", "san=ip:" + ADDRESS, "-signer", "ca");
    KeyStore all = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      all.load(in, PASSWORD.toCharArray());
    }
    valid = only("valid", all);
    expired = only("expired", all);
    early = only("early", all);
    trusting = trusting(all.getCertificate("ca"));
  }

  @AfterAll
  static void stopLoops() {
    LOOPS.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
  }

  @AfterEach
  void stopServers() {
    threads.shutdownNow();
  }

  @ParameterizedTest
  @EnumSource
  void aRefusedConnection(Client client) throws Exception {
    try (RefusingPort port = RefusingPort.take()) {
      assertThat(NetworkErrors.of(client.failureAt(ADDRESS, port.number(), null, PATIENCE_SECONDS)))
          .extracting(TransportException::name)
          .isEqualTo("ConnectionRefused");
    }
  }

  @ParameterizedTest
  @EnumSource
  void aNameThatCannotBeResolved(Client client) throws Exception {
    assertThat(NetworkErrors.of(client.failureAt(UnknownHost.NAME, 80, null, PATIENCE_SECONDS)))
        .extracting(TransportException::name)
        .isEqualTo("UnknownHost");
  }

  @ParameterizedTest
  @EnumSource
  void anAnswerThatDoesNotCome(Client client) throws Exception {
    TransportException exception = failureWithinSilence(client, 1);
    // The JDK counts the time to connect, too, which a machine that stands still may take.
    for (int seconds = 2;
        exception.name().equals("ConnectTimeout") && seconds < PATIENCE_SECONDS;
        seconds *= 2) {
      exception = failureWithinSilence(client, seconds);
    }

    assertThat(exception.name()).isEqualTo("ReadTimeout");
  }

  private TransportException failureWithinSilence(Client client, int seconds) throws Exception {
    return failureOf(client, RealNetworkFailuresTest::readToTheEnd, ADDRESS, null, seconds);
  }

  @ParameterizedTest
  @EnumSource
  void aConnectionThatIsReset(Client client) throws Exception {
    TransportException exception =
        failureOf(
            client,
            connection -> {
              readGreeting(connection);
              connection.setSoLinger(true, 0);
            },
            ADDRESS,
            null,
            PATIENCE_SECONDS);

    assertThat(exception.code()).isEqualTo("connection-reset");
  }

  @ParameterizedTest
  @EnumSource
  void aConnectionThatEnds(Client client) throws Exception {
    TransportException exception =
        failureOf(
            client,
            connection -> {
              readGreeting(connection);
              connection.shutdownOutput();
              readToTheEnd(connection);
            },
            ADDRESS,
            null,
            PATIENCE_SECONDS);

    assertThat(exception.code()).isEqualTo("connection-closed");
    assertThat(exception.isRetryable()).isTrue();
  }

  @Test
  void anAnswerThatIsNoHttp() throws Exception {
    TransportException exception =
        failureOf(
            Client.JDK,
            connection -> {
              readGreeting(connection);
              connection
                  .getOutputStream()
                  .write("220 mail.example ESMTP\r\n\r\n".getBytes(US_ASCII));
              readToTheEnd(connection);
            },
            ADDRESS,
            null,
            PATIENCE_SECONDS);

    assertThat(exception.code()).isEqualTo("unreadable-answer");
    assertThat(exception.isRetryable()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aServerCertificateThatIsNotTrusted(Client client) throws Exception {
    assertThat(failureOf(client, tlsServer(valid, false), ADDRESS, SSLContext.getDefault()))
        .extracting(TransportException::name)
        .isEqualTo("TlsServerCertificateRejected");
  }

  @ParameterizedTest
  @EnumSource
  void aServerCertificateOfAnotherHost(Client client) throws Exception {
    assertThat(failureOf(client, tlsServer(valid, false), "localhost", trusting))
        .extracting(TransportException::name)
        .isEqualTo("TlsServerCertificateRejected");
  }

  @ParameterizedTest
  @EnumSource
  void anExpiredServerCertificate(Client client) throws Exception {
    assertThat(failureOf(client, tlsServer(expired, false), ADDRESS, trusting))
        .extracting(TransportException::name)
        .isEqualTo("TlsServerCertificateRejected");
  }

  @ParameterizedTest
  @EnumSource
  void aServerCertificateThatIsNotYetValidByTheClockOfTheDevice(Client client) throws Exception {
    TransportException exception = failureOf(client, tlsServer(early, false), ADDRESS, trusting);

    assertThat(exception.name()).isEqualTo("TlsCertificateNotYetValid");
    assertThat(exception.isRetryable()).isTrue();
  }

  static Stream<Arguments> alertsOfALoadBalancer() {
    return Stream.of(Client.values())
        .flatMap(client -> Stream.of(40, 112).map(alert -> Arguments.of(client, alert)));
  }

  /** handshake_failure is 40, unrecognized_name 112: RFC 8446, section 6. */
  @ParameterizedTest
  @MethodSource("alertsOfALoadBalancer")
  void aLoadBalancerWithoutAServer(Client client, int alert) throws Exception {
    byte[] record = {21, 3, 3, 0, 2, 2, (byte) alert};
    TransportException exception =
        failureOf(
            client,
            connection -> {
              readHello(connection);
              connection.getOutputStream().write(record);
              readToTheEnd(connection);
            },
            ADDRESS,
            trusting);

    assertThat(exception.name()).isEqualTo("TlsRefused");
    assertThat(exception.isRetryable()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void aClientCertificateThatIsMissingAfterTheHandshake(Client client) throws Exception {
    assertThat(failureOf(client, tlsServer(valid, true), ADDRESS, trusting))
        .extracting(TransportException::name)
        .isEqualTo("TlsCertificateRejected");
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatDoesNotSpeakTls(Client client) throws Exception {
    assertThat(
            failureOf(
                client,
                connection -> {
                  readHello(connection);
                  connection
                      .getOutputStream()
                      .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(US_ASCII));
                  readToTheEnd(connection);
                },
                ADDRESS,
                trusting))
        .extracting(TransportException::name)
        .isEqualTo("UnreadableAnswer");
  }

  @ParameterizedTest
  @EnumSource
  void aHandshakeThatIsCut(Client client) throws Exception {
    TransportException exception =
        failureOf(client, RealNetworkFailuresTest::readHello, ADDRESS, trusting);

    assertThat(exception.code()).isEqualTo("connection-closed");
    assertThat(exception.isRetryable()).isTrue();
  }

  private TransportException failureOf(Client client, Answer answer, String host, SSLContext tls)
      throws Exception {
    return failureOf(client, answer, host, tls, PATIENCE_SECONDS);
  }

  private TransportException failureOf(
      Client client, Answer answer, String host, @Nullable SSLContext tls, int timeoutSeconds)
      throws Exception {
    try (ServerSocket server = new ServerSocket(0, 50, LOOPBACK)) {
      threads.execute(
          () -> {
            while (!server.isClosed()) {
              try (Socket connection = server.accept()) {
                answer.to(connection);
              } catch (Exception expectedOfSomeAnswers) {
                // The client is what is tested; its end of the connection tells.
              }
            }
          });
      Throwable failure = client.failureAt(host, server.getLocalPort(), tls, timeoutSeconds);
      assertThat(failure).as("the failure that was to be provoked").isNotNull();
      return NetworkErrors.of(failure);
    }
  }

  private static void readToTheEnd(Socket connection) throws IOException {
    connection.getInputStream().readAllBytes();
  }

  /**
   * Reads what a client says first to its end. A client that still writes may find its channel
   * closed, and tells that instead of what is to be seen.
   */
  private static void readGreeting(Socket connection) throws IOException {
    InputStream in = connection.getInputStream();
    int next = in.read();
    while (next != END_OF_GREETING) {
      if (next < 0) {
        throw new EOFException("the client has gone in the middle of its greeting");
      }
      next = in.read();
    }
  }

  /** Reads the hello of a TLS client to its end, for else the close would be a reset. */
  private static void readHello(Socket connection) throws IOException {
    DataInputStream in = new DataInputStream(connection.getInputStream());
    in.readFully(new byte[3]);
    in.readFully(new byte[in.readUnsignedShort()]);
  }

  private static Answer tlsServer(KeyStore keys, boolean needsClientCertificate) throws Exception {
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    return connection -> {
      SSLSocket tls =
          (SSLSocket) context.getSocketFactory().createSocket(connection, null, 0, false);
      tls.setUseClientMode(false);
      tls.setNeedClientAuth(needsClientCertificate);
      try {
        tls.startHandshake();
      } catch (SSLException refused) {
        // What the client has sent since is read, for else the close would be a reset that
        // overtakes the alert.
        readToTheEnd(connection);
      }
    };
  }

  private static SSLContext trusting(Certificate authority) throws Exception {
    KeyStore trusted = emptyStore();
    trusted.setCertificateEntry("ca", authority);
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  /** A server picks among the keys that it has. */
  private static KeyStore only(String alias, KeyStore all) throws Exception {
    KeyStore store = emptyStore();
    char[] password = PASSWORD.toCharArray();
    store.setKeyEntry(alias, all.getKey(alias, password), password, all.getCertificateChain(alias));
    return store;
  }

  private static KeyStore emptyStore() throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static void keytool(
      Path file, String alias, String start, String extension, String... more) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                alias,
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + alias,
                "-ext",
                extension,
                "-startdate",
                start,
                "-validity",
                "2",
                "-keystore",
                file.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD));
    command.addAll(List.of(more));
    Process keytool = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(keytool.getInputStream().readAllBytes(), US_ASCII);
    assertThat(keytool.waitFor()).as(output).isZero();
  }
}
