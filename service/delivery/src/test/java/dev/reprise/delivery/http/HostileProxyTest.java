package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.address.AddressGuard;
import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.address.VettedResolver;
import dev.reprise.delivery.http.HttpOutcome.ConnectionFailed;
import dev.reprise.delivery.http.HttpOutcome.NotStarted;
import dev.reprise.delivery.http.HttpOutcome.ProxyFailed;
import dev.reprise.delivery.http.HttpOutcome.Refused;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.delivery.http.HttpOutcome.TimedOut;
import dev.reprise.testkit.RefusingPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Proxies that do what none should: who is at fault, and what the endpoint gets to see. */
class HostileProxyTest extends VertxHttpSenderFixture {
  private static final String TUNNEL = "HTTP/1.1 200 Connection established\r\n\r\n";
  private static final String SECRET = "Basic c2VjcmV0";

  /** Where nothing listens: what gets there goes through the proxy, or nowhere. */
  private static final String TARGET = "127.0.0.77:81";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SSH-2.0-OpenSSH_9\r\n",
        "\u0015\u0003\u0001\u0000\u0002\u0002F",
        "HTTP/2 200\r\n\r\n",
        "<html>502</html>",
        "\r\n\r\n",
      })
  void garbageIsTheProxysFault(String garbage) throws Exception {
    try (HostileServer proxy = proxy(garbage)) {
      assertThat(((ProxyFailed) send(proxy, "http://" + TARGET)).detail())
          .startsWith("the answer of the proxy 127.0.0.1:" + proxy.port() + " is not HTTP: ");
      assertThat(proxy.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  @Test
  void aHeadWithoutEndIsCutOff() throws Exception {
    try (HostileServer proxy =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write("HTTP/1.1 200 OK\r\n");
              while (true) {
                peer.write("X-Filler: " + "x".repeat(1000) + "\r\n");
              }
            })) {
      assertThat(((ProxyFailed) send(proxy, "http://" + TARGET)).detail())
          .endsWith("is not HTTP: its head has more than 16384 bytes");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aProxyThatHangsUpIsAtFault(boolean reset) throws Exception {
    try (HostileServer proxy =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write("HTTP/1.1 20");
              if (reset) {
                peer.reset();
              }
            })) {
      for (String scheme : List.of("http://", "https://")) {
        assertThat(((ProxyFailed) send(proxy, scheme + TARGET)).detail())
            .contains("the proxy 127.0.0.1:" + proxy.port())
            .doesNotContain("c2VjcmV0");
      }
    }
  }

  @Test
  void silenceAfterConnectIsTheEndpoints() throws Exception {
    // An endpoint that drops packets keeps any proxy waiting; it must not look like a dead proxy.
    try (HostileServer proxy =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.awaitClose();
            })) {
      Duration timeout = Duration.ofMillis(200);
      HttpOutcome outcome = send(proxy, "http://" + TARGET, timeout);
      while (!(outcome instanceof TimedOut) || proxy.requests().isEmpty()) {
        // The machine had not even got to the proxy.
        assertThat(timeout).isLessThan(LONG);
        timeout = timeout.multipliedBy(2);
        outcome = send(proxy, "http://" + TARGET, timeout);
      }
      TimedOut timedOut = (TimedOut) outcome;
      assertThat(timedOut.detail())
          .isEqualTo("connecting to " + TARGET + " through the proxy 127.0.0.1:" + proxy.port());
      assertThat(timedOut.neverSent()).isTrue();
      assertThat(timedOut.address()).isEqualTo(TARGET);
    }
  }

  @Test
  void aTunnelThatDoesNotComeIsGivenUpBeforeTheAttempt() throws Exception {
    try (HostileServer proxy =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.awaitClose();
            })) {
      long millis = 250;
      HttpOutcome outcome = sendOnce(proxy, millis);
      // The limit holds for the TCP connection as well: that must not be what took long.
      while (outcome instanceof ProxyFailed && millis < LONG.toMillis()) {
        millis *= 2;
        outcome = sendOnce(proxy, millis);
      }
      assertThat(((ConnectionFailed) outcome).detail())
          .isEqualTo(
              "no tunnel to %s from the proxy 127.0.0.1:%s for %s ms"
                  .formatted(TARGET, proxy.port(), millis));
      assertThat(proxy.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  private HttpOutcome sendOnce(HostileServer proxy, long connectMillis) throws Exception {
    try (VertxHttpSender hasty =
        new VertxHttpSender(
            vertx,
            resolver,
            HttpSenderSettings.DEFAULT.withConnectTimeout(Duration.ofMillis(connectMillis)))) {
      return Sending.send(hasty, attempt("http://" + TARGET, proxyAt(proxy), LONG));
    }
  }

  @Test
  void aProxyThatDoesNotAcceptIsAtFault() throws Exception {
    // A full backlog lets the kernel drop further connection requests.
    InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    List<Socket> filling = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, loopback)) {
      for (int i = 0; i < 8; i++) {
        Socket socket = new Socket();
        filling.add(socket);
        try {
          socket.connect(full.getLocalSocketAddress(), 100);
        } catch (IOException filled) {
          break;
        }
      }
      HttpProxy proxy = new HttpProxy("127.0.0.1", full.getLocalPort(), "", false);
      Duration timeout = Duration.ofMillis(200);
      HttpOutcome outcome = send(attempt("http://" + TARGET, proxy, timeout));
      while (outcome instanceof TimedOut early
          && early.detail().startsWith("waiting for its turn")
          && timeout.compareTo(LONG) < 0) {
        timeout = timeout.multipliedBy(2);
        outcome = send(attempt("http://" + TARGET, proxy, timeout));
      }
      assertThat(((ProxyFailed) outcome).detail())
          .isEqualTo("connecting to the proxy " + proxy + " timed out");
    } finally {
      for (Socket socket : filling) {
        socket.close();
      }
    }
  }

  @Test
  void theProxysCredentialsStayWithTheProxy() throws Exception {
    try (HostileServer proxy =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write("HTTP/1.1 100 Continue\r\n\r\n" + TUNNEL);
              peer.readRequest();
              peer.write(OK);
              peer.readRequest();
              peer.write(OK);
              peer.awaitClose();
            })) {
      for (int i = 0; i < 2; i++) {
        assertThat(send(proxy, "http://" + TARGET + "/a")).isInstanceOf(Response.class);
      }
      assertThat(proxy.requests().get(0))
          .isEqualTo(
              """
              CONNECT %1$s HTTP/1.1
              Host: %1$s
              Proxy-Authorization: %2$s

              """
                  .formatted(TARGET, SECRET)
                  .replace("\n", "\r\n"));
      for (String request : proxy.requests().subList(1, 3)) {
        assertThat(request)
            .startsWith("POST /a HTTP/1.1\r\n")
            .doesNotContainIgnoringCase("proxy-")
            .doesNotContain("c2VjcmV0");
      }
    }
  }

  @Test
  void aProxyThatFailsAfterALossDoesNotMakeItUnsent() throws Exception {
    AtomicInteger tunnels = new AtomicInteger();
    try (HostileServer proxy =
        new HostileServer(
            peer -> {
              peer.readRequest();
              if (tunnels.incrementAndGet() > 1) {
                peer.write("HTTP/1.1 407 No\r\n\r\n");
                return;
              }
              peer.write(TUNNEL);
              peer.readRequest();
              peer.write(OK);
              peer.readRequest();
            })) {
      assertThat(send(proxy, "http://" + TARGET)).isInstanceOf(Response.class);
      ConnectionFailed failed = (ConnectionFailed) send(proxy, "http://" + TARGET);
      assertThat(failed.detail()).contains("closed the connection").contains("; then the proxy ");
      assertThat(failed.neverSent()).isFalse();
      assertThat(tunnels).hasValue(2);
    }
  }

  @Test
  void whatComesThroughTheTunnelUnaskedIsNoAnswer() throws Exception {
    try (HostileServer proxy = proxy(TUNNEL + OK)) {
      for (String scheme : List.of("http://", "https://")) {
        assertThat(((ConnectionFailed) send(proxy, scheme + TARGET)).detail())
            .isEqualTo(
                "%s sent something before it was asked, through the proxy 127.0.0.1:%s"
                    .formatted(TARGET, proxy.port()));
      }
    }
  }

  @Test
  void aTunnelThatEndsInTheHandshakeIsTheEndpoints() throws Exception {
    try (HostileServer proxy =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write(TUNNEL);
              peer.read(5);
            })) {
      ConnectionFailed failed = (ConnectionFailed) send(proxy, "https://" + TARGET);
      assertThat(failed.detail())
          .startsWith("TLS handshake with 127.0.0.77 at " + TARGET + " through the proxy ");
      assertThat(failed.neverSent()).isTrue();
    }
  }

  @Test
  void theNextAddressIsTriedWhenTheProxyFailsAtOne() throws Exception {
    lookup.answer("two.example", 300, "127.0.0.78", "127.0.0.79");
    try (HostileServer proxy =
        new HostileServer(
            peer -> {
              if (peer.readRequest().contains("127.0.0.78")) {
                peer.write("HTTP/1.1 503 No\r\n\r\n");
                return;
              }
              peer.write(TUNNEL);
              peer.readRequest();
              peer.write(OK);
              peer.awaitClose();
            })) {
      Response response = (Response) send(proxy, "http://two.example:81/");
      assertThat(response.address()).isEqualTo("127.0.0.79:81");
      assertThat(proxy.requests().get(2)).contains("host: two.example:81\r\n");
    }
    try (HostileServer none = proxy("HTTP/1.1 504 No\r\n\r\n")) {
      ProxyFailed failed = (ProxyFailed) send(none, "http://two.example:81/");
      assertThat(failed.detail()).contains("made no tunnel to ").endsWith(": 504 No");
      assertThat(none.requests()).hasSize(2);
    }
  }

  @Test
  void theProxysNextAddressIsTriedWhenOneDoesNotAnswer() throws Exception {
    lookup.answer("proxy.example", 300, "127.0.0.80", "127.0.0.1");
    try (HostileServer server = tunnel()) {
      HttpProxy proxy = new HttpProxy("proxy.example", server.port(), "", false);
      assertThat(send(attempt("http://" + TARGET, proxy, LONG))).isInstanceOf(Response.class);
    }
  }

  @Test
  void theProxysNameIsNotVettedAndGainsStrangersNothing() throws Exception {
    ScriptedLookup names =
        new ScriptedLookup()
            .answer("proxy.example", 300, "127.0.0.1")
            .answer("proxy.example", 300, "127.0.0.1");
    VettedResolver strict = new VettedResolver(names, AddressGuard.globalOnly(), nanos::get);
    try (HostileServer server = tunnel();
        VertxHttpSender sender = new VertxHttpSender(vertx, strict, HttpSenderSettings.DEFAULT)) {
      HttpProxy proxy = new HttpProxy("proxy.example", server.port(), "", true);
      HttpAttempt through = attempt("http://endpoint.example/", proxy, LONG);
      Response response = (Response) Sending.send(sender, through);
      assertThat(response.address()).isEqualTo("endpoint.example:80");
      assertThat(server.requests().get(0)).startsWith("CONNECT endpoint.example:80 HTTP/1.1");
      assertThat(names.lookups()).containsExactly("proxy.example");
      EndpointUrl same = url("http://proxy.example:" + server.port() + "/");
      assertThat(((Refused) Sending.send(sender, Sending.attempt(same, LONG))).detail())
          .isEqualTo("host 'proxy.example' must have a public address, and has none");
      assertThat(names.lookups()).hasSize(2);
    }
  }

  @Test
  void tunnelsCountAmongTheConnections() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch enough = new CountDownLatch(1);
    try (HostileServer proxy =
            new HostileServer(
                peer -> {
                  peer.readRequest();
                  asked.countDown();
                  enough.await();
                });
        HostileServer direct = new HostileServer(answering(OK));
        VertxHttpSender narrow =
            new VertxHttpSender(
                vertx, resolver, HttpSenderSettings.DEFAULT.withConnections(1, 1))) {
      CompletableFuture<HttpOutcome> first = new CompletableFuture<>();
      narrow.send(attempt("http://" + TARGET, proxyAt(proxy), LONG), first::complete);
      asked.await();
      HttpAttempt second = Sending.attempt(Sending.url(direct), Duration.ofMillis(200));
      assertThat(Sending.send(narrow, second)).isInstanceOf(NotStarted.class);
      enough.countDown();
      assertThat(Sending.await(first)).isInstanceOf(ProxyFailed.class);
      assertThat(Sending.send(narrow, Sending.attempt(Sending.url(direct), LONG)))
          .isInstanceOf(Response.class);
    }
  }

  @Test
  void closingEndsWhatWaitsForATunnel() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (HostileServer proxy =
        new HostileServer(
            peer -> {
              peer.readRequest();
              asked.countDown();
              peer.awaitClose();
            })) {
      CompletableFuture<HttpOutcome> outcome = new CompletableFuture<>();
      sender.send(attempt("http://" + TARGET, proxyAt(proxy), LONG), outcome::complete);
      asked.await();
      sender.close();
      ConnectionFailed failed = (ConnectionFailed) Sending.await(outcome);
      assertThat(failed.detail()).startsWith("the sender was closed");
      assertThat(failed.neverSent()).isTrue();
      assertThat(proxy.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  @Test
  void aRefusedProxyIsNamedWithItsFigures() throws Exception {
    try (RefusingPort port = RefusingPort.take()) {
      HttpProxy proxy = new HttpProxy("localhost", port.number(), SECRET, false);
      assertThat(((ProxyFailed) send(attempt("https://" + TARGET, proxy, LONG))).detail())
          .isEqualTo("connection to the proxy localhost:" + port.number() + " refused");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', 3128, '', host",
    "a/b, 3128, '', host",
    "user@a, 3128, '', host",
    "a:1, 3128, '', host",
    "[::1], 3128, '', host",
    "a b, 3128, '', host",
    "proxy, 0, '', port",
    "proxy, 65536, '', port",
    "proxy, 3128, 'Basic x\r\nX: y', authorization",
    "proxy, 3128, 'Basic é', authorization",
  })
  void aProxyThatCannotBeOneIsNamed(String host, int port, String authorization, String field) {
    assertThatThrownBy(() -> new HttpProxy(host, port, authorization, false))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(field + " ");
  }

  @Test
  void aProxyIsWrittenWithoutItsCredentials() {
    assertThat(new HttpProxy("::1", 3128, SECRET, false)).hasToString("[::1]:3128");
    assertThat(new HttpProxy("Proxy.Example", 3128, SECRET, true))
        .hasToString("Proxy.Example:3128");
  }

  private static HostileServer proxy(String answer) throws IOException {
    return new HostileServer(
        peer -> {
          peer.readRequest();
          peer.write(answer);
          peer.awaitClose();
        });
  }

  private static HostileServer tunnel() throws IOException {
    return new HostileServer(
        peer -> {
          peer.readRequest();
          peer.write(TUNNEL);
          peer.readRequest();
          peer.write(OK);
          peer.awaitClose();
        });
  }

  private static HttpProxy proxyAt(HostileServer server) {
    return new HttpProxy("127.0.0.1", server.port(), SECRET, false);
  }

  private HttpOutcome send(HostileServer proxy, String url) throws Exception {
    return send(proxy, url, LONG);
  }

  private HttpOutcome send(HostileServer proxy, String url, Duration timeout) throws Exception {
    return send(attempt(url, proxyAt(proxy), timeout));
  }

  private static HttpAttempt attempt(String url, HttpProxy proxy, Duration timeout) {
    return new HttpAttempt(
        url(url),
        List.of(),
        "x".getBytes(UTF_8),
        "text/plain",
        timeout,
        HttpOptions.DEFAULT.withProxy(proxy));
  }
}
