package dev.reprise.core.http;

import static dev.reprise.core.http.ScriptedServer.Answer.body;
import static dev.reprise.core.http.ScriptedServer.Answer.status;
import static java.nio.charset.StandardCharsets.UTF_8;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import dev.reprise.core.budget.RetryBudget;
import dev.reprise.core.http.ScriptedServer.Answer;
import dev.reprise.core.http.ScriptedServer.Seen;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryBuilder;
import dev.reprise.core.retry.RetryEvent.Kind;
import dev.reprise.core.retry.RetryStoppedException;
import dev.reprise.core.strategy.StandardRetryStrategy;
import dev.reprise.testkit.RecordingListener;
import dev.reprise.testkit.RefusingPort;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Waits end when the test says so; servers and connections are real. */
@Timeout(300)
class RetryingHttpSenderAsyncTest {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final String LONG_TEXT = "all work and no play ".repeat(50_000);

  private final ParkedTime time = new ParkedTime();
  private final RecordingListener listener = new RecordingListener();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void closeServers() throws Exception {
    for (AutoCloseable server : opened) {
      server.close();
    }
  }

  @Test
  void failuresAreRetriedAfterTheirWaits(@TempDir Path folder) throws Exception {
    ScriptedServer server =
        server(body(503, "a long apology", "Retry-After", "7"), status(500), body(200, "ok"));

    CompletableFuture<HttpResponse<Path>> response =
        sender().sendAsync(get(server.uri()), BodyHandlers.ofFile(folder.resolve("body")));
    endNextWait(ofSeconds(7));
    endNextWait(ofSeconds(1));

    assertThat(response.get().statusCode()).isEqualTo(200);
    assertThat(response.get().body()).hasContent("ok");
    assertThat(server.connections()).isEqualTo(1);
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.RETRY, Kind.SUCCESS);
  }

  @Test
  void theLastResponseIsReturnedWhole() throws Exception {
    ScriptedServer server = server(body(503, LONG_TEXT));

    CompletableFuture<HttpResponse<String>> response =
        sender().sendAsync(get(server.uri()), BodyHandlers.ofString());
    endNextWait(ofSeconds(1));
    endNextWait(ofSeconds(1));

    assertThat(response.get().statusCode()).isEqualTo(503);
    assertThat(response.get().body()).isEqualTo(LONG_TEXT);
    assertThat(listener.stopReason()).isEqualTo(StopReason.ATTEMPTS);
  }

  @Test
  void theLastFailureIsThatOfTheFuture() throws Exception {
    RefusingPort refusing = RefusingPort.take();
    opened.add(refusing);
    URI uri = URI.create("http://127.0.0.1:" + refusing.number() + "/");

    CompletableFuture<HttpResponse<String>> response =
        sender().sendAsync(get(uri), BodyHandlers.ofString());
    endNextWait(ofSeconds(1));
    endNextWait(ofSeconds(1));

    Throwable failure = failureOf(response);
    assertThat(failure).isInstanceOf(ConnectException.class);
    assertThat(RetryStoppedException.of(failure).reason()).isEqualTo(StopReason.ATTEMPTS);
  }

  @Test
  void aHundredWaitsHoldNoThread() throws Exception {
    ExecutorService one = Executors.newSingleThreadExecutor();
    opened.add(one::shutdownNow);
    HttpClient client = HttpClient.newBuilder().executor(one).build();
    RetryingHttpSender sender =
        RetryingHttpSender.of(
            client,
            retry()
                .strategy(strategy().budget(RetryBudget.unlimited()).build())
                .executor(one)
                .build());
    ScriptedServer server = server(status(503));
    List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      responses.add(sender.sendAsync(get(server.uri().resolve("/" + i)), BodyHandlers.ofString()));
    }

    List<ParkedTime.Wait> waits = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      waits.add(time.next());
    }

    // All wait, and the only thread there is has time.
    assertThat(one.submit(() -> "free").get()).isEqualTo("free");
    assertThat(responses).noneMatch(CompletableFuture::isDone);
    responses.forEach(response -> response.cancel(true));
    for (ParkedTime.Wait wait : waits) {
      assertThat(wait.isCancelled().get()).isTrue();
    }
  }

  @Test
  void cancellingEndsTheExchangeUnderWay() throws Exception {
    CountDownLatch arrived = new CountDownLatch(1);
    CompletableFuture<Integer> end = new CompletableFuture<>();
    RawServer server =
        raw(
            connection -> {
              RawServer.readHead(connection);
              arrived.countDown();
              end.complete(connection.getInputStream().read());
            });

    CompletableFuture<HttpResponse<String>> response =
        sender().sendAsync(get(server.uri()), BodyHandlers.ofString());
    assertThat(arrived.await(300, TimeUnit.SECONDS)).isTrue();
    assertThat(response.cancel(true)).isTrue();

    assertThat(end.get()).isEqualTo(-1);
    assertThat(response).isCancelled();
    assertThat(time.size()).isZero();
    assertThat(listener.stopReason()).isEqualTo(StopReason.CANCELLED);
  }

  @Test
  void cancellingEndsTheWait() throws Exception {
    ScriptedServer server = server(status(503));

    CompletableFuture<HttpResponse<String>> response =
        sender().sendAsync(get(server.uri()), BodyHandlers.ofString());
    ParkedTime.Wait wait = time.next();
    response.cancel(true);

    assertThat(wait.isCancelled().get()).isTrue();
    assertThat(catchThrowable(response::get)).isInstanceOf(CancellationException.class);
    assertThat(server.seen()).hasSize(1);
    // Told by the thread that began the wait, if that has not left it yet.
    await(() -> listener.kinds().size() > 1);
    assertThat(listener.kinds()).containsExactly(Kind.RETRY, Kind.NOT_MADE);
  }

  @Test
  void completingTheFutureEndsTheWaitToo() throws Exception {
    ScriptedServer server = server(status(503));

    CompletableFuture<HttpResponse<String>> response =
        sender().sendAsync(get(server.uri()), BodyHandlers.ofString());
    ParkedTime.Wait wait = time.next();
    response.completeExceptionally(new IllegalStateException("no longer needed"));

    assertThat(wait.isCancelled().get()).isTrue();
    assertThat(server.seen()).hasSize(1);
  }

  @Test
  void cancellingEndsTheReadingOfTheLastResponse() throws Exception {
    CompletableFuture<Exception> cut = new CompletableFuture<>();
    ScriptedServer server =
        server(
            exchange -> {
              exchange.sendResponseHeaders(503, 0);
              byte[] page = new byte[64 * 1024];
              try {
                while (true) {
                  exchange.getResponseBody().write(page);
                }
              } catch (IOException e) {
                cut.complete(e);
              }
            });
    CountDownLatch decided = new CountDownLatch(1);
    Retry retry =
        retry()
            .strategy(strategy().maxAttempts(1).build())
            .listener(e -> decided.countDown())
            .build();

    CompletableFuture<HttpResponse<Void>> response =
        RetryingHttpSender.of(CLIENT, retry)
            .sendAsync(get(server.uri()), BodyHandlers.discarding());
    assertThat(decided.await(300, TimeUnit.SECONDS)).isTrue();
    response.cancel(true);

    assertThat(cut.get()).isInstanceOf(IOException.class);
  }

  @Test
  void aBodyThatCanBeSentOnlyOnceIsNotSentTwice() throws Exception {
    ScriptedServer server = server(status(500), status(200));
    InputStream once = new ByteArrayInputStream("hello".getBytes(UTF_8));
    HttpRequest request =
        HttpRequest.newBuilder(server.uri()).PUT(BodyPublishers.ofInputStream(() -> once)).build();

    HttpResponse<String> response = sender().sendAsync(request, BodyHandlers.ofString()).get();

    assertThat(response.statusCode()).isEqualTo(500);
    assertThat(server.seen()).extracting(Seen::body).containsExactly("hello");
  }

  @Test
  void aRetryThatNobodyMakesAnyMoreIsAnIoExceptionThatTellsWhy() throws Exception {
    ScriptedServer server = server(status(503));
    AtomicBoolean closed = new AtomicBoolean();
    RetryBuilder retry =
        retry()
            .executor(
                task -> {
                  if (closed.get()) {
                    throw new RejectedExecutionException("closed");
                  }
                  task.run();
                });

    CompletableFuture<HttpResponse<String>> response =
        RetryingHttpSender.of(CLIENT, retry.build())
            .sendAsync(get(server.uri()), BodyHandlers.ofString());
    ParkedTime.Wait wait = time.next();
    closed.set(true);
    wait.end();

    Throwable failure = failureOf(response);
    assertThat(failure)
        .isInstanceOf(IOException.class)
        .hasMessage("result not accepted: 503 Service Unavailable");
    assertThat(RetryStoppedException.of(failure).reason()).isEqualTo(StopReason.CLOSED);
  }

  @Test
  void aRequestThatTheClientRefusesFailsTheFuture() throws Exception {
    HttpRequest ftp =
        new HttpRequest() {
          @Override
          public Optional<BodyPublisher> bodyPublisher() {
            return Optional.empty();
          }

          @Override
          public String method() {
            return "GET";
          }

          @Override
          public Optional<Duration> timeout() {
            return Optional.empty();
          }

          @Override
          public boolean expectContinue() {
            return false;
          }

          @Override
          public URI uri() {
            return URI.create("urn:no:host");
          }

          @Override
          public Optional<HttpClient.Version> version() {
            return Optional.empty();
          }

          @Override
          public HttpHeaders headers() {
            return HttpHeaders.of(Map.of(), (name, value) -> true);
          }
        };

    assertThat(failureOf(sender().sendAsync(ftp, BodyHandlers.ofString())))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(catchThrowable(() -> sender().send(ftp, BodyHandlers.ofString())))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aHandlerThatBreaksOnTheLastResponseFailsTheFuture() throws Exception {
    ScriptedServer server = server(body(503, LONG_TEXT));
    RetryingHttpSender sender =
        RetryingHttpSender.of(CLIENT, retry().strategy(strategy().maxAttempts(1).build()).build());
    HttpRequest request = get(server.uri());

    List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
    for (BrokenSubscriber.At place : BrokenSubscriber.At.values()) {
      responses.add(sender.sendAsync(request, info -> new BrokenSubscriber(place)));
    }

    for (CompletableFuture<HttpResponse<String>> response : responses) {
      assertThat(failureOf(response)).hasMessage("broken on purpose");
    }
    assertThat(failureOf(sender.sendAsync(request, info -> null)))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("the body handler returned null");
    assertThat(failureOf(sender.sendAsync(request, info -> new BrokenSubscriber(null))))
        .isInstanceOf(NullPointerException.class);
    for (BrokenSubscriber.At place : BrokenSubscriber.At.values()) {
      assertThat(catchThrowable(() -> sender.send(request, info -> new BrokenSubscriber(place))))
          .isInstanceOf(IOException.class)
          .hasMessage("broken on purpose");
    }
  }

  /** Throws at one place; without a place it has no body. */
  private static final class BrokenSubscriber implements HttpResponse.BodySubscriber<String> {
    enum At {
      GET_BODY,
      ON_SUBSCRIBE,
      FIRST_PIECE,
      LATER_PIECE,
      END
    }

    private final @Nullable At place;
    private int pieces;

    BrokenSubscriber(@Nullable At place) {
      this.place = place;
    }

    @Override
    public CompletionStage<String> getBody() {
      breakAt(At.GET_BODY);
      return place == null ? null : new CompletableFuture<>();
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      breakAt(At.ON_SUBSCRIBE);
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> piece) {
      pieces++;
      breakAt(pieces == 1 ? At.FIRST_PIECE : At.LATER_PIECE);
    }

    @Override
    public void onError(Throwable failure) {}

    @Override
    public void onComplete() {
      breakAt(At.END);
    }

    private void breakAt(At here) {
      if (here == place) {
        throw new IllegalStateException("broken on purpose");
      }
    }
  }

  private void endNextWait(Duration expected) throws InterruptedException {
    ParkedTime.Wait wait = time.next();
    assertThat(wait.delay()).isEqualTo(expected);
    wait.end();
  }

  private static Throwable failureOf(CompletableFuture<?> future) {
    Throwable thrown = catchThrowable(future::get);
    assertThat(thrown).isInstanceOf(ExecutionException.class);
    return thrown.getCause();
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadline).isNegative();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  private RetryingHttpSender sender() {
    return RetryingHttpSender.of(CLIENT, retry().build());
  }

  private RetryBuilder retry() {
    return Retry.builder().strategy(strategy().build()).time(time).listener(listener);
  }

  private static StandardRetryStrategy.Builder strategy() {
    return StandardRetryStrategy.builder()
        .maxAttempts(3)
        .backoff(Backoff.fixed(ofSeconds(1)))
        .throttleBackoff(Backoff.fixed(ofSeconds(4)));
  }

  private ScriptedServer server(Answer... answers) throws IOException {
    ScriptedServer server = new ScriptedServer(answers);
    opened.add(server);
    return server;
  }

  private RawServer raw(RawServer.Script... scripts) throws IOException {
    RawServer server = new RawServer(scripts);
    opened.add(server);
    return server;
  }

  private static HttpRequest get(URI uri) {
    return HttpRequest.newBuilder(uri).build();
  }
}
