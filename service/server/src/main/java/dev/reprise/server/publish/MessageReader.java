package dev.reprise.server.publish;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.delivery.Payload;
import dev.reprise.delivery.body.MessageBodies;
import dev.reprise.policy.document.Violation;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.StrictJson;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads one message: {@code {"body": …, "bodies": {…}, "attributes": {…}}}. Runs over the bytes
 * once; a body that is JSON, and the attributes, are cut out of them as they came, so that a
 * receiver can verify what the publisher has signed.
 */
public final class MessageReader {
  static final int MAX_ATTRIBUTES = 10;

  /** The most strings of a list: a filter compares each of them with each of its conditions. */
  static final int MAX_LIST = 100;

  static final int MAX_KEY_CHARS = 256;
  public static final String JSON_TYPE = "application/json";
  static final String TEXT_TYPE = "text/plain;charset=utf-8";
  static final String BINARY_TYPE = "application/octet-stream";

  private static final Pattern ATTRIBUTE = Pattern.compile("[A-Za-z0-9_.-]{1,256}");
  private static final Pattern MEDIA_TYPE =
      Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+/[!#$%&'*+.^_`|~0-9A-Za-z-]+( *;[ -~]*)?");
  private static final byte[] NOTHING = {};
  private static final ObjectNode NO_ATTRIBUTES = JsonNodeFactory.instance.objectNode();

  private enum Kind {
    JSON,
    TEXT,
    BINARY
  }

  private final byte[] json;
  private final int from;
  private final int to;
  private final boolean keyAllowed;
  private final List<Violation> violations = new ArrayList<>(0);

  private @Nullable Kind kind;
  private byte[] body = NOTHING;
  private int bodies;
  private byte[] rawAttributes = NOTHING;
  private ObjectNode attributes = NO_ATTRIBUTES;
  private byte[] byProtocol = NOTHING;
  private @Nullable String contentType;
  private @Nullable String idempotencyKey;

  private MessageReader(byte[] json, int from, int to, boolean keyAllowed) {
    this.json = json;
    this.from = from;
    this.to = to;
    this.keyAllowed = keyAllowed;
  }

  /**
   * Reads the message that is {@code json[from..to)}.
   *
   * @param keyAllowed whether {@code idempotencyKey} is a field of it
   * @throws ApiException if it breaks a rule
   * @throws Payload.TooLargeException if it is too large
   */
  public static PublishedMessage read(byte[] json, int from, int to, boolean keyAllowed) {
    StrictJson.checkUtf8(json, from, to);
    MessageReader reader = new MessageReader(json, from, to, keyAllowed);
    try (JsonParser parser = StrictJson.parser(json, from, to - from)) {
      reader.read(parser);
    } catch (JacksonException e) {
      throw new ApiException(StrictJson.malformed(e, ""));
    }
    return reader.message();
  }

  /** Refuses a key that is not 1 to 256 visible ASCII characters. */
  public static @Nullable Violation keyViolation(String field, String key) {
    boolean fits =
        !key.isEmpty()
            && key.length() <= MAX_KEY_CHARS
            && key.chars().allMatch(c -> c > 0x20 && c < 0x7f);
    return fits
        ? null
        : new Violation(
            field, quoted(key), "must be 1 to " + MAX_KEY_CHARS + " visible ASCII characters");
  }

  private void read(JsonParser parser) {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw ApiException.invalid(
          "message", describe(parser), "must be an object such as {\"body\": {\"id\": 1}}");
    }
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      JsonToken token = parser.nextToken();
      switch (name) {
        case "body" -> readBody(parser, token);
        case "bodyBase64" -> readBase64(parser, token);
        case "bodies" -> readBodies(parser, token);
        case "attributes" -> readAttributes(parser, token);
        case "contentType" -> contentType = string(parser, token, name);
        case "idempotencyKey" -> {
          String key = string(parser, token, name);
          if (!keyAllowed) {
            violate(name, quoted(key), "is a header here: Idempotency-Key");
          } else if (key != null) {
            Violation violation = keyViolation(name, key);
            if (violation == null) {
              idempotencyKey = key;
            } else {
              violate(violation.path(), violation.value(), violation.rule());
            }
          }
        }
        default -> {
          violate(
              quotedName(name),
              describe(parser),
              "is not a field of a message; fields are body, bodyBase64, bodies, attributes,"
                  + " contentType"
                  + (keyAllowed ? ", idempotencyKey" : ""));
          parser.skipChildren();
        }
      }
    }
    parser.nextToken();
    if (parser.currentToken() != null) {
      throw ApiException.invalid("message", describe(parser), "must be followed by nothing");
    }
  }

  private void readBody(JsonParser parser, JsonToken token) {
    bodies++;
    kind = Kind.JSON;
    switch (token) {
      case VALUE_STRING -> {
        kind = Kind.TEXT;
        String text = parser.getString();
        if (hasLoneSurrogate(text)) {
          violate("body", quoted(text), "must be text: it holds half of a surrogate pair");
        }
        body = text.getBytes(UTF_8);
      }
      case START_OBJECT, START_ARRAY -> body = cutContainer(parser);
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
        // Asking for the length makes the parser read the number to its end, or refuse it.
        int length = parser.getStringLength();
        body = cut(start(parser), start(parser) + length);
      }
      case VALUE_TRUE, VALUE_FALSE ->
          body = cut(start(parser), start(parser) + (token == JsonToken.VALUE_TRUE ? 4 : 5));
      default -> violate("body", "null", "must be an object, array, number, boolean or string");
    }
  }

  private void readBase64(JsonParser parser, JsonToken token) {
    bodies++;
    kind = Kind.BINARY;
    String text = string(parser, token, "bodyBase64");
    if (text != null) {
      try {
        body = Base64.getDecoder().decode(text);
      } catch (IllegalArgumentException e) {
        violate("bodyBase64", quoted(text), "must be base64 (RFC 4648, section 4)");
      }
    }
  }

  private void readBodies(JsonParser parser, JsonToken token) {
    if (token != JsonToken.START_OBJECT) {
      violate("bodies", describe(parser), "must be an object of bodies by protocol");
      parser.skipChildren();
      return;
    }
    byte[] object = cutContainer(parser);
    MessageBodies.problems(StrictJson.read(object, "bodies"))
        .forEach(problem -> violate(problem.path(), problem.value(), problem.rule()));
    byProtocol = object.length > 2 ? object : NOTHING;
  }

  private void readAttributes(JsonParser parser, JsonToken token) {
    if (token != JsonToken.START_OBJECT) {
      violate("attributes", describe(parser), "must be an object");
      parser.skipChildren();
      return;
    }
    int start = start(parser);
    attributes = JsonNodeFactory.instance.objectNode();
    int count = 0;
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String name = parser.currentName();
      if (!ATTRIBUTE.matcher(name).matches()) {
        violate("attributes", quoted(name), "must be names of 1 to 256 letters, digits, and _ . -");
      }
      if (++count == MAX_ATTRIBUTES + 1) {
        violate("attributes", "more than " + MAX_ATTRIBUTES, "must be at most " + MAX_ATTRIBUTES);
      }
      readAttribute(parser, name, parser.nextToken());
    }
    if (count > 0) {
      rawAttributes = cut(start, end(parser));
    }
  }

  private void readAttribute(JsonParser parser, String name, JsonToken token) {
    switch (token) {
      case VALUE_STRING -> attributes.put(name, parser.getString());
      case VALUE_NUMBER_INT -> attributes.put(name, parser.getBigIntegerValue());
      case VALUE_NUMBER_FLOAT -> {
        try {
          attributes.put(name, parser.getDecimalValue());
        } catch (NumberFormatException e) {
          violate("attributes." + quotedName(name), describe(parser), StrictJson.NUMBER_RULE);
        }
      }
      case VALUE_TRUE, VALUE_FALSE -> attributes.put(name, token == JsonToken.VALUE_TRUE);
      case START_ARRAY -> {
        readList(parser, name);
      }
      default -> {
        violateAttribute(name, describe(parser));
        parser.skipChildren();
      }
    }
  }

  private void readList(JsonParser parser, String name) {
    ArrayNode list = attributes.putArray(name);
    boolean strings = true;
    int count = 0;
    JsonToken element = parser.nextToken();
    while (element != JsonToken.END_ARRAY) {
      if (element != JsonToken.VALUE_STRING) {
        strings = false;
        parser.skipChildren();
      } else if (++count <= MAX_LIST) {
        list.add(parser.getString());
      }
      element = parser.nextToken();
    }
    if (!strings) {
      violateAttribute(name, "a list");
    }
    if (count > MAX_LIST) {
      violate(
          "attributes." + quotedName(name),
          "a list of " + count + " strings",
          "must have at most " + MAX_LIST);
    }
  }

  private void violateAttribute(String name, String value) {
    violate(
        "attributes." + quotedName(name),
        value,
        "must be a string, a number, true, false or a list of strings");
  }

  private PublishedMessage message() {
    if (bodies != 1) {
      violate(
          "body",
          bodies == 0 ? "absent" : "given twice",
          "must be given once, as body or as bodyBase64");
    }
    String type = checkType();
    if (!violations.isEmpty()) {
      throw new ApiException(ApiError.invalid(violations));
    }
    return new PublishedMessage(
        new Payload(type, rawAttributes, body, byProtocol), attributes, idempotencyKey);
  }

  private String checkType() {
    String given = contentType;
    if (given == null) {
      return kind == Kind.TEXT ? TEXT_TYPE : kind == Kind.BINARY ? BINARY_TYPE : JSON_TYPE;
    }
    if (given.length() > 256 || !MEDIA_TYPE.matcher(given).matches()) {
      violate("contentType", quoted(given), "must be a media type such as text/csv");
    } else if (kind == Kind.JSON) {
      violate("contentType", given, "must be absent: a body that is JSON is sent as " + JSON_TYPE);
    } else if (violations.isEmpty()) {
      checkClaim(given.toLowerCase(Locale.ROOT));
    }
    return given;
  }

  /** An envelope holds JSON and text as they are: they must be what the publisher calls them. */
  private void checkClaim(String type) {
    if (type.equals(JSON_TYPE)) {
      StrictJson.read(body, kind == Kind.TEXT ? "body" : "bodyBase64");
    } else if (kind == Kind.BINARY
        && type.startsWith("text/")
        && (!type.contains("charset=") || type.contains("utf-8"))
        && !StrictJson.isUtf8(body)) {
      violate("bodyBase64", "other bytes", "must be UTF-8, as contentType " + type + " says");
    }
  }

  private @Nullable String string(JsonParser parser, JsonToken token, String field) {
    if (token == JsonToken.VALUE_STRING) {
      return parser.getString();
    }
    violate(field, describe(parser), "must be a string");
    parser.skipChildren();
    return null;
  }

  private void violate(String field, String value, String rule) {
    if (violations.size() <= ApiError.MAX_VIOLATIONS) {
      violations.add(new Violation(field, value, rule));
    }
  }

  private byte[] cutContainer(JsonParser parser) {
    int start = start(parser);
    parser.skipChildren();
    return cut(start, end(parser));
  }

  private int start(JsonParser parser) {
    return from + (int) parser.currentTokenLocation().getByteOffset();
  }

  private int end(JsonParser parser) {
    return from + (int) parser.currentLocation().getByteOffset();
  }

  private byte[] cut(int start, int end) {
    if (end > to) {
      throw new IllegalStateException("a value ends at " + end + ", behind the message's " + to);
    }
    return Arrays.copyOfRange(json, start, end);
  }

  private static boolean hasLoneSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        i++;
      } else if (Character.isSurrogate(c)) {
        return true;
      }
    }
    return false;
  }

  private static String describe(JsonParser parser) {
    JsonToken token = parser.currentToken();
    if (token == null) {
      return "nothing";
    }
    return switch (token) {
      case START_OBJECT -> "an object";
      case START_ARRAY -> "a list";
      case VALUE_STRING -> quoted(parser.getString());
      default -> shortened(String.valueOf(parser.getString()));
    };
  }

  private static String quotedName(String name) {
    return ATTRIBUTE.matcher(name).matches() ? shortened(name) : quoted(name);
  }

  private static String quoted(@Nullable String text) {
    return text == null ? "null" : JsonNodeFactory.instance.stringNode(shortened(text)).toString();
  }

  private static String shortened(String text) {
    return text.length() <= 60 ? text : text.substring(0, 60) + "…";
  }
}
