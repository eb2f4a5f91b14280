package dev.reprise.core.http;

import static dev.reprise.core.http.ScriptedServer.Answer.body;
import static dev.reprise.core.http.ScriptedServer.Answer.status;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.StopReason;
import dev.reprise.core.http.ScriptedServer.Seen;
import dev.reprise.core.retry.RetryBuilder;
import dev.reprise.core.retry.RetryEvent.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpResponse.BodySubscribers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
class RetryingHttpSenderTest extends SenderFixture {
  // What is retried, and when.

  @Test
  void aGetIsRepeatedAfterA503AndTheBackoff() throws Exception {
    ScriptedServer server = server(status(503), status(200));

    HttpResponse<String> response = sender().send(get(server), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(response.body()).isEqualTo("body of 200");
    assertThat(time.waits()).containsExactly(ofSeconds(1));
    assertThat(server.seen()).hasSize(2);
  }

  @Test
  void aPostIsRepeatedAfterA503WithRetryAfterAndNotBeforeThat() throws Exception {
    ScriptedServer server = server(status(503, "Retry-After", "7"), status(200));

    HttpResponse<String> response = sender().send(post(server), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(time.waits()).containsExactly(ofSeconds(7));
    assertThat(server.seen()).extracting(Seen::body).containsExactly("hello", "hello");
  }

  @Test
  void aDateInRetryAfterCountsFromTheDateOfTheResponse() throws Exception {
    RawServer server =
        raw(
            RawServer.Script.says(
                """
                HTTP/1.1 503 Service Unavailable\r
                Date: Sun, 06 Nov 1994 08:49:37 GMT\r
                Retry-After: Sun, 06 Nov 1994 08:51:07 GMT\r
                Connection: close\r
                Content-Length: 0\r
                \r
                """),
            RawServer.Script.says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));

    HttpResponse<String> response = sender().send(get(server.uri()), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(time.waits()).containsExactly(ofSeconds(90));
  }

  @Test
  void aDateInRetryAfterCountsFromOurClockWhenTheResponseHasNoDate() throws Exception {
    RawServer server =
        raw(
            RawServer.Script.says(
                """
                HTTP/1.1 503 Service Unavailable\r
                Retry-After: Thu, 01 Jan 2026 12:00:42 GMT\r
                Connection: close\r
                Content-Length: 0\r
                \r
                """),
            RawServer.Script.says("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"));

    HttpResponse<String> response = sender().send(get(server.uri()), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(time.waits()).containsExactly(ofSeconds(42));
  }

  @Test
  void ofSeveralRetryAftersTheLongestIsKept() throws Exception {
    ScriptedServer server =
        server(
            status(503, "Retry-After", "3", "Retry-After", "30", "Retry-After", "soon"),
            status(200));

    sender().send(post(server), BodyHandlers.ofString());

    assertThat(time.waits()).containsExactly(ofSeconds(30));
  }

  @Test
  void aRetryAfterThatCannotBeReadIsNone() throws Exception {
    ScriptedServer server = server(status(503, "Retry-After", "-1"), status(200));

    assertThat(sender().send(post(server), BodyHandlers.ofString()).statusCode()).isEqualTo(503);
    assertThat(server.seen()).hasSize(1);
  }

  @Test
  void a429IsRepeatedWithWhateverMethodAfterTheBackoffOfThrottles() throws Exception {
    ScriptedServer server = server(status(429), status(200));

    HttpResponse<String> response = sender().send(post(server), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(time.waits()).containsExactly(ofSeconds(4));
  }

  @ParameterizedTest
  @ValueSource(ints = {421, 425})
  void whatWasNotProcessedIsRepeatedWithWhateverMethod(int status) throws Exception {
    ScriptedServer server = server(status(status), status(200));

    assertThat(sender().send(post(server), BodyHandlers.ofString()).statusCode()).isEqualTo(200);

    assertThat(server.seen()).hasSize(2);
  }

  @Test
  void aRetryAfterBeyondTheCeilingReturnsTheResponseAtOnce() throws Exception {
    ScriptedServer server = server(status(503, "Retry-After", "3600"));

    HttpResponse<String> response = sender().send(get(server), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.body()).isEqualTo("body of 503");
    assertThat(time.waits()).isEmpty();
    assertThat(listener.stopReason()).isEqualTo(StopReason.HINT_TOO_LONG);
    assertThat(RetryingHttpSender.stopReason(response)).isEqualTo(StopReason.HINT_TOO_LONG);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, , 2", "HEAD, , 2", "OPTIONS, , 2", "PUT, , 2", "DELETE, , 2", "TRACE, , 2",
    "POST, , 1", "PATCH, , 1", "get, , 1", "POST, k-1, 2", "PATCH, k-1, 2", "POST, ' ', 1",
  })
  void a500IsRepeatedWhenTheRequestMayBe(String method, String key, int attempts) throws Exception {
    ScriptedServer server = server(body(500, ""), body(200, ""));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(server.uri()).method(method, BodyPublishers.noBody());
    if (key != null) {
      request.header("Idempotency-Key", key);
    }

    HttpResponse<Void> response = sender().send(request.build(), BodyHandlers.discarding());

    assertThat(response.statusCode()).isEqualTo(attempts == 2 ? 200 : 500);
    assertThat(server.seen()).hasSize(attempts);
  }

  @Test
  void whatTheProgramDeclaresIdempotentIsRepeatedWhateverTheMethod() throws Exception {
    ScriptedServer server = server(status(500), status(200));

    RetryingHttpSender sender = sender(retry().idempotent(true));

    assertThat(sender.send(post(server), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(ints = {200, 204, 206, 301, 304, 307, 400, 401, 404, 409, 410, 422})
  void anyOtherResponseIsReturnedAsItIs(int status) throws Exception {
    String text = status == 204 || status == 304 ? "" : "text";
    ScriptedServer server = server(body(status, text));

    HttpResponse<InputStream> response = sender().send(get(server), BodyHandlers.ofInputStream());

    assertThat(response.statusCode()).isEqualTo(status);
    try (InputStream in = response.body()) {
      assertThat(new String(in.readAllBytes(), UTF_8)).isEqualTo(text);
    }
    assertThat(server.seen()).hasSize(1);
    // A refusal is no success, although the caller gets the response.
    assertThat(listener.kinds()).containsExactly(status < 400 ? Kind.SUCCESS : Kind.STOP);
    assertThat(listener.stopReason()).isEqualTo(status < 400 ? null : StopReason.NOT_RETRYABLE);
    assertThat(RetryingHttpSender.stopReason(response)).isNull();
  }

  // The last response.

  @ParameterizedTest
  @ValueSource(strings = {"short", ""})
  void theLastResponseIsReturnedWholeWhenAttemptsAreUsedUp(String text) throws Exception {
    ScriptedServer server = server(body(503, text, "X-Mark", "m"));

    HttpResponse<String> response = sender().send(get(server), BodyHandlers.ofString());

    assertThat(response.body()).isEqualTo(text);
    assertThat(response.statusCode()).isEqualTo(503);
    assertThat(response.headers().firstValue("X-Mark")).contains("m");
    assertThat(response.uri()).isEqualTo(server.uri());
    assertThat(response.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
    assertThat(response.request().method()).isEqualTo("GET");
    assertThat(response.previousResponse()).isEmpty();
    assertThat(response.sslSession()).isEmpty();
    assertThat(response).hasToString("(GET " + server.uri() + ") 503");
    assertThat(server.seen()).hasSize(3);
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.STOP);
    assertThat(listener.stopReason()).isEqualTo(StopReason.ATTEMPTS);
  }

  @Test
  void everyHandlerReadsTheLastResponseHoweverLongItIs(@TempDir Path folder) throws Exception {
    ScriptedServer server = server(body(503, LONG_TEXT));
    RetryingHttpSender sender = sender();
    Path file = folder.resolve("body");

    assertThat(sender.send(get(server), BodyHandlers.ofString()).body()).isEqualTo(LONG_TEXT);
    assertThat(sender.send(get(server), BodyHandlers.ofByteArray()).body())
        .isEqualTo(LONG_TEXT.getBytes(UTF_8));
    assertThat(sender.send(get(server), BodyHandlers.ofFile(file)).body()).hasContent(LONG_TEXT);
    assertThat(sender.send(get(server), BodyHandlers.discarding()).body()).isNull();
    try (InputStream in = sender.send(get(server), BodyHandlers.ofInputStream()).body()) {
      assertThat(new String(in.readAllBytes(), UTF_8)).isEqualTo(LONG_TEXT);
    }
    try (Stream<String> lines = sender.send(get(server), BodyHandlers.ofLines()).body()) {
      assertThat(lines.collect(Collectors.joining())).isEqualTo(LONG_TEXT);
    }
    Flow.Publisher<List<ByteBuffer>> publisher =
        sender.send(get(server), BodyHandlers.ofPublisher()).body();
    var collected = BodySubscribers.ofString(UTF_8);
    publisher.subscribe(collected);
    assertThat(collected.getBody().toCompletableFuture().get()).isEqualTo(LONG_TEXT);
  }

  @Test
  void aFileHoldsNothingOfAResponseBefore(@TempDir Path folder) throws Exception {
    ScriptedServer server = server(body(503, "a long page of apologies"), body(200, "ok"));
    Path file = folder.resolve("body");

    HttpResponse<Path> response = sender().send(get(server), BodyHandlers.ofFile(file));

    assertThat(response.body()).isEqualTo(file).hasContent("ok");
  }

  @Test
  void aHandlerThatThrowsAtTheLastResponseIsAFailure() throws Exception {
    ScriptedServer server = server(body(503, LONG_TEXT));
    IllegalStateException broken = new IllegalStateException("broken handler");

    Throwable thrown =
        catchThrowable(
            () ->
                sender()
                    .send(
                        get(server),
                        info -> {
                          throw broken;
                        }));

    assertThat(thrown).isInstanceOf(IOException.class).hasCause(broken);
  }

  // Connections.

  @ParameterizedTest
  @ValueSource(strings = {"ofInputStream", "ofLines", "ofPublisher", "ofString"})
  void aRejectedResponseLeavesItsConnectionToTheNextAttempt(String handler) throws Exception {
    ScriptedServer server = server(status(503), status(503), status(200));
    BodyHandler<?> handlers =
        switch (handler) {
          case "ofInputStream" -> BodyHandlers.ofInputStream();
          case "ofLines" -> BodyHandlers.ofLines();
          case "ofPublisher" -> BodyHandlers.ofPublisher();
          default -> BodyHandlers.ofString();
        };

    HttpResponse<?> response = sender().send(get(server), handlers);
    Bodies.close(response);

    assertThat(server.seen()).hasSize(3);
    assertThat(server.connections()).isEqualTo(1);
  }

  @Test
  void aRejectedResponseThatNeverEndsIsCutOff() throws Exception {
    CompletableFuture<Exception> cut = new CompletableFuture<>();
    ScriptedServer server = server(exchange -> writeForever(exchange, cut), status(200));

    HttpResponse<InputStream> response = sender().send(get(server), BodyHandlers.ofInputStream());
    response.body().close();

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(cut.get()).isInstanceOf(IOException.class);
  }

  @Test
  void aResponseThatARuleOfTheProgramRejectsIsClosedBeforeTheWait() throws Exception {
    ScriptedServer server = server(status(404), status(200));
    List<String> closed = new ArrayList<>();
    List<Object> discarded = new ArrayList<>();
    RetryBuilder retry =
        retry()
            .retryOnResult(HttpResponse.class, response -> response.statusCode() == 404)
            .onDiscard(discarded::add);

    HttpResponse<AutoCloseable> response =
        sender(retry)
            .send(
                get(server),
                info ->
                    BodySubscribers.mapping(
                        BodySubscribers.ofString(UTF_8),
                        text -> () -> closed.add(text + " after " + time.elapsed())));

    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(closed).containsExactly("body of 404 after PT0S");
    assertThat(discarded).isEmpty();
  }

  @Test
  void rulesOfTheProgramDoNotSeeResponsesThatAreRetriedAnyway() throws Exception {
    ScriptedServer server = server(status(503), body(200, "busy"), body(200, "done"));
    RetryBuilder retry =
        retry()
            .retryOnResult(
                HttpResponse.class, response -> ((String) response.body()).equals("busy"));

    HttpResponse<String> response = sender(retry).send(get(server), BodyHandlers.ofString());

    assertThat(response.body()).isEqualTo("done");
    assertThat(server.seen()).hasSize(3);
  }

  // The rest.

  @Test
  void eventsTellTheStatusAndNoSecrets() throws Exception {
    ScriptedServer server = server(status(503, "X-Token", "secret"), status(500), status(200));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.uri() + "path?token=secret"))
            .header("Authorization", "secret")
            .build();

    sender().send(request, BodyHandlers.ofString());

    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.SUCCESS);
    assertThat(listener.events().get(0).failure())
        .hasMessage("result not accepted: 503 Service Unavailable");
    assertThat(listener.events().get(1).failure())
        .hasMessage("result not accepted: 500 Internal Server Error");
    assertThat(listener.events().toString()).doesNotContain("secret");
    assertThat(listener.events().get(0).name()).isEqualTo("test");
  }

  @Test
  void theDefaultsSendAndRetry() throws Exception {
    ScriptedServer server = server(status(500), status(200));

    HttpResponse<String> response =
        RetryingHttpSender.of(CLIENT).send(get(server), BodyHandlers.ofString());

    assertThat(response.statusCode()).isEqualTo(200);
  }

  @Test
  void argumentsThatAreMissingAreNamed() {
    HttpRequest request = get(URI.create("http://127.0.0.1:1/"));
    assertThatNullPointerException()
        .isThrownBy(() -> sender().send(null, BodyHandlers.ofString()))
        .withMessage("request");
    assertThatNullPointerException()
        .isThrownBy(() -> sender().send(request, null))
        .withMessage("handler");
    assertThatNullPointerException()
        .isThrownBy(() -> sender().sendAsync(request, null))
        .withMessage("handler");
    assertThatNullPointerException()
        .isThrownBy(() -> RetryingHttpSender.of(null))
        .withMessage("client");
    assertThatNullPointerException().isThrownBy(() -> new ReplayableBody(null)).withMessage("body");
  }
}
