package dev.reprise.server.http;

import dev.reprise.server.document.Documents;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerResponse;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The answer to a request.
 *
 * @param status the HTTP status
 * @param contentType the media type of the body; empty without a body
 * @param body the body
 * @param headers further headers
 * @param mustArrive whether it reports a change that was made, so that it must not be replaced by
 *     another answer
 * @param transfer sends what follows, bit by bit; null if the body is all
 */
public record Answer(
    int status,
    String contentType,
    byte[] body,
    Map<String, String> headers,
    boolean mustArrive,
    @Nullable Transfer transfer) {
  public static final String JSON = "application/json";

  private static final byte[] NO_BODY = {};

  public Answer(int status, String contentType, byte[] body, Map<String, String> headers) {
    this(status, contentType, body, headers, false, null);
  }

  public static Answer json(int status, JsonNode body) {
    return json(status, StrictJson.MAPPER.writeValueAsBytes(body));
  }

  /** Returns an answer whose body is a record of {@code dev.reprise.server.document}. */
  public static Answer json(int status, Record document) {
    return json(status, Documents.write(document));
  }

  public static Answer json(int status, byte[] body) {
    return new Answer(status, JSON, body, Map.of());
  }

  /**
   * Returns an answer that goes on until its source or its client ends it. Proxies are told not to
   * compress it: a compressor may hold the end of an event until the next one comes.
   */
  public static Answer events(EventSource source) {
    return new Answer(
        200,
        "text/event-stream",
        NO_BODY,
        Map.of("Cache-Control", "no-store, no-transform", "X-Accel-Buffering", "no"),
        false,
        new Transfer() {
          @Override
          public Future<Void> begin(HttpServerResponse response, EventLoopQueue queue) {
            return EventStream.open(response, queue, source);
          }

          @Override
          public void drop() {
            source.drop();
          }
        });
  }

  /** Returns an answer whose body is sent bit by bit. */
  public static Answer transfer(String contentType, Transfer transfer) {
    return new Answer(200, contentType, NO_BODY, Map.of(), false, transfer);
  }

  public static Answer noContent() {
    return new Answer(204, "", NO_BODY, Map.of());
  }

  public Answer withHeaders(Map<String, String> more) {
    return new Answer(status, contentType, body, more, mustArrive, transfer);
  }

  public Answer thatMustArrive() {
    return new Answer(status, contentType, body, headers, true, transfer);
  }
}
