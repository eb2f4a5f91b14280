package dev.reprise.server.http;

import dev.reprise.policy.document.JsonFault;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON as this API takes it: UTF-8 without a byte order mark, no field twice, nothing after the
 * end, no more than {@value #MAX_DEPTH} levels. Malformed text is refused with line and column.
 */
public final class StrictJson {
  /** The depth to which objects and arrays may be nested: deeper JSON is an attack. */
  static final int MAX_DEPTH = 100;

  /**
   * The rule for numbers: JSON allows an exponent of eleven digits, {@code BigDecimal} does not.
   */
  public static final String NUMBER_RULE =
      "must be a number whose exponent has at most nine digits";

  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .build();

  public static final JsonMapper MAPPER =
      JsonMapper.builder(FACTORY)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private StrictJson() {}

  /** Reads a whole document. */
  public static JsonNode read(byte[] json) {
    return read(json, "");
  }

  /**
   * Reads a whole document that came in {@code field}.
   *
   * @param field what to call it in errors; empty for the body of the request
   */
  public static JsonNode read(byte[] json, String field) {
    checkUtf8(json, 0, json.length);
    try {
      JsonNode node = MAPPER.readTree(json);
      if (node.isMissingNode()) {
        throw new ApiException(malformed(1, 1, "there is nothing", field));
      }
      return node;
    } catch (JacksonException e) {
      throw new ApiException(malformed(e, field));
    } catch (NumberFormatException e) {
      throw new ApiException(outOfRange(json, field));
    }
  }

  /** Looks for the number again, of which the reader of whole documents does not say the place. */
  private static ApiError outOfRange(byte[] json, String field) {
    try (JsonParser parser = parser(json, 0, json.length)) {
      while (parser.nextToken() != null) {
        try {
          if (parser.currentToken() == JsonToken.VALUE_NUMBER_FLOAT) {
            parser.getDecimalValue();
          }
        } catch (NumberFormatException e) {
          String path = parser.streamReadContext().pathAsPointer().toString().replace('/', '.');
          String place = field + (field.isEmpty() && !path.isEmpty() ? path.substring(1) : path);
          return ApiError.invalid(
              place.isEmpty() ? "body" : RequestFields.shortened(place),
              RequestFields.shortened(parser.getString()),
              NUMBER_RULE);
        }
      }
    }
    return ApiError.of(400, "invalid", "a number is out of range: it " + NUMBER_RULE);
  }

  /** A parser of a part that {@link #checkUtf8} has seen. */
  public static JsonParser parser(byte[] json, int from, int length) {
    return FACTORY.createParser(ObjectReadContext.empty(), json, from, length);
  }

  public static ApiError malformed(JacksonException e, String field) {
    TokenStreamLocation at = e.getLocation();
    return at == null
        ? malformed(0, 0, JsonFault.describe(e), field)
        : malformed(at.getLineNr(), at.getColumnNr(), JsonFault.describe(e), field);
  }

  private static ApiError malformed(int line, int column, String problem, String field) {
    String what = field.isEmpty() ? "malformed JSON" : field + " is malformed JSON";
    String where = line < 1 ? "" : " at line " + line + ", column " + column;
    return ApiError.of(400, "invalid", what + where + ": " + problem);
  }

  /**
   * Refuses what is not UTF-8. The parser replaces or lets pass some of it, and would take UTF-16
   * too, while bodies are handed on byte for byte.
   */
  public static void checkUtf8(byte[] bytes, int from, int to) {
    int at = from;
    if (at < to && (bytes[at] & 0xff) == 0xef) {
      throw new ApiException(malformed(1, 1, "must not begin with a byte order mark", ""));
    }
    if ((at < to && bytes[at] == 0) || (at + 1 < to && bytes[at + 1] == 0)) {
      throw new ApiException(malformed(1, 1, "must be UTF-8", ""));
    }
    while (at < to) {
      if (bytes[at] >= 0) {
        at++;
        continue;
      }
      int length = sequenceLength(bytes, at, to);
      if (length == 0) {
        throw invalidUtf8(bytes, from, at);
      }
      at += length;
    }
  }

  public static boolean isUtf8(byte[] bytes) {
    int at = 0;
    while (at < bytes.length) {
      int length = bytes[at] >= 0 ? 1 : sequenceLength(bytes, at, bytes.length);
      if (length == 0) {
        return false;
      }
      at += length;
    }
    return true;
  }

  private static ApiException invalidUtf8(byte[] bytes, int from, int at) {
    int line = 1;
    int column = 1;
    for (int i = from; i < at; i++) {
      column++;
      if (bytes[i] == '\n') {
        line++;
        column = 1;
      }
    }
    return new ApiException(malformed(line, column, "must be UTF-8", ""));
  }

  /** The length of the well-formed sequence at a place (Unicode 15, table 3-7); 0 if it is not. */
  private static int sequenceLength(byte[] bytes, int at, int to) {
    int first = bytes[at] & 0xff;
    if (first < 0xc2 || first > 0xf4) {
      return 0;
    }
    int length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (at + length > to) {
      return 0;
    }
    int second = bytes[at + 1] & 0xff;
    int lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    int highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    if (second < lowest || second > highest) {
      return 0;
    }
    for (int i = 2; i < length; i++) {
      if ((bytes[at + i] & 0xc0) != 0x80) {
        return 0;
      }
    }
    return length;
  }
}
