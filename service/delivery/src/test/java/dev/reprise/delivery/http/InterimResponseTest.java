package dev.reprise.delivery.http;

import static dev.reprise.delivery.http.Sending.LONG;
import static dev.reprise.delivery.http.Sending.sendBriefly;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.delivery.http.HttpOutcome.ConnectionFailed;
import dev.reprise.delivery.http.HttpOutcome.Response;
import dev.reprise.delivery.http.HttpOutcome.TimedOut;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Responses with a status from 100 to 199, which are none (RFC 9110, 15.2), over HTTP/1.1. */
class InterimResponseTest extends VertxHttpSenderFixture {
  private static final String SEVERAL =
      head("100 Continue")
          + head("102 Processing", "X: y")
          + head("102", "Content-Length: 5")
          + head("103 Early Hints", "Link: </x>", "Retry-After: 9", "Connection: close")
          + head("104 Upload Resumption", "Transfer-Encoding: chunked")
          + head("199 Odd");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "100 Continue",
        "102 Processing",
        "103 Early Hints",
        "104 Upload Resumption Supported",
        "110 Odd",
        "199 Odd"
      })
  void anyIsReadOver(String status) throws Exception {
    AtomicInteger connections = new AtomicInteger();
    String answer = "HTTP/1.1 " + status + "\r\n\r\n" + OK;
    try (HostileServer server =
        new HostileServer(
            peer -> {
              connections.incrementAndGet();
              answering(answer).with(peer);
            })) {
      for (int i = 0; i < 3; i++) {
        Response response = (Response) send(server, LONG);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.bodyExcerpt()).asString(UTF_8).isEqualTo("ok");
      }
      assertThat(connections).hasValue(1);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void severalAreReadOverInOnePieceAndByteByByte(boolean inOnePiece) throws Exception {
    String busy = "HTTP/1.1 429 Slow\r\nContent-Length: 0\r\n\r\n";
    try (HostileServer server =
        new HostileServer(
            peer -> {
              while (true) {
                peer.readRequest();
                int length = inOnePiece ? (SEVERAL + busy).length() : 1;
                for (int at = 0; at < (SEVERAL + busy).length(); at += length) {
                  peer.write((SEVERAL + busy).substring(at, at + length));
                }
              }
            })) {
      for (int i = 0; i < 2; i++) {
        Response response = (Response) send(server, LONG);
        assertThat(response.status()).isEqualTo(429);
        assertThat(response.retryAfter()).isEmpty();
      }
    }
  }

  @Test
  void aSwitchOfProtocolsThatNobodyAskedForIsAFailure() throws Exception {
    String answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n" + OK;
    try (HostileServer server = new HostileServer(answering(answer))) {
      ConnectionFailed failed = (ConnectionFailed) send(server, LONG);
      assertThat(failed.detail())
          .isEqualTo(
              "127.0.0.1:"
                  + server.port()
                  + " switched protocols (status 101), which was not requested");
      assertThat(failed.neverSent()).isFalse();
    }
  }

  @Test
  void aHundredAreReadOverAndNotOneMore() throws Exception {
    AtomicInteger count = new AtomicInteger(RequestStream.MAX_INTERIM_RESPONSES);
    try (HostileServer server =
        new HostileServer(
            peer -> {
              while (true) {
                peer.readRequest();
                peer.write("HTTP/1.1 102 Processing\r\n\r\n".repeat(count.get()) + OK);
              }
            })) {
      assertThat(send(server, LONG)).isInstanceOf(Response.class);
      assertThat(send(server, LONG)).isInstanceOf(Response.class);
      count.incrementAndGet();
      assertThat(((ConnectionFailed) send(server, LONG)).detail())
          .endsWith("sent more than 100 interim responses and no final one");
    }
  }

  @Test
  void theirBytesAreBounded() throws Exception {
    String large = "HTTP/1.1 102 Processing\r\nX: " + "x".repeat(50_000) + "\r\n\r\n";
    try (HostileServer server = new HostileServer(answering(large.repeat(20) + OK))) {
      assertThat(((ConnectionFailed) send(server, LONG)).detail())
          .contains("bytes in a row that answer nothing");
    }
  }

  @Test
  void oneDoesNotPutOffTheTimeout() throws Exception {
    sendBriefly(
        sender,
        peer -> {
          peer.readRequest();
          while (true) {
            peer.write("HTTP/1.1 102 Processing\r\n\r\n");
            Thread.sleep(20);
          }
        },
        (outcome, server) -> {
          if (outcome instanceof ConnectionFailed failed) {
            // On a machine that needed long for the connection, a hundred came first.
            assertThat(failed.detail()).contains("interim responses");
          } else {
            assertThat(((TimedOut) outcome).detail()).startsWith("waiting for the response");
          }
        },
        "waiting for its turn",
        "connecting");
  }

  @ParameterizedTest
  @ValueSource(strings = {"99 Low", "000 Zero", "20 Short", "1000 Long", "-200 Less", "2x0 Odd"})
  void aStatusThatIsNoneIsNotHttp(String status) throws Exception {
    try (HostileServer server =
        new HostileServer(answering("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n"))) {
      assertThat(((ConnectionFailed) send(server, LONG)).detail()).contains("not HTTP");
    }
  }
}
