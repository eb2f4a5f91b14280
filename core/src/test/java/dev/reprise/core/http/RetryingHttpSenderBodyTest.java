package dev.reprise.core.http;

import static dev.reprise.core.http.ScriptedServer.Answer.body;
import static dev.reprise.core.http.ScriptedServer.Answer.status;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.StopReason;
import dev.reprise.core.http.ScriptedServer.Seen;
import dev.reprise.core.retry.Hedging;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryEvent.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class RetryingHttpSenderBodyTest extends SenderFixture {
  // Bodies of requests.

  @ParameterizedTest
  @ValueSource(strings = {"ofString", "ofByteArray", "ofFile", "ReplayableBody"})
  void aBodyThatCanBeSentAgainIs(String kind, @TempDir Path folder) throws Exception {
    ScriptedServer server = server(status(500), status(200));
    Path file = Files.writeString(folder.resolve("body"), "hello");
    BodyPublisher body =
        switch (kind) {
          case "ofString" -> BodyPublishers.ofString("hello");
          case "ofByteArray" -> BodyPublishers.ofByteArray("hello".getBytes(UTF_8));
          case "ofFile" -> BodyPublishers.ofFile(file);
          default -> new ReplayableBody(BodyPublishers.ofInputStream(() -> stream("hello")));
        };

    HttpResponse<String> response = sender().send(put(server.uri(), body), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(server.seen()).extracting(Seen::body).containsExactly("hello", "hello");
  }

  @Test
  void aBodyThatCanBeSentOnlyOnceIsNotSentTwice() throws Exception {
    ScriptedServer server = server(status(503, "Retry-After", "1"), status(200));
    InputStream once = stream("hello");

    HttpResponse<String> response =
        sender()
            .send(
                put(server.uri(), BodyPublishers.ofInputStream(() -> once)),
                BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.body()).isEqualTo("body of 503");
    assertThat(server.seen()).extracting(Seen::body).containsExactly("hello");
    assertThat(listener.stopReason()).isEqualTo(StopReason.NOT_RETRYABLE);
  }

  @Test
  void aBodyThatNobodyBeganToSendIsSentByALaterAttempt() throws Exception {
    URI uri = refusing();
    ScriptedServer[] late = new ScriptedServer[1];
    scheduler.schedule(
        Duration.ofMillis(1500),
        () -> {
          try {
            late[0] = new ScriptedServer(uri.getPort(), status(200));
            opened.add(late[0]);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
        });
    InputStream once = stream("hello");

    HttpResponse<String> response =
        sender().send(post(uri, BodyPublishers.ofInputStream(() -> once)), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(late[0].seen()).extracting(Seen::body).containsExactly("hello");
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.SUCCESS);
  }

  @Test
  void aHedgeDoesNotSendABodyThatCanBeSentOnlyOnce() throws Exception {
    CountDownLatch hedged = new CountDownLatch(1);
    ScriptedServer server =
        server(
            exchange -> {
              awaitOrFail(hedged);
              status(200).to(exchange);
            });
    AtomicInteger opens = new AtomicInteger();
    BodyPublisher body =
        BodyPublishers.ofInputStream(
            () -> {
              opens.incrementAndGet();
              return stream("hello");
            });
    Retry retry =
        Retry.builder()
            .strategy(strategy().build())
            .idempotent(true)
            .hedging(Hedging.after(Duration.ofMillis(100)))
            .listener(listener)
            .listener(event -> countDownAt(event, Kind.SUPERSEDED, hedged))
            .build();

    HttpResponse<String> response =
        RetryingHttpSender.of(CLIENT, retry).send(put(server.uri(), body), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(opens).hasValue(1);
    assertThat(server.seen()).extracting(Seen::body).containsExactly("hello");
    assertThat(listener.kinds()).containsExactly(Kind.SUPERSEDED, Kind.SUCCESS);
  }

  @Test
  void aRequestWhoseBodyIsWatchedIsOtherwiseTheSame() throws Exception {
    ScriptedServer server = server(status(200));
    HttpRequest request =
        HttpRequest.newBuilder(server.uri())
            .method("PATCH", BodyPublishers.ofInputStream(() -> stream("hello")))
            .header("X-One", "1")
            .header("X-One", "2")
            .timeout(ofMinutes(1))
            .version(HttpClient.Version.HTTP_1_1)
            .build();

    HttpRequest sent = sender().send(request, BodyHandlers.ofString()).request();

    assertThat(sent.method()).isEqualTo("PATCH");
    assertThat(sent.headers().allValues("X-One")).containsExactly("1", "2");
    assertThat(sent.timeout()).contains(ofMinutes(1));
    assertThat(sent.version()).contains(HttpClient.Version.HTTP_1_1);
    assertThat(sent.expectContinue()).isFalse();
    assertThat(server.seen()).extracting(Seen::body).containsExactly("hello");
    assertThat(new BodyUse(continueRequest(server.uri())).request().expectContinue()).isTrue();
  }

  @Test
  void aBodyThatTheServerDidNotWantYetIsSentByALaterAttempt() throws Exception {
    // All of it is read, for a connection that is closed with bytes unread is reset.
    String chunked = "5\r\nhello\r\n0\r\n\r\n";
    CompletableFuture<String> received = new CompletableFuture<>();
    RawServer server =
        raw(
            RawServer.Script.says(
                """
                HTTP/1.1 503 Service Unavailable\r
                Retry-After: 1\r
                Connection: close\r
                Content-Length: 0\r
                \r
                """),
            connection -> {
              RawServer.readHead(connection);
              RawServer.send(connection, "HTTP/1.1 100 Continue\r\n\r\n");
              received.complete(
                  new String(connection.getInputStream().readNBytes(chunked.length()), UTF_8));
              RawServer.send(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            });

    HttpResponse<String> response =
        sender().send(continueRequest(server.uri()), BodyHandlers.ofString());

    assertThat(response.body()).isEqualTo("ok");
    assertThat(received.get()).isEqualTo(chunked);
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.SUCCESS);
  }

  // Scopes.

  @Test
  void aHostThatFailsDoesNotUseUpTheBudgetOfAnother() throws Exception {
    ScriptedServer failing = server(status(503));
    ScriptedServer other = server(status(503), status(200));
    RetryingHttpSender sender = sender(retryWithTwoRetriesPerScope());

    sender.send(get(failing), BodyHandlers.ofString());
    sender.send(get(failing.uri().resolve("/another/path")), BodyHandlers.ofString());
    assertThat(listener.stopReason()).isEqualTo(StopReason.BUDGET);
    assertThat(failing.seen()).hasSize(4);

    HttpResponse<String> response = sender.send(get(other), BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
  }

  @Test
  void aScopeThatTheProgramGaveIsKept() throws Exception {
    ScriptedServer failing = server(status(503));
    ScriptedServer other = server(status(503), status(200));
    RetryingHttpSender sender = sender(retryWithTwoRetriesPerScope().scope("search"));

    sender.send(get(failing), BodyHandlers.ofString());
    HttpResponse<String> response = sender.send(get(other), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(listener.stopReason()).isEqualTo(StopReason.BUDGET);
    assertThat(listener.events().get(0).operation().scope()).isEqualTo("search");
  }

  @ParameterizedTest
  @CsvSource({
    "http://[::1]:1/path, http://[::1]:1",
    "HTTP://LOCALHOST:1/?q=a, http://localhost:1",
    "http://user:secret@127.0.0.1:1/, http://127.0.0.1:1",
    "http://host.invalid/, http://host.invalid:80",
    "https://host.invalid/, https://host.invalid:443",
  })
  void theScopeIsSchemeHostAndPort(URI uri, String scope) throws Exception {
    // What is sent through a proxy asks nobody for the address of a host.
    InetSocketAddress refusing =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), refusing().getPort());
    HttpClient client = HttpClient.newBuilder().proxy(ProxySelector.of(refusing)).build();

    Throwable thrown =
        catchThrowable(
            () ->
                RetryingHttpSender.of(client, retry(1).build())
                    .send(get(uri), BodyHandlers.ofString()));

    assertThat(thrown).isInstanceOf(ConnectException.class);
    assertThat(listener.events().get(0).operation().scope()).isEqualTo(scope);
  }
}
