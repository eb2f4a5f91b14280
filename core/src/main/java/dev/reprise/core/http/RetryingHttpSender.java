package dev.reprise.core.http;

import dev.reprise.core.Operation;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.StopReason;
import dev.reprise.core.retry.Retry;
import dev.reprise.core.retry.RetryBuilder;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscribers;
import java.net.http.HttpResponse.ResponseInfo;
import java.time.Clock;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests with an {@link HttpClient}, and retries those that fail.
 *
 * <pre>{@code
 * RetryingHttpSender sender = RetryingHttpSender.of(HttpClient.newHttpClient());
 * HttpResponse<String> response = sender.send(request, BodyHandlers.ofString());
 * }</pre>
 *
 * <ul>
 *   <li>Retried are 421, 425, 429, 503 with {@code Retry-After}, and connections that could not be
 *       made; other 5xx, 408, timeouts and broken connections only when the request may be
 *       repeated: its method is idempotent (RFC 9110 section 9.2.2), it has an {@code
 *       Idempotency-Key}, or the {@link Retry} was built with {@code idempotent(true)}. Any other
 *       response is returned as it is. To listeners, one of 400 and above is an attempt that failed
 *       for {@link StopReason#NOT_RETRYABLE}, and not a success.
 *   <li>No attempt comes earlier than {@code Retry-After} asks.
 *   <li>A body that can be sent only once is not sent twice: one whose length is not known
 *       beforehand (such as {@code ofInputStream}) counts as such once sending it has begun, unless
 *       it is {@link ReplayableBody marked}.
 *   <li>When there is no further attempt, the caller gets the last response, or the last failure.
 *       Why that was the last one, {@link #stopReason} tells of a response. That of a response
 *       which asks for a longer wait than {@code hintCeiling} is logged too, once for each sender.
 *       Only responses that the caller gets, or that are never retried, are given to the caller's
 *       body handler: a file that it writes holds no remains of a response before. The first 64 KiB
 *       of a response that may be retried are kept in memory until that is decided.
 *   <li>A server that sends such a response bit by bit, or stops in the middle, holds the attempt
 *       for as long: the timeout of an {@link HttpRequest} ends with the head of the response. Set
 *       {@link RetryBuilder#attemptTimeout}, which cuts the attempt off and retries it.
 *   <li>An attempt ends with the body that the handler makes. What breaks while a caller reads a
 *       stream comes too late for a retry.
 *   <li>The scope, whose budget is used, is scheme, host and port of the request, unless the {@link
 *       Retry} was built with one.
 * </ul>
 *
 * <p>Immutable and thread-safe.
 */
public final class RetryingHttpSender {
  private static final Set<String> IDEMPOTENT_METHODS =
      Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

  private static final int MIN_ERROR = 400;

  private final HttpClient client;
  private final Retry retry;
  private final Operation operation;
  private final Clock clock;
  private final AtomicBoolean toldOfLongHint = new AtomicBoolean();

  private RetryingHttpSender(HttpClient client, Retry retry, Clock clock) {
    this.client = Objects.requireNonNull(client, "client");
    this.clock = clock;
    this.operation = Objects.requireNonNull(retry, "retry").operation();
    this.retry =
        retry.toBuilder()
            .classifyResult(HeldResponse.class, HeldResponse::failure)
            .classifyResult(HttpResponse.class, RetryingHttpSender::refusal)
            .onDiscard(Bodies::close)
            .build();
  }

  /** Returns a sender that retries with the defaults of {@link Retry#ofDefaults()}. */
  public static RetryingHttpSender of(HttpClient client) {
    return of(client, Retry.builder().name("http").build());
  }

  /**
   * Returns a sender that uses the given retry settings.
   *
   * <p>Rules on results of the type {@link HttpResponse} are asked about every response that is not
   * retried anyway, so they may add to what is. The sender closes discarded responses itself; a
   * consumer set with {@code onDiscard} is not called.
   */
  public static RetryingHttpSender of(HttpClient client, Retry retry) {
    return of(client, retry, Clock.systemUTC());
  }

  /**
   * Returns why a response that is worth a retry was given back, such as {@link
   * StopReason#HINT_TOO_LONG} of a 503 that asks to wait for an hour; null of any other response.
   *
   * @param response one that a sender returned
   */
  public static @Nullable StopReason stopReason(HttpResponse<?> response) {
    Objects.requireNonNull(response, "response");
    return response instanceof ReadResponse<?> read ? read.stopReason() : null;
  }

  /** Returns a sender that counts the date of a {@code Retry-After} by the clock given. */
  static RetryingHttpSender of(HttpClient client, Retry retry, Clock clock) {
    return new RetryingHttpSender(client, retry, clock);
  }

  /**
   * Sends a request and waits for the response; see {@link HttpClient#send}.
   *
   * @throws IOException the last failure, when no attempt brought a response; {@link
   *     dev.reprise.core.retry.RetryStoppedException#of} tells why it was the last
   * @throws InterruptedException when the thread is interrupted while it waits for a response, or
   *     for the next attempt; then its cause is what went wrong before. The thread stays
   *     interrupted
   */
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    BodyUse body = new BodyUse(request);
    BodyHandler<Object> holding = holding(handler);
    GivenBack givenBack = new GivenBack(toldOfLongHint);
    Object outcome;
    try {
      outcome =
          retryOf(request, body, givenBack)
              .<Object, Exception>call(() -> outcomeOf(client.send(body.request(), holding)));
    } catch (Exception failure) {
      throw SendFailure.unchanged(failure);
    }
    if (outcome instanceof HeldResponse held) {
      return SendFailure.await(held.read(handler, givenBack.reason()));
    }
    return response(outcome);
  }

  /**
   * Sends a request; see {@link HttpClient#sendAsync}. Nothing is thrown from here but for null
   * arguments. Cancelling the future, or completing it, cancels the request under way or the wait
   * for the next attempt.
   */
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    BodyUse body = new BodyUse(request);
    BodyHandler<Object> holding = holding(handler);
    CompletableFuture<HttpResponse<T>> result = new CompletableFuture<>();
    GivenBack givenBack = new GivenBack(toldOfLongHint);
    CompletableFuture<Object> outcome =
        retryOf(request, body, givenBack)
            .callAsync(
                () -> {
                  CompletableFuture<Object> attempt = new CompletableFuture<>();
                  forward(
                      client.sendAsync(body.request(), holding),
                      attempt,
                      response -> deliver(outcomeOf(response), attempt));
                  return attempt;
                });
    forward(
        outcome,
        result,
        last -> {
          if (last instanceof HeldResponse held) {
            forward(
                held.read(handler, givenBack.reason()),
                result,
                response -> deliver(response, result));
          } else {
            deliver(RetryingHttpSender.<T>response(last), result);
          }
        });
    return result;
  }

  /**
   * Lets a failure of the source be that of the target, and lets the source be cancelled when the
   * target ends first, which futures that depend on others do not do.
   */
  private static <S> void forward(
      CompletableFuture<S> source, CompletableFuture<?> target, Consumer<S> next) {
    CompletionStage<?> targetStage = target;
    targetStage.whenComplete((value, failure) -> source.cancel(true));
    CompletionStage<S> sourceStage = source;
    sourceStage.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            next.accept(value);
          } else {
            target.completeExceptionally(SendFailure.ofFuture(failure));
          }
        });
  }

  private static <T> void deliver(T value, CompletableFuture<T> target) {
    if (!target.complete(value)) {
      Bodies.close(value);
    }
  }

  private Retry retryOf(HttpRequest request, BodyUse body, GivenBack givenBack) {
    Retry forRequest =
        retry
            .withListener(givenBack)
            .withOperation(
                operation
                    .withIdempotent(operation.idempotent() || mayBeRepeated(request))
                    .withScope(
                        operation.scope() == null ? scopeOf(request.uri()) : operation.scope()));
    return body.isOneShot()
        ? forRequest.toBuilder().abortIf(failure -> body.isUsedUp()).build()
        : forRequest;
  }

  private static boolean mayBeRepeated(HttpRequest request) {
    return IDEMPOTENT_METHODS.contains(request.method())
        || request
            .headers()
            .firstValue("Idempotency-Key")
            .filter(key -> !key.isBlank())
            .isPresent();
  }

  /** Returns the scope, or null for an address that the client will refuse. */
  private static @Nullable String scopeOf(URI uri) {
    String scheme = uri.getScheme();
    String host = uri.getHost();
    if (scheme == null || host == null) {
      return null;
    }
    scheme = scheme.toLowerCase(Locale.ROOT);
    int port = uri.getPort() != -1 ? uri.getPort() : scheme.equals("https") ? 443 : 80;
    return scheme + "://" + host.toLowerCase(Locale.ROOT) + ":" + port;
  }

  /** Returns a handler that leaves to the caller's own what will not be retried. */
  private <T> BodyHandler<Object> holding(BodyHandler<T> handler) {
    Objects.requireNonNull(handler, "handler");
    return info -> {
      HttpFailure failure = failureOf(info);
      return failure == null
          ? BodySubscribers.mapping(handler.apply(info), body -> body)
          : BodySubscribers.mapping(
              new HeldBody(), bytes -> new HeldResponse.Body(info, failure, bytes));
    };
  }

  private static Object outcomeOf(HttpResponse<Object> response) {
    return response.body() instanceof HeldResponse.Body held
        ? new HeldResponse(response, held)
        : response;
  }

  /** Returns a response that is not held, which the caller's own handler has read. */
  @SuppressWarnings("unchecked")
  private static <T> HttpResponse<T> response(Object outcome) {
    return (HttpResponse<T>) outcome;
  }

  /** Returns the retry facts of a permanent refusal, or null for any other response. */
  private static @Nullable HttpFailure refusal(HttpResponse<?> response) {
    return response.statusCode() < MIN_ERROR
        ? null
        : HttpFailure.status(response.statusCode(), null);
  }

  /** Returns the retry facts of a response that is worth a retry, or null for any other. */
  private @Nullable HttpFailure failureOf(ResponseInfo response) {
    int status = response.statusCode();
    if (HttpFailure.isSuccess(status)) {
      return null;
    }
    HttpFailure failure =
        HttpFailure.status(
            status,
            RetryAfter.longest(
                response.headers().allValues("Retry-After"),
                response.headers().firstValue("Date").orElse(null),
                clock.instant()));
    return failure.isRetrySafe() == RetrySafety.NO ? null : failure;
  }
}
