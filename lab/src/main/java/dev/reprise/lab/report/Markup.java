package dev.reprise.lab.report;

import dev.reprise.common.text.HarmlessText;

/**
 * Writes HTML. Whatever comes from outside passes {@link #escaped}; names of elements and of
 * attributes do not. Not thread-safe.
 */
final class Markup {
  private final StringBuilder text = new StringBuilder();

  /** Begins an element; attributes are pairs of name and value. */
  Markup open(String tag, String... attributes) {
    text.append('<').append(tag);
    for (int i = 0; i < attributes.length; i += 2) {
      text.append(' ').append(attributes[i]).append("=\"").append(escaped(attributes[i + 1]));
      text.append('"');
    }
    text.append('>');
    return this;
  }

  /** Writes an element that holds text. */
  Markup element(String tag, String content, String... attributes) {
    return open(tag, attributes).text(content).close(tag);
  }

  Markup close(String tag) {
    text.append("</").append(tag).append('>');
    return this;
  }

  Markup text(String content) {
    text.append(escaped(content));
    return this;
  }

  /** Takes over what is markup already. */
  Markup raw(String markup) {
    text.append(markup);
    return this;
  }

  /** Ends the line, so that differences of two reports can be read. */
  Markup line() {
    text.append('\n');
    return this;
  }

  @Override
  public String toString() {
    return text.toString();
  }

  /**
   * Returns text that is safe between tags and in quoted attributes. Harmful characters become
   * U+FFFD.
   */
  static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(
            point -> {
              switch (point) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                case '\'' -> escaped.append("&#39;");
                default -> escaped.appendCodePoint(isHarmful(point) ? 0xFFFD : point);
              }
            });
    return escaped.toString();
  }

  /** White space is kept, as the breaks of lines are where a report holds some. */
  private static boolean isHarmful(int point) {
    return point != '\n' && point != '\t' && HarmlessText.isHarmful(point);
  }
}
