package dev.reprise.smithy.template;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Where everything in a JSON text is, noted down in the one pass that checks it: no part of the
 * text is ever stepped through again to find out where it ends.
 *
 * <p>Values and names of members have places, counted from 0 in the order of the text. After a list
 * come its elements, after an object the name and the value of each member. {@link #next} leads
 * past a value and all that is in it. A place costs 12 to 18 bytes.
 */
final class JsonTape {
  private static final int INTS_PER_PLACE = 3;

  private final byte[] json;

  /** For each place where it starts, where it ends, and which place is the next outside of it. */
  private int[] noted = new int[INTS_PER_PLACE];

  private int places;

  /** Creates an empty tape; the bytes are not copied. */
  JsonTape(byte[] json) {
    this.json = json;
  }

  /** Returns a tape with one place, which is the whole text, JSON or not. */
  static JsonTape whole(byte[] text) {
    JsonTape tape = new JsonTape(text);
    tape.end(tape.begin(0), text.length);
    return tape;
  }

  /** Adds a place that starts here, and returns it. */
  int begin(int start) {
    int at = places * INTS_PER_PLACE;
    if (at == noted.length) {
      int more = Math.max(16, places / 2);
      noted = Arrays.copyOf(noted, (places + more) * INTS_PER_PLACE);
    }
    noted[at] = start;
    return places++;
  }

  /** Ends the place, and with it all that was added since it began. */
  void end(int place, int end) {
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
      if (inString || !JsonReader.isWhitespace(b)) {
        compact.write(b);
      }
      if (b == '"' && !escaped) {
        inString = !inString;
      }
      escaped = b == '\\' && !escaped;
    }
    return compact.toString(StandardCharsets.UTF_8);
  }

  /**
   * Returns what the string or name at the place stands for. Malformed UTF-8 and halves of a
   * character that stand alone become U+FFFD.
   */
  String string(int place) {
    StringBuilder text = new StringBuilder();
    int first = start(place) + 1;
    int end = end(place) - 1;
    int plain = first;
    int i = first;
    while (i < end) {
      if (json[i] != '\\') {
        i++;
        continue;
      }
      text.append(utf8(plain, i));
      if (json[i + 1] == 'u') {
        text.append((char) Integer.parseInt(utf8(i + 2, i + 6), 16));
        i += 6;
      } else {
        text.append(escaped((char) json[i + 1]));
        i += 2;
      }
      plain = i;
    }
    String rest = utf8(plain, end);
    return plain == first ? rest : withoutHalves(text.append(rest));
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

  private static char escaped(char letter) {
    return switch (letter) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      default -> letter;
    };
  }

  /** Half a character cannot be written as UTF-8, so others would refuse the string. */
  private static String withoutHalves(StringBuilder text) {
    return text.codePoints()
        .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? 0xFFFD : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }
}
