package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.fixtures.Await;
import dev.reprise.server.fixture.RunningService;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that do not behave, on bare sockets. */
@Tag("slow")
class ConnectionsTest {
  private static final String PUBLISH =
      "POST /v1/topics/t/messages HTTP/1.1\r\nHost: localhost\r\n";
  private static final String JSON_TYPE = "Content-Type: application/json\r\n";

  @TempDir static Path folder;
  static RunningService api;

  @BeforeAll
  static void start() {
    api = RunningService.dev(folder);
    api.put("/v1/topics/t", "{}");
  }

  @AfterAll
  static void stop() {
    api.close();
  }

  private static Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), api.service.port());
    socket.setSoTimeout(180_000);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
    socket.getOutputStream().flush();
  }

  /** What comes until the other side closes the connection. */
  private static String readAll(Socket socket) throws IOException {
    try {
      return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    } catch (SocketException e) {
      return "reset";
    }
  }

  private static double metric(String name) {
    return api.get("/metrics")
        .text()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  private static String firstLine(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder line = new StringBuilder();
    int next = in.read();
    while (next >= 0 && next != '\r') {
      line.append((char) next);
      next = in.read();
    }
    return line.toString();
  }

  @Test
  void whatIsNoHttpIsRefused() throws IOException {
    try (Socket socket = connect()) {
      send(socket, "\u0001\u0002\u0003 hello\r\n\r\n");
      assertThat(readAll(socket)).contains(" 400 Bad Request\r\n").contains("\"code\":\"invalid\"");
    }
    try (Socket socket = connect()) {
      send(socket, "GET /v1/topics?" + "x".repeat(Listener.MAX_LINE_BYTES) + " HTTP/1.1\r\n\r\n");
      assertThat(readAll(socket)).contains(" 414 Request-URI Too Long\r\n").contains("8192 bytes");
    }
    try (Socket socket = connect()) {
      send(
          socket,
          "GET /v1/topics HTTP/1.1\r\nHost: localhost\r\nX: "
              + "x".repeat(Listener.MAX_HEADER_BYTES)
              + "\r\n\r\n");
      assertThat(readAll(socket))
          .contains(" 431 Request Header Fields Too Large\r\n")
          .contains("16384 bytes");
    }
  }

  @Test
  void requestOfHttp11MustNameItsHostOnce() throws IOException {
    String close = "Connection: close\r\n\r\n";
    try (Socket socket = connect()) {
      send(socket, "GET /health/live HTTP/1.1\r\n" + close);
      assertThat(readAll(socket)).contains(" 400 ").contains("Host is absent: must be given once");
    }
    try (Socket socket = connect()) {
      send(socket, "GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n" + close);
      assertThat(readAll(socket)).contains(" 400 ");
    }
    try (Socket socket = connect()) {
      send(socket, "GET /health/live HTTP/1.0\r\n\r\n");
      assertThat(readAll(socket)).contains(" 200 ");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Transfer-Encoding: xchunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: xchunked",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding:"
      })
  void anUnknownTransferEncodingEndsTheConnection(String framing) throws IOException {
    String body = framing.contains("Content-Length") ? "abcde" : "0\r\n\r\n";
    try (Socket socket = connect()) {
      send(
          socket,
          "POST /health/live HTTP/1.1\r\nHost: localhost\r\n"
              + framing
              + "\r\n\r\n"
              + body
              + "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(readAll(socket))
          .startsWith("HTTP/1.1 400 ")
          .contains("Transfer-Encoding")
          .containsIgnoringCase("\r\nconnection: close\r\n")
          .containsOnlyOnce("HTTP/1.1 ");
    }
  }

  @Test
  void chunksEndWhereTheyShouldAndTheNextRequestIsAnswered() throws IOException {
    try (Socket socket = connect()) {
      send(
          socket,
          PUBLISH
              + JSON_TYPE
              + "Transfer-Encoding: Chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
              + "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assertThat(readAll(socket)).doesNotContain("Transfer-Encoding is").contains(" 200 OK");
    }
  }

  @Test
  void tooLongBodyIsAnsweredBeforeItHasArrived() throws IOException {
    try (Socket socket = connect()) {
      send(socket, PUBLISH + JSON_TYPE + "Content-Length: 99999999999\r\n\r\n" + "{");
      assertThat(firstLine(socket)).isEqualTo("HTTP/1.1 413 Request Entity Too Large");
    }
    try (Socket socket = connect()) {
      send(socket, PUBLISH + "Transfer-Encoding: chunked\r\n\r\n");
      String chunk = Integer.toHexString(100_000) + "\r\n" + "x".repeat(100_000) + "\r\n";
      for (int i = 0; i < 30; i++) {
        send(socket, chunk);
      }
      assertThat(firstLine(socket)).isEqualTo("HTTP/1.1 413 Request Entity Too Large");
    }
  }

  @Test
  void connectionStaysUsableAfterARefusal() throws IOException {
    try (Socket socket = connect()) {
      send(
          socket,
          "POST /v1/nothing HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nabcde"
              + "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assertThat(readAll(socket)).contains("404 Not Found").contains("200 OK");
    }
  }

  @Test
  void queryThatCannotBeDecodedIsRefusedAndHoldsNothing() throws IOException {
    String body = "x".repeat(1 << 20);
    try (Socket socket = connect()) {
      // Together more than may be held, if any of it were kept.
      for (int i = 0; i < 70; i++) {
        send(
            socket,
            "POST /v1/topics/t/messages?x=%zz HTTP/1.1\r\nHost: localhost\r\n"
                + "Content-Type: application/json\r\nContent-Length: "
                + body.length()
                + "\r\n\r\n"
                + body);
        assertThat(firstLine(socket)).isEqualTo("HTTP/1.1 400 Bad Request");
        skipAnswer(socket);
      }
      send(socket, "GET /metrics?% HTTP/1.1\r\nHost: localhost\r\n\r\n");
      send(socket, "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      assertThat(readAll(socket))
          .contains("400 Bad Request")
          .contains("\"field\":\"query\"")
          .contains("200 OK");
    }
    assertThat(metric("reprise_api_request_bytes")).isZero();
    assertThat(api.post("/v1/topics/t/messages", "{\"body\":1}").status()).isEqualTo(202);
  }

  private static String answerTo(String headers, String body) throws IOException {
    try (Socket socket = connect()) {
      send(
          socket,
          "POST /v1/topics/t/messages HTTP/1.1\r\nConnection: close\r\n"
              + headers
              + "Content-Length: "
              + body.length()
              + "\r\n\r\n"
              + body);
      return readAll(socket);
    }
  }

  @Test
  void webPagesOfOthersAreRefusedWithoutKeys() throws IOException {
    String json = "Content-Type: application/json\r\n";
    String own = "Host: localhost:8080\r\n";
    String body = "{\"body\":1}";
    assertThat(answerTo(own + json, body)).contains(" 202 ");
    assertThat(answerTo("Host: [::1]:8080\r\n" + json, body)).contains(" 202 ");
    assertThat(answerTo(own + json + "Origin: http://localhost:8080\r\n", body)).contains(" 202 ");
    for (String foreign :
        List.of("https://evil.example", "null", "http://localhost:3000", "http://localhost")) {
      assertThat(answerTo(own + json + "Origin: " + foreign + "\r\n", body))
          .contains(" 403 ")
          .contains("\"code\":\"forbidden\"")
          .contains("Origin is " + foreign);
    }
    // The page's own domain, pointed to this machine after the page was loaded.
    assertThat(answerTo("Host: rebound.example:8080\r\n" + json, body))
        .contains(" 403 ")
        .contains("Host is rebound.example:8080");
  }

  @Test
  void bodyWithoutATypeIsRefused() throws IOException {
    assertThat(answerTo("Host: localhost\r\n", "{\"body\":1}"))
        .contains(" 415 ")
        .contains("Content-Type is absent");
    assertThat(metric("reprise_api_request_bytes")).isZero();
  }

  @Test
  void refusedPublishesAreCounted() {
    String failed = "reprise_publishes_failed_total";
    double before = metric(failed);
    api.post("/v1/topics/t/messages", "{}");
    api.post("/v1/topics/none/messages", "{\"body\":1}");
    api.send("POST", "/v1/topics/t/messages", "1\n{\"body\":1}\n2", "application/x-ndjson");
    assertThat(metric(failed) - before).isEqualTo(4);
  }

  /** Reads the rest of an answer whose first line was read. */
  private static void skipAnswer(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      head.append((char) in.read());
    }
    String length = head.toString().toLowerCase(Locale.ROOT).split("content-length: ", 2)[1];
    in.readNBytes(Integer.parseInt(length.split("\r", 2)[0]));
  }

  @Test
  void requestThatNeverEndsIsCutOff() throws IOException {
    try (Socket socket = connect()) {
      send(socket, PUBLISH + JSON_TYPE + "Content-Length: 100\r\n\r\n" + "{\"body\":");
      assertThat(readAll(socket)).isIn("", "reset");
    }
  }

  @Test
  void clientThatStopsReadingIsServedNoFurther() throws IOException, InterruptedException {
    Thread sender;
    String answers = "reprise_api_answers_total{status=\"2xx\"}";
    double earlier = metric(answers);
    try (Socket socket = connect()) {
      byte[] requests =
          "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100).getBytes(US_ASCII);
      sender =
          new Thread(
              () -> {
                try {
                  // 400 MB of answers, if all of them were written.
                  for (int i = 0; i < 50; i++) {
                    socket.getOutputStream().write(requests);
                  }
                } catch (IOException e) {
                  // The connection was closed under it.
                }
              });
      sender.start();
      double[] before = {-1};
      double served =
          Await.value(
              "the figure to stay",
              () -> metric(answers),
              now -> {
                // Two figures alike: what can be sent was sent. The question itself counts, too.
                boolean still = now - before[0] <= 1;
                before[0] = now;
                return still;
              });
      assertThat(served - earlier).isLessThan(1000);
      assertThat(metric("reprise_api_answer_bytes")).isLessThan(1 << 20);
      assertThat(api.awaitReady().json().get("status").asString()).isEqualTo("ready");
    }
    sender.join();
  }

  @Test
  void thousandsOfConnectionsAreServed() throws IOException {
    int connections = 2_000;
    List<Socket> sockets = new ArrayList<>();
    try {
      for (int i = 0; i < connections; i++) {
        sockets.add(connect());
      }
      for (Socket socket : sockets) {
        send(socket, "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
      }
      for (Socket socket : sockets) {
        assertThat(firstLine(socket)).isEqualTo("HTTP/1.1 200 OK");
      }
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }
}
