package dev.reprise.delivery.http;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpClosedException;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.internal.buffer.BufferInternal;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One request of an HTTP/2 connection of Vert.x. */
final class Http2Stream implements RequestStream {
  /** The code of a stream that the endpoint has not begun to process (RFC 9113, 8.7). */
  private static final long REFUSED_STREAM = 7;

  private final HttpClientConnection connection;
  private final Http2Frames frames;
  private @Nullable HttpClientRequest request;
  private @Nullable Future<Void> written;
  private boolean reset;

  Http2Stream(HttpClientConnection connection, Http2Frames frames) {
    this.connection = connection;
    this.frames = frames;
  }

  @Override
  public void send(HttpAttempt attempt, Receiver receiver) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.valueOf(attempt.options().method()))
            .setURI(attempt.url().target());
    connection.request(options).onComplete(result -> made(result, attempt, receiver));
  }

  private void made(AsyncResult<HttpClientRequest> result, HttpAttempt attempt, Receiver receiver) {
    if (reset) {
      if (result.succeeded()) {
        result.result().reset();
      }
    } else if (result.succeeded()) {
      transmit(result.result(), attempt, receiver);
    } else {
      receiver.unsent();
    }
  }

  private void transmit(HttpClientRequest request, HttpAttempt attempt, Receiver receiver) {
    this.request = request;
    receiver.sending();
    boolean describesContent = Http1Request.describesContent(attempt);
    if (describesContent) {
      request.putHeader(HttpHeaders.CONTENT_TYPE, attempt.contentType());
    }
    for (Map.Entry<String, String> header : attempt.headers()) {
      request.headers().add(header.getKey(), header.getValue());
    }
    List<String> wanted = attempt.options().wanted();
    request.response().onComplete(result -> answered(result, wanted, receiver));
    written = describesContent ? request.end(Buffer.buffer(attempt.body())) : request.end();
  }

  private void answered(
      AsyncResult<HttpClientResponse> result, List<String> wanted, Receiver receiver) {
    if (reset) {
      return;
    }
    if (result.failed()) {
      receiver.broken(result.cause(), progress(result.cause()));
      return;
    }
    HttpClientResponse response = result.result();
    response.exceptionHandler(
        fault -> {
          if (!reset) {
            receiver.broken(fault, Progress.ANSWERING);
          }
        });
    MultiMap headers = response.headers();
    receiver.head(
        new ResponseHead(
            response.statusCode(),
            headers.getAll(HttpHeaders.RETRY_AFTER),
            headers.get(HttpHeaders.DATE),
            wanted.isEmpty() ? Map.of() : ResponseHead.pick(wanted, headers::get),
            frames.takeFault(Objects.requireNonNull(request).streamId())));
    if (reset) {
      return;
    }
    response.handler(
        part -> {
          if (!reset) {
            receiver.body(((BufferInternal) part).getByteBuf());
          }
        });
    response.endHandler(
        end -> {
          if (!reset) {
            receiver.end();
          }
        });
  }

  private Progress progress(Throwable fault) {
    long id = Objects.requireNonNull(request).streamId();
    // A negative one was never sent to the endpoint.
    if (id < 0 || frames.isUnprocessed(id)) {
      return Progress.UNPROCESSED;
    }
    if (fault instanceof StreamResetException reset) {
      return reset.getCode() == REFUSED_STREAM ? Progress.UNPROCESSED : Progress.ANSWERING;
    }
    boolean lost = fault instanceof HttpClosedException || fault instanceof IOException;
    return lost && !frames.hasInterim(id) ? Progress.UNANSWERED : Progress.ANSWERING;
  }

  @Override
  public boolean isWritten() {
    return written != null && written.isComplete();
  }

  @Override
  public void reset() {
    reset = true;
    if (request != null) {
      request.reset();
    }
  }
}
