package dev.reprise.smithy.template;

import java.util.Optional;

/**
 * Steps once through JSON text (RFC 8259) and notes down where everything is. Every step that
 * returns a boolean returns false when the text is malformed there, and throws nothing.
 *
 * <p>Values may be nested {@value #MAX_DEPTH} deep; deeper ones count as malformed, so that no text
 * overflows the stack. Malformed UTF-8 inside a string is let through: one bad byte in a message
 * should not cost the error its code.
 */
final class JsonReader {
  /** How deep lists and objects may be nested. */
  static final int MAX_DEPTH = 128;

  private final byte[] json;
  private final JsonTape tape;
  private int at;

  private JsonReader(byte[] json) {
    this.json = json;
    this.tape = new JsonTape(json);
  }

  /**
   * Returns where everything in the text is, with the whole value at place 0; empty when the text
   * is malformed, empty, or nested too deep.
   *
   * @param json the text in UTF-8, with or without a byte order mark; it is not copied
   */
  static Optional<JsonTape> read(byte[] json) {
    JsonReader reader = new JsonReader(json);
    reader.skipByteOrderMark();
    return reader.value(0) && reader.isAtEnd() ? Optional.of(reader.tape) : Optional.empty();
  }

  static boolean isWhitespace(byte b) {
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
  }

  private void skipByteOrderMark() {
    // Some programs begin UTF-8 with these three bytes.
    if (json.length >= 3
        && json[0] == (byte) 0xEF
        && json[1] == (byte) 0xBB
        && json[2] == (byte) 0xBF) {
      at = 3;
    }
  }

  private boolean isAtEnd() {
    skipWhitespace();
    return at == json.length;
  }

  private boolean value(int depth) {
    skipWhitespace();
    if (at == json.length) {
      return false;
    }
    int place = tape.begin(at);
    boolean wellFormed = wellFormed(depth);
    tape.end(place, at);
    return wellFormed;
  }

  private boolean wellFormed(int depth) {
    return switch (json[at]) {
      case '{' -> depth < MAX_DEPTH && object(depth + 1);
      case '[' -> depth < MAX_DEPTH && list(depth + 1);
      case '"' -> string();
      case 't' -> word("true");
      case 'f' -> word("false");
      case 'n' -> word("null");
      default -> number();
    };
  }

  private boolean object(int depth) {
    at++;
    if (take('}')) {
      return true;
    }
    do {
      if (!name() || !take(':') || !value(depth)) {
        return false;
      }
    } while (take(','));
    return take('}');
  }

  private boolean list(int depth) {
    at++;
    if (take(']')) {
      return true;
    }
    do {
      if (!value(depth)) {
        return false;
      }
    } while (take(','));
    return take(']');
  }

  private boolean name() {
    skipWhitespace();
    int place = tape.begin(at);
    boolean wellFormed = string();
    tape.end(place, at);
    return wellFormed;
  }

  private boolean string() {
    if (!takeHere('"')) {
      return false;
    }
    while (at < json.length) {
      byte b = json[at++];
      if (b == '"') {
        return true;
      }
      if (b == '\\') {
        if (!escape()) {
          return false;
        }
      } else if (b >= 0 && b < ' ') {
        return false;
      }
    }
    return false;
  }

  private boolean escape() {
    if (takeHere('u')) {
      int end = at + 4;
      while (at < end && at < json.length && isHexDigit(json[at])) {
        at++;
      }
      return at == end;
    }
    return at < json.length && "\"\\/bfnrt".indexOf(json[at++]) >= 0;
  }

  private boolean number() {
    takeHere('-');
    if (!takeHere('0') && !digits()) {
      return false;
    }
    if (takeHere('.') && !digits()) {
      return false;
    }
    if (!takeHere('e') && !takeHere('E')) {
      return true;
    }
    if (!takeHere('+')) {
      takeHere('-');
    }
    return digits();
  }

  private boolean word(String word) {
    for (int i = 0; i < word.length(); i++) {
      if (!takeHere(word.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  private boolean digits() {
    int start = at;
    while (at < json.length && json[at] >= '0' && json[at] <= '9') {
      at++;
    }
    return at > start;
  }

  /** Goes past the character, and whitespace before it, when it comes next. */
  private boolean take(char expected) {
    skipWhitespace();
    return takeHere(expected);
  }

  private void skipWhitespace() {
    while (at < json.length && isWhitespace(json[at])) {
      at++;
    }
  }

  private boolean takeHere(char expected) {
    if (at < json.length && json[at] == expected) {
      at++;
      return true;
    }
    return false;
  }

  private static boolean isHexDigit(byte b) {
    return b >= 0 && Character.digit(b, 16) >= 0;
  }
}
