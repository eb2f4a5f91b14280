package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static dev.reprise.delivery.http.Sending.attempt;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.reprise.delivery.http.HttpOutcome.ConnectionFailed;
import dev.reprise.delivery.http.HttpOutcome.Response;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Heads of responses that are long, or not written as they should be, over HTTP/1.1. */
class ResponseHeadTest extends VertxHttpSenderFixture {
  private static final String TEN_OF_6_KB = ("X-Filler: " + "x".repeat(6000) + "\r\n").repeat(10);

  @Test
  void sixtyKilobytesOfHeadersUndoNothing() throws Exception {
    AtomicInteger connections = new AtomicInteger();
    String answer =
        "HTTP/1.1 200 OK\r\n" + TEN_OF_6_KB + "Retry-After: 7\r\nContent-Length: 2\r\n\r\nok";
    try (HostileServer server =
        new HostileServer(
            peer -> {
              connections.incrementAndGet();
              answering(answer).with(peer);
            })) {
      for (int i = 0; i < 2; i++) {
        Response response = (Response) send(server, LONG);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.retryAfter()).containsExactly("7");
        assertThat(response.bodyExcerpt()).asString(UTF_8).isEqualTo("ok");
        assertThat(response.note()).isNull();
      }
      assertThat(connections).hasValue(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"200 OK, 200", "204 No Content, 204", "503 Down, 503", "429, 429", "404 Gone, 404"})
  void theStatusLineDecidesThoughTheHeadIsTooLong(String line, int status) throws Exception {
    String answer =
        head(line, "Retry-After: 7", "Transfer-Encoding: chunked", TEN_OF_6_KB + TEN_OF_6_KB);
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write(answer);
              peer.awaitClose();
            })) {
      Response response = (Response) send(server, LONG);
      assertThat(response.status()).isEqualTo(status);
      assertThat(response.retryAfter()).containsExactly("7");
      assertThat(response.note())
          .isEqualTo("the rest of its head, which has more than 65536 bytes, was not read");
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
      assertThat(sender.figures().cutHeads()).isEqualTo(1);
    }
  }

  @Test
  void theLimitIsASetting() throws Exception {
    String answer = head("200 OK", "X: " + "x".repeat(2000), "Content-Length: 0");
    try (HostileServer server = new HostileServer(answering(answer));
        VertxHttpSender strict =
            new VertxHttpSender(
                vertx,
                resolver,
                HttpSenderSettings.DEFAULT.withConnectTimeout(LONG).withMaxHeadBytes(1024))) {
      Response response = (Response) Sending.send(strict, attempt(Sending.url(server), LONG));
      assertThat(response.note()).contains("more than 1024 bytes");
    }
    assertThatThrownBy(() -> HttpSenderSettings.DEFAULT.withMaxHeadBytes(262_145))
        .hasMessage("maxHeadBytes 262145 must be from 1024 to 262144");
    assertThatThrownBy(() -> HttpSenderSettings.DEFAULT.withMaxHeadBytes(1023))
        .hasMessage("maxHeadBytes 1023 must be from 1024 to 262144");
  }

  @Test
  void theLongestHeadIsReadAtTheHighestLimit() throws Exception {
    String answer = "HTTP/1.1 200 OK\r\n" + TEN_OF_6_KB.repeat(4) + "Content-Length: 2\r\n\r\nok";
    try (HostileServer server = new HostileServer(answering(answer));
        VertxHttpSender generous =
            new VertxHttpSender(
                vertx,
                resolver,
                HttpSenderSettings.DEFAULT
                    .withConnectTimeout(LONG)
                    .withMaxHeadBytes(HttpSenderSettings.MAX_HEAD_BYTES))) {
      Response response = (Response) Sending.send(generous, attempt(Sending.url(server), LONG));
      assertThat(response.note()).isNull();
      assertThat(response.bodyExcerpt()).asString(UTF_8).isEqualTo("ok");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200\nContent-Length: 2\n\nok",
        "HTTP/1.1 200 OK\nContent-Length: 2\r\n\nok",
        "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1  200  OK\r\nContent-Length: 2\r\n\r\nok",
        "\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.2 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 d\u00e9j\u00e0 vu\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length:2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nno colon\r\nX Y: blank in the name\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nX: folded\r\n  twice\r\n\tover\r\nContent-Length: 2\r\n\r\nok",
      })
  void aHeadIsReadLiberallyWhereNothingDependsOnIt(String answer) throws Exception {
    AtomicInteger connections = new AtomicInteger();
    try (HostileServer server =
        new HostileServer(
            peer -> {
              connections.incrementAndGet();
              answering(answer).with(peer);
            })) {
      for (int i = 0; i < 2; i++) {
        Response response = (Response) send(server, LONG);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.bodyExcerpt()).asString(UTF_8).isEqualTo("ok");
        assertThat(response.note()).isNull();
      }
      assertThat(connections).hasValue(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"HTTP/1.1, Content-Length: 9", "HTTP/1.0, Connection: keep-alive"})
  void aMessageWhoseEndIsInDoubtEndsItsConnection(String version, String field) throws Exception {
    String answer =
        version
            + " 200 OK\r\nTransfer-Encoding: chunked\r\n"
            + field
            + "\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    AtomicInteger connections = new AtomicInteger();
    try (HostileServer server =
        new HostileServer(
            peer -> {
              connections.incrementAndGet();
              answering(answer).with(peer);
            })) {
      for (int i = 0; i < 2; i++) {
        Response response = (Response) send(server, LONG);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.bodyExcerpt()).asString(UTF_8).isEqualTo("ok");
      }
      assertThat(connections).hasValue(2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"colon", ": no name", "(X): no token", "X: \u0000", "X: \u000b"})
  void aLineThatIsNoHeaderUndoesNothing(String line) throws Exception {
    try (HostileServer server =
        new HostileServer(
            peer -> {
              peer.readRequest();
              peer.write(head("200 OK", line, "Content-Length: 2") + "ok");
              peer.awaitClose();
            })) {
      Response response = (Response) send(server, LONG);
      assertThat(response.status()).isEqualTo(200);
      assertThat(Objects.toString(response.note())).contains("the rest of its head was not read");
      assertThat(server.closedByClient.await(300, SECONDS)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: x",
        "Content-Length: -1",
        "Content-Length: 2\r\nContent-Length: 3",
        "Content-Length: 2, 3",
        "Transfer-Encoding: chunked, gzip",
      })
  void whatSaysWhereAMessageEndsIsReadStrictly(String fields) throws Exception {
    try (HostileServer server = new HostileServer(answering(head("200 OK", fields) + "ok"))) {
      assertThat(((ConnectionFailed) send(server, LONG)).detail()).contains("not HTTP");
    }
  }

  @Test
  void aChunkSizeWithABareLineFeedIsNone() throws Exception {
    String answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\nok\n0\n\n";
    AtomicInteger connections = new AtomicInteger();
    try (HostileServer server =
        new HostileServer(
            peer -> {
              connections.incrementAndGet();
              answering(answer).with(peer);
            })) {
      for (int i = 0; i < 2; i++) {
        Response response = (Response) send(server, LONG);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.bodyExcerpt()).isEmpty();
      }
      assertThat(connections).hasValue(2);
    }
  }
}
