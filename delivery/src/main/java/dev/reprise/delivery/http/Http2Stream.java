package dev.reprise.delivery.http;

import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.internal.buffer.BufferInternal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One request of an HTTP/2 connection of Vert.x. */
final class Http2Stream implements RequestStream {
  private final HttpClientConnection connection;
  private @Nullable HttpClientRequest request;
  private @Nullable Future<Void> written;
  private boolean reset;

  Http2Stream(HttpClientConnection connection) {
    this.connection = connection;
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
      receiver.broken(result.cause());
      return;
    }
    HttpClientResponse response = result.result();
    response.exceptionHandler(
        fault -> {
          if (!reset) {
            receiver.broken(fault);
          }
        });
    MultiMap headers = response.headers();
    receiver.head(
        new ResponseHead(
            response.statusCode(),
            headers.getAll(HttpHeaders.RETRY_AFTER),
            headers.get(HttpHeaders.DATE),
            wanted.isEmpty() ? Map.of() : ResponseHead.pick(wanted, headers::get)));
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
