package dev.reprise.cli.service;

import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.Json;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The conversion of a line of the input to a line of a request.
 *
 * @param attributes the attributes of every message
 * @param contentType the content type of the body for endpoints, if the line is a string
 * @param key the prefix of each line's idempotency key, or null
 * @param keyField the field of each line that holds its idempotency key, or null
 */
record LineFormat(
    ObjectNode attributes,
    @Nullable String contentType,
    @Nullable String key,
    @Nullable String keyField) {

  /**
   * Returns the line of the request.
   *
   * @throws CommandFailure when the line is no message; it says why
   */
  String format(String line, long number) {
    String fault = Json.fault(line);
    if (fault != null) {
      // Each line is a document of its own: "line 1" would be taken for a line of the input.
      throw CommandFailure.failed("not JSON: " + fault.replaceFirst("^line 1, ", ""));
    }
    ObjectNode rest = Json.object();
    if (contentType != null) {
      rest.put("contentType", contentType);
    }
    if (key != null) {
      rest.put("idempotencyKey", PublishCommand.checkedKey(key + ":" + number));
    }
    if (keyField != null) {
      JsonNode node = Json.tryRead(line);
      JsonNode value = node == null ? Json.object().path(keyField) : node.path(keyField);
      if (!value.isString() && !value.isNumber()) {
        throw CommandFailure.failed("has no text or number in the field " + keyField);
      }
      rest.put("idempotencyKey", PublishCommand.checkedKey(value.asString()));
    }
    return join(line.strip(), rest, attributes);
  }

  /** Returns a message object whose body is {@code rawBody} as it stands, if there is one. */
  static String join(@Nullable String rawBody, ObjectNode rest, ObjectNode attributes) {
    if (!attributes.isEmpty()) {
      rest.set("attributes", attributes);
    }
    String tail = Json.compact(rest);
    if (rawBody == null) {
      return tail;
    }
    return "{\"body\":" + rawBody + (rest.isEmpty() ? "" : ",") + tail.substring(1);
  }
}
