package dev.reprise.core.http;

import dev.reprise.core.StopReason;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpResponse.ResponseInfo;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A response that is worth a retry, before it is known whether there will be one. */
record HeldResponse(HttpResponse<?> response, Body held) {

  /** The body that the handler of an attempt makes of such a response. */
  record Body(ResponseInfo info, HttpFailure failure, HeldBody bytes) {}

  HttpFailure failure() {
    return held.failure();
  }

  /** Releases the connection; the response is not read. */
  void discard() {
    held.bytes().cancel();
  }

  /**
   * Passes the body to the caller's handler. Reading ends if the future is completed otherwise,
   * such as by a cancellation.
   *
   * @param stopReason why the response is not retried
   */
  <T> CompletableFuture<HttpResponse<T>> read(
      BodyHandler<T> handler, @Nullable StopReason stopReason) {
    CompletableFuture<HttpResponse<T>> read = new CompletableFuture<>();
    onFailure(read, this::discard);
    try {
      BodySubscriber<T> subscriber =
          Objects.requireNonNull(handler.apply(held.info()), "the body handler returned null");
      subscriber
          .getBody()
          .whenComplete(
              (body, failure) -> {
                if (failure != null) {
                  read.completeExceptionally(failure);
                } else if (!read.complete(new ReadResponse<>(response, body, stopReason))) {
                  Bodies.close(body);
                }
              });
      held.bytes().readBy(new GuardedReader(subscriber, read));
    } catch (Throwable broken) {
      // Otherwise the future would stay open if the handler fails before it makes its own.
      read.completeExceptionally(broken);
    }
    return read;
  }

  private static void onFailure(CompletionStage<?> stage, Runnable task) {
    stage.whenComplete(
        (value, failure) -> {
          if (failure != null) {
            task.run();
          }
        });
  }
}
