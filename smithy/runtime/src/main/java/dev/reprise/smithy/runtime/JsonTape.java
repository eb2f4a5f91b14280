package dev.reprise.smithy.runtime;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/**
 * The place of every value in a JSON text, noted in the one pass in which Jackson checks it: no
 * part of the text is stepped through again to find out where it ends.
 *
 * <p>Values and names of members have places, counted from 0 in the order of the text. After a list
 * come its elements, after an object the name and the value of each member. {@link #next} leads
 * past a value and all that is in it. A place costs 12 to 18 bytes.
 */
final class JsonTape {
  /** The depth to which lists and objects may be nested. */
  static final int MAX_DEPTH = 128;

  private static final int INTS_PER_PLACE = 3;

  private static final JsonFactory JACKSON =
      JsonFactory.builder()
          // Names come from a server: many of one hash must cost time only, and not the error.
          .disable(TokenStreamFactory.Feature.FAIL_ON_SYMBOL_HASH_OVERFLOW)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNameLength(JsonValue.MAX_LENGTH)
                  .maxStringLength(JsonValue.MAX_LENGTH)
                  .maxNumberLength(JsonValue.MAX_LENGTH)
                  .build())
          .build();

  private final byte[] json;

  /** The start and the end of each place, and the next place outside of it. */
  private int[] noted = new int[INTS_PER_PLACE];

  private int places;

  private JsonTape(byte[] json) {
    this.json = json;
  }

  /** Returns a tape with one place, which is the whole text, JSON or not. */
  static JsonTape whole(byte[] text) {
    JsonTape tape = new JsonTape(text);
    tape.end(tape.begin(0), text.length);
    return tape;
  }

  /**
   * Returns the tape of a JSON text, with the whole value at place 0; empty if the text is
   * malformed, empty, or nested deeper than {@link #MAX_DEPTH}. Malformed UTF-8 becomes U+FFFD,
   * which strings may have: one bad byte in a message should not cost the error its code.
   *
   * @param json the text in UTF-8, with or without a byte order mark
   */
  static Optional<JsonTape> read(byte[] json) {
    String text = new String(json, StandardCharsets.UTF_8);
    // JSON has no such character, and Jackson would take the text for UTF-16.
    if (text.indexOf('\0') >= 0) {
      return Optional.empty();
    }
    JsonTape tape = new JsonTape(text.getBytes(StandardCharsets.UTF_8));
    try (JsonParser parser = tape.parser(0)) {
      return tape.note(parser) ? Optional.of(tape) : Optional.empty();
    } catch (JacksonException malformed) {
      return Optional.empty();
    }
  }

  private JsonParser parser(int start) {
    return JACKSON.createParser(ObjectReadContext.empty(), json, start, json.length - start);
  }

  /** Notes the one value of the text; returns false if there is none, or something after it. */
  private boolean note(JsonParser parser) {
    int[] open = new int[MAX_DEPTH];
    int depth = 0;
    int values = 0;
    for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
      if (token.isStructEnd()) {
        depth--;
        end(open[depth], offset(parser.currentLocation()));
        continue;
      }
      values += depth == 0 ? 1 : 0;
      int start = offset(parser.currentTokenLocation());
      int place = begin(start);
      if (token.isStructStart()) {
        open[depth++] = place;
      } else if (token == JsonToken.VALUE_STRING) {
        parser.finishToken();
        end(place, offset(parser.currentLocation()));
      } else if (token == JsonToken.PROPERTY_NAME) {
        // Jackson is past the colon by now; the end of a name is not needed.
        end(place, start);
      } else {
        end(place, start + parser.getStringLength());
      }
    }
    return values == 1;
  }

  private static int offset(TokenStreamLocation location) {
    return (int) location.getByteOffset();
  }

  /** Adds a place that starts here, and returns it. */
  private int begin(int start) {
    int at = places * INTS_PER_PLACE;
    if (at == noted.length) {
      int more = Math.max(16, places / 2);
      noted = Arrays.copyOf(noted, (places + more) * INTS_PER_PLACE);
    }
    noted[at] = start;
    return places++;
  }

  /** Ends the place, and with it all that was added since it began. */
  private void end(int place, int end) {
    noted[place * INTS_PER_PLACE + 1] = end;
    noted[place * INTS_PER_PLACE + 2] = places;
  }

  /** Returns the place after the value and all that is in it. */
  int next(int place) {
    return noted[place * INTS_PER_PLACE + 2];
  }

  /** Returns how many bytes of text the place has. */
  int length(int place) {
    return end(place) - start(place);
  }

  /** Returns the first byte, which tells what kind of value it is. */
  byte firstByte(int place) {
    return json[start(place)];
  }

  /** Returns the text of the place as it was sent. */
  String text(int place) {
    return utf8(start(place), end(place));
  }

  /** Returns the text of the place without whitespace outside of strings. */
  String compact(int place) {
    ByteArrayOutputStream compact = new ByteArrayOutputStream(length(place));
    boolean inString = false;
    boolean escaped = false;
    for (int i = start(place); i < end(place); i++) {
      byte b = json[i];
      if (inString || !isWhitespace(b)) {
        compact.write(b);
      }
      if (b == '"' && !escaped) {
        inString = !inString;
      }
      escaped = b == '\\' && !escaped;
    }
    return compact.toString(StandardCharsets.UTF_8);
  }

  private static boolean isWhitespace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  /**
   * Returns the text that the string or name at the place stands for. Halves of a character that
   * stand alone become U+FFFD.
   */
  String string(int place) {
    try (JsonParser parser = parser(start(place))) {
      parser.nextToken();
      return withoutHalves(parser.getString());
    }
  }

  private int start(int place) {
    return noted[place * INTS_PER_PLACE];
  }

  private int end(int place) {
    return noted[place * INTS_PER_PLACE + 1];
  }

  private String utf8(int start, int end) {
    return new String(json, start, end - start, StandardCharsets.UTF_8);
  }

  /** Half a character cannot be written as UTF-8, so others would refuse the string. */
  private static String withoutHalves(String text) {
    if (text.chars().noneMatch(c -> Character.isSurrogate((char) c))) {
      return text;
    }
    return text.codePoints()
        .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 0xFFFD : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
