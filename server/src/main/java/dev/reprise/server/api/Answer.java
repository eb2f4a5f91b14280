package dev.reprise.server.api;

import dev.reprise.server.document.Documents;
import java.util.Map;
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
 */
record Answer(
    int status, String contentType, byte[] body, Map<String, String> headers, boolean mustArrive) {
  static final String JSON = "application/json";

  private static final byte[] NO_BODY = {};

  Answer(int status, String contentType, byte[] body, Map<String, String> headers) {
    this(status, contentType, body, headers, false);
  }

  static Answer json(int status, JsonNode body) {
    return json(status, StrictJson.MAPPER.writeValueAsBytes(body));
  }

  /** Returns an answer whose body is a record of {@code dev.reprise.server.document}. */
  static Answer json(int status, Record document) {
    return json(status, Documents.write(document));
  }

  static Answer json(int status, byte[] body) {
    return new Answer(status, JSON, body, Map.of());
  }

  static Answer noContent() {
    return new Answer(204, "", NO_BODY, Map.of());
  }

  Answer withHeaders(Map<String, String> more) {
    return new Answer(status, contentType, body, more, mustArrive);
  }

  Answer thatMustArrive() {
    return new Answer(status, contentType, body, headers, true);
  }
}
