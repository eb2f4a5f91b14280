package dev.reprise.smithy.layout;

import java.util.ArrayList;
import java.util.List;

/**
 * A piece of Java source: a word, a literal, a comment or a sign.
 *
 * @param from where it begins in the source
 */
record Token(Kind kind, String text, int from) {
  enum Kind {
    WORD,
    LITERAL,
    TEXT_BLOCK,
    COMMENT,
    SIGN
  }

  /** Longest first. {@code >>} is not among them: it also closes two type argument lists. */
  private static final List<String> SIGNS =
      List.of(
          "...", "<<=", "->", "::", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=",
          "%=", "&=", "|=", "^=", "++", "--", "<<");

  boolean is(String value) {
    return (kind == Kind.SIGN || kind == Kind.WORD) && text.equals(value);
  }

  int to() {
    return from + text.length();
  }

  /** Returns the tokens of a source that the compiler accepts; white space is left out. */
  static List<Token> of(String source) {
    List<Token> tokens = new ArrayList<>();
    int at = 0;
    while (at < source.length()) {
      char c = source.charAt(at);
      if (Character.isWhitespace(c)) {
        at++;
        continue;
      }
      Token token = at(source, at);
      tokens.add(token);
      at = token.to();
    }
    return tokens;
  }

  private static Token at(String source, int from) {
    char c = source.charAt(from);
    if (source.startsWith("//", from)) {
      int end = source.indexOf('\n', from);
      return token(Kind.COMMENT, source, from, end < 0 ? source.length() : end);
    }
    if (source.startsWith("/*", from)) {
      int end = source.indexOf("*/", from + 2);
      return token(Kind.COMMENT, source, from, end < 0 ? source.length() : end + 2);
    }
    if (source.startsWith("\"\"\"", from)) {
      return token(Kind.TEXT_BLOCK, source, from, endOfLiteral(source, from + 3, "\"\"\""));
    }
    if (c == '"' || c == '\'') {
      return token(Kind.LITERAL, source, from, endOfLiteral(source, from + 1, String.valueOf(c)));
    }
    if (Character.isJavaIdentifierStart(c) || Character.isSurrogate(c)) {
      int end = from + 1;
      while (end < source.length() && isPartOfName(source.charAt(end))) {
        end++;
      }
      return token(Kind.WORD, source, from, end);
    }
    if (isDigit(c)
        || (c == '.' && from + 1 < source.length() && isDigit(source.charAt(from + 1)))) {
      return token(Kind.LITERAL, source, from, endOfNumber(source, from));
    }
    for (String sign : SIGNS) {
      if (source.startsWith(sign, from)) {
        return token(Kind.SIGN, source, from, from + sign.length());
      }
    }
    return token(Kind.SIGN, source, from, from + 1);
  }

  private static Token token(Kind kind, String source, int from, int to) {
    return new Token(kind, source.substring(from, to), from);
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isPartOfName(char c) {
    return Character.isJavaIdentifierPart(c) || Character.isSurrogate(c);
  }

  private static int endOfNumber(String source, int from) {
    int end = from + 1;
    while (end < source.length()) {
      char c = source.charAt(end);
      char before = source.charAt(end - 1);
      boolean signOfExponent =
          (c == '+' || c == '-')
              && (before == 'e' || before == 'E')
              && !source.startsWith("0x", from);
      if (!isPartOfName(c) && c != '.' && !signOfExponent) {
        return end;
      }
      end++;
    }
    return end;
  }

  private static int endOfLiteral(String source, int from, String mark) {
    int at = from;
    while (at < source.length() && !source.startsWith(mark, at)) {
      at += source.charAt(at) == '\\' ? 2 : 1;
    }
    return Math.min(at + mark.length(), source.length());
  }
}
