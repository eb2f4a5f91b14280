package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static dev.reprise.delivery.http.Sending.attempt;
import static dev.reprise.delivery.http.Sending.await;
import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.address.EndpointUrl;
import dev.reprise.delivery.http.HttpOutcome.ConnectionFailed;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.delivery.http.HttpOutcome.TimedOut;
import dev.reprise.fixtures.Await;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP/1.1 connections that are kept, and what becomes of the requests on them. */
class KeptConnectionTest extends VertxHttpSenderFixture {
  private final AtomicInteger connections = new AtomicInteger();

  private HostileServer.Conversation counted(HostileServer.Conversation conversation) {
    return peer -> {
      connections.incrementAndGet();
      conversation.with(peer);
    };
  }

  /** Closes a connection, in one way or the other. */
  private static void leave(HostileServer.Peer peer, boolean reset) throws IOException {
    if (reset) {
      peer.reset();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRequestOnOneThatIsLostIsSentOnceMore(boolean reset) throws Exception {
    try (HostileServer server =
        new HostileServer(
            counted(
                peer -> {
                  peer.readRequest();
                  peer.write(OK);
                  peer.readRequest();
                  leave(peer, reset);
                }))) {
      assertThat(((Response) send(server, LONG)).note()).isNull();
      Response again = (Response) send(server, LONG);
      assertThat(again.status()).isEqualTo(200);
      assertThat(again.note())
          .startsWith("sent a second time, since 127.0.0.1:" + server.port() + " ");
      assertThat(connections).hasValue(2);
      assertThat(server.requests()).hasSize(3);
      assertThat(sender.figures().sentAgainAfterLoss()).isEqualTo(1);
    }
  }

  @Test
  void itIsSentOnANewOneThoughOthersAreKept() throws Exception {
    CountDownLatch three = new CountDownLatch(3);
    try (HostileServer server =
        new HostileServer(
            counted(
                peer -> {
                  peer.readRequest();
                  three.countDown();
                  three.await();
                  peer.write(OK);
                  peer.readRequest();
                }))) {
      List<CompletableFuture<HttpOutcome>> first =
          List.of(begin(server, LONG), begin(server, LONG), begin(server, LONG));
      for (CompletableFuture<HttpOutcome> outcome : first) {
        assertThat(await(outcome)).isInstanceOf(Response.class);
      }
      assertThat(send(server, LONG)).isInstanceOf(Response.class);
      assertThat(connections).hasValue(4);
    }
  }

  @Test
  void aSecondLossIsAFailure() throws Exception {
    try (HostileServer server =
        new HostileServer(
            counted(
                peer -> {
                  peer.readRequest();
                  if (connections.get() == 1) {
                    peer.write(OK);
                    peer.readRequest();
                  }
                }))) {
      assertThat(send(server, LONG)).isInstanceOf(Response.class);
      ConnectionFailed failed = (ConnectionFailed) send(server, LONG);
      assertThat(failed.detail()).contains("closed the connection").contains("; then ");
      assertThat(failed.neverSent()).isFalse();
      assertThat(connections).hasValue(2);
    }
  }

  @Test
  void aNewOneThatIsLostIsAFailure() throws Exception {
    try (HostileServer server = new HostileServer(counted(HostileServer.Peer::readRequest))) {
      assertThat(send(server, LONG)).isInstanceOf(ConnectionFailed.class);
      assertThat(connections).hasValue(1);
    }
  }

  @Test
  void oneThatIsLostLongAfterTheSendingIsAFailure() throws Exception {
    CountDownLatch crash = new CountDownLatch(1);
    AtomicLong aheadNanos = new AtomicLong();
    try (HostileServer server =
            new HostileServer(
                counted(
                    peer -> {
                      peer.readRequest();
                      peer.write(OK);
                      peer.readRequest();
                      crash.await();
                    }));
        VertxHttpSender timed = sender(() -> System.nanoTime() + aheadNanos.get())) {
      assertThat(Sending.send(timed, attempt(Sending.url(server), LONG)))
          .isInstanceOf(Response.class);
      CompletableFuture<HttpOutcome> second = new CompletableFuture<>();
      timed.send(attempt(Sending.url(server), LONG), second::complete);
      Await.until("the second request", () -> server.requests().size() >= 2);
      aheadNanos.set(SECONDS.toNanos(20));
      crash.countDown();
      assertThat(await(second)).isInstanceOf(ConnectionFailed.class);
      assertThat(connections).hasValue(1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"H", "HTTP/1.1 200 O", "HTTP/1.1 102 Processing\r\n\r\n"})
  void oneThatIsLostInTheMiddleOfAnAnswerIsAFailure(String part) throws Exception {
    try (HostileServer server =
        new HostileServer(
            counted(
                peer -> {
                  peer.readRequest();
                  peer.write(OK);
                  peer.readRequest();
                  peer.write(part);
                }))) {
      assertThat(send(server, LONG)).isInstanceOf(Response.class);
      assertThat(send(server, LONG)).isInstanceOf(ConnectionFailed.class);
      assertThat(connections).hasValue(1);
    }
  }

  @Test
  void aRequestThatWasSentOnceMoreIsNotCalledUnsent() throws Exception {
    CountDownLatch refuse = new CountDownLatch(1);
    HostileServer server =
        new HostileServer(
            counted(
                peer -> {
                  peer.readRequest();
                  peer.write(OK);
                  peer.readRequest();
                  refuse.await();
                }));
    try (server) {
      assertThat(send(server, LONG)).isInstanceOf(Response.class);
      CompletableFuture<HttpOutcome> second = begin(server, LONG);
      Await.until("the second request", () -> server.requests().size() >= 2);
      server.close();
      refuse.countDown();
      ConnectionFailed failed = (ConnectionFailed) await(second);
      assertThat(failed.detail()).contains("; then ").contains("refused");
      assertThat(failed.neverSent()).isFalse();
    }
  }

  @Test
  void theTimeOfTheAttemptGoesOn() throws Exception {
    try (HostileServer server =
        new HostileServer(
            counted(
                peer -> {
                  peer.readRequest();
                  if (connections.get() > 1) {
                    peer.awaitClose();
                  }
                  peer.write(OK);
                  peer.readRequest();
                }))) {
      assertThat(send(server, LONG)).isInstanceOf(Response.class);
      TimedOut timedOut = (TimedOut) send(server, Duration.ofMillis(500));
      assertThat(timedOut.neverSent()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({"5, 4000000000", "60, 59000000000", "1, 500000000", "0, 0", "500, 200000000000"})
  void aMarginIsKeptBeforeTheTimeThatIsAnnounced(int seconds, long nanos) {
    var response = new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK);
    response.headers().set("Keep-Alive", "timeout=" + seconds);
    long usual = HttpSenderSettings.DEFAULT.keepAlive().toNanos();
    assertThat(KeepAlive.nanos(response, usual)).isEqualTo(nanos);
  }

  @Test
  void oneThatIsTooOldIsNotUsedAgain() throws Exception {
    try (HostileServer server = new HostileServer(counted(answering(OK)));
        VertxHttpSender young = sender(Duration.ofMillis(1))) {
      do {
        assertThat(Sending.send(young, attempt(Sending.url(server), LONG)))
            .isInstanceOf(Response.class);
      } while (connections.get() < 10);
    }
  }

  /** The age of a connection ends at one look at the clock after the other. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
  void oneWhoseAgeEndsWhenItIsGivenBackLeavesItsPlace(int looks) throws Exception {
    CountDownLatch armed = new CountDownLatch(1);
    AtomicInteger left = new AtomicInteger(Integer.MAX_VALUE);
    LongSupplier clock =
        () -> System.nanoTime() + (left.getAndDecrement() > 0 ? 0 : HOURS.toNanos(2));
    try (HostileServer server =
            new HostileServer(
                counted(
                    peer -> {
                      peer.readRequest();
                      armed.await();
                      peer.write(OK);
                      peer.awaitClose();
                    }));
        VertxHttpSender narrow =
            new VertxHttpSender(
                vertx,
                resolver,
                HttpSenderSettings.DEFAULT
                    .withConnections(1, 1)
                    .withConnectTimeout(LONG)
                    .withMaxConnectionAge(Duration.ofHours(1)),
                clock)) {
      CompletableFuture<HttpOutcome> first = new CompletableFuture<>();
      narrow.send(attempt(Sending.url(server), LONG), first::complete);
      Await.until("a request", () -> !server.requests().isEmpty());
      left.set(looks);
      armed.countDown();
      assertThat(await(first)).isInstanceOf(Response.class);
      left.set(0);
      assertThat(Sending.send(narrow, attempt(Sending.url(server), LONG)))
          .isInstanceOf(Response.class);
      assertThat(connections).hasValue(2);
    }
  }

  @Test
  void oneThatIsTooOldIsClosedWhenNobodyUsesIt() throws Exception {
    try (HostileServer server =
            new HostileServer(
                peer -> {
                  peer.readRequest();
                  peer.write(OK);
                  peer.awaitClose();
                });
        VertxHttpSender young = sender(Duration.ofMillis(200))) {
      assertThat(Sending.send(young, attempt(Sending.url(server), LONG)))
          .isInstanceOf(Response.class);
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  @Test
  void anExchangeUnderWayIsNotCutOff() throws Exception {
    CountDownLatch others = new CountDownLatch(5);
    try (HostileServer server =
            new HostileServer(
                counted(
                    peer -> {
                      boolean first = connections.get() == 1;
                      while (true) {
                        peer.readRequest();
                        if (first) {
                          others.await();
                        }
                        peer.write(OK);
                      }
                    }));
        VertxHttpSender young = sender(Duration.ofMillis(1))) {
      CompletableFuture<HttpOutcome> first = new CompletableFuture<>();
      young.send(attempt(Sending.url(server), LONG), first::complete);
      Await.until("a request", () -> !server.requests().isEmpty());
      while (others.getCount() > 0) {
        int before = connections.get();
        assertThat(Sending.send(young, attempt(Sending.url(server), LONG)))
            .isInstanceOf(Response.class);
        if (connections.get() > before) {
          others.countDown();
        }
      }
      assertThat(await(first)).isInstanceOf(Response.class);
    }
  }

  @Test
  void theAgeHasALeast() {
    assertThatThrownBy(
            () -> HttpSenderSettings.DEFAULT.withMaxConnectionAge(Duration.ofNanos(999_999)))
        .hasMessage("maxConnectionAge PT0.000999999S must be at least 1 ms");
  }

  @Test
  void afterA421TheNextRequestsAreSentOnNewOnes() throws Exception {
    CountDownLatch three = new CountDownLatch(3);
    String misdirected = "HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n";
    try (HostileServer server =
        new HostileServer(
            counted(
                peer -> {
                  boolean old = connections.get() <= 3;
                  peer.readRequest();
                  if (old) {
                    three.countDown();
                    three.await();
                  }
                  peer.write(OK);
                  while (true) {
                    peer.readRequest();
                    peer.write(old ? misdirected : OK);
                  }
                }))) {
      for (CompletableFuture<HttpOutcome> outcome :
          List.of(begin(server, LONG), begin(server, LONG), begin(server, LONG))) {
        assertThat(((Response) await(outcome)).status()).isEqualTo(200);
      }
      assertThat(((Response) send(server, LONG)).status()).isEqualTo(421);
      for (int i = 0; i < 3; i++) {
        assertThat(((Response) send(server, LONG)).status()).isEqualTo(200);
      }
      assertThat(connections).hasValue(4);
    }
  }

  @Test
  void aNameThatChangesIsFollowedThoughAConnectionIsKept() throws Exception {
    lookup.answer("moved.example", 1, "127.0.0.1").answer("moved.example", 1, "127.0.0.2");
    try (HostileServer old = new HostileServer(counted(answering(OK)));
        HostileServer now =
            new HostileServer(
                counted(answering(OK)), InetAddress.getByName("127.0.0.2"), old.port())) {
      EndpointUrl url = url("http://moved.example:" + old.port() + "/");
      assertThat(((Response) send(attempt(url, LONG))).address()).startsWith("127.0.0.1:");
      nanos.addAndGet(SECONDS.toNanos(2));
      assertThat(((Response) send(attempt(url, LONG))).address()).startsWith("127.0.0.2:");
      assertThat(old.requests()).hasSize(1);
      assertThat(now.requests()).hasSize(1);
    }
  }

  private CompletableFuture<HttpOutcome> begin(HostileServer server, Duration timeout) {
    CompletableFuture<HttpOutcome> outcome = new CompletableFuture<>();
    sender.send(attempt(Sending.url(server), timeout), outcome::complete);
    return outcome;
  }

  private VertxHttpSender sender(LongSupplier clock) {
    return new VertxHttpSender(
        vertx, resolver, HttpSenderSettings.DEFAULT.withConnectTimeout(LONG), clock);
  }

  private VertxHttpSender sender(Duration age) {
    return new VertxHttpSender(
        vertx,
        resolver,
        HttpSenderSettings.DEFAULT.withConnectTimeout(LONG).withMaxConnectionAge(age));
  }
}
