package dev.reprise.endpoints.aws;

import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An error as SQS and Lambda return it. Reads whatever comes: it is from the network.
 *
 * @param code such as {@code QueueDoesNotExist}; empty if none was given
 * @param message for people, one line of at most 200 characters; may be empty
 */
record AwsError(String code, String message) {
  /** The headers that name errors, in lower case. */
  static final String TYPE_HEADER = "x-amzn-errortype";

  static final String QUERY_HEADER = "x-amzn-query-error";

  /** The last is that of functions that have failed by themselves. */
  private static final List<String> MESSAGE_FIELDS = List.of("message", "Message", "errorMessage");

  private static final int MAX_CODE_CHARS = 100;
  private static final int MAX_MESSAGE_CHARS = 200;
  private static final JsonMapper JSON = JsonMapper.shared();

  /** Reads an error of a response. */
  static AwsError of(Map<String, String> headers, byte[] body) {
    JsonNode document = document(body);
    String code = document.path("__type").asString("");
    if (code.isEmpty()) {
      code = headers.getOrDefault(TYPE_HEADER, "");
    }
    if (code.isEmpty()) {
      code = headers.getOrDefault(QUERY_HEADER, "").replaceAll(";.*", "");
    }
    if (code.isEmpty()) {
      code = document.path("code").asString("");
    }
    String message = "";
    for (String name : MESSAGE_FIELDS) {
      if (message.isEmpty()) {
        message = document.path(name).asString("");
      }
    }
    // com.amazonaws.sqs#QueueDoesNotExist, and ResourceNotFoundException:http://internal…
    String plainCode = code.substring(code.indexOf('#') + 1).replaceAll(":.*", "");
    return new AwsError(line(plainCode, MAX_CODE_CHARS), line(message, MAX_MESSAGE_CHARS));
  }

  private static JsonNode document(byte[] body) {
    try {
      return JSON.readTree(body);
    } catch (JacksonException e) {
      return JSON.createObjectNode();
    }
  }

  private static String line(String text, int most) {
    String line = text.replaceAll("[\\p{Cntrl}\\u2028\\u2029]", " ").strip();
    return line.length() <= most ? line : line.substring(0, most);
  }

  /** Returns both, for people. */
  String describe() {
    return message.isEmpty() ? code : code.isEmpty() ? message : code + ": " + message;
  }
}
