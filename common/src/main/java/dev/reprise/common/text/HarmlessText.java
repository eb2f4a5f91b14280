package dev.reprise.common.text;

import java.util.Locale;

/**
 * Makes text that comes from elsewhere harmless to the log, the terminal or the page that shows it.
 *
 * <p>A harmful character is invisible and changes how the text around it is shown or read. {@link
 * #isHarmful} decides it for all of the project: control characters (line breaks, tabs, escape
 * sequences of terminals), separators of lines and paragraphs, marks that turn the direction of
 * writing or take no room, halves of surrogate pairs, and noncharacters. The replacement depends on
 * the output: on a line of a log it is a space, in the output of a command it is written out, in a
 * chart it is U+FFFD. Markup is escaped where markup is written.
 */
public final class HarmlessText {
  private static final char REPLACEMENT = '\ufffd';
  private static final String ELLIPSIS = "\u2026";
  private static final String DOTS = "...";

  private static final int ZERO_WIDTH_NON_JOINER = 0x200c;
  private static final int ZERO_WIDTH_JOINER = 0x200d;

  private HarmlessText() {}

  /**
   * Returns true when the character shows nothing of itself and changes how other text is shown or
   * read. The zero-width joiner and non-joiner are harmless: scripts and emoji are written with
   * them.
   *
   * @param codePoint a code point, or a surrogate that stands alone
   */
  public static boolean isHarmful(int codePoint) {
    // Most text is of such characters, and no table has to be asked.
    if (codePoint >= ' ' && codePoint < 0x7f) {
      return false;
    }

    // Whole lines of Persian, and families of emoji, would fall apart.
    if (codePoint == ZERO_WIDTH_JOINER || codePoint == ZERO_WIDTH_NON_JOINER) {
      return false;
    }

    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          true;
      default -> isNoncharacter(codePoint);
    };
  }

  /** Returns true for the code points that will never be characters; XML forbids some of them. */
  private static boolean isNoncharacter(int codePoint) {
    return (codePoint & 0xfffe) == 0xfffe || (codePoint >= 0xfdd0 && codePoint <= 0xfdef);
  }

  /** Returns the text on one line: each run of harmful characters is a space, none at the ends. */
  public static String oneLine(String text) {
    if (!hasHarm(text)) {
      return text.strip();
    }
    StringBuilder line = new StringBuilder(text.length());
    boolean inRun = false;
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      i += Character.charCount(point);
      boolean harmful = isHarmful(point);
      if (!harmful) {
        line.appendCodePoint(point);
      } else if (!inRun) {
        line.append(' ');
      }
      inRun = harmful;
    }
    return line.toString().strip();
  }

  /**
   * Returns the beginning of the text on one line. It is cut first: a text of megabytes costs no
   * more than a short one.
   *
   * @param maxCharacters code points that are kept, at least 0; an ellipsis follows them
   */
  public static String oneLine(String text, int maxCharacters) {
    return oneLine(cut(text, maxCharacters));
  }

  /**
   * Returns the text with harmful characters written out, for a reader who should see them: {@code
   * \n}, {@code \r}, a space for a tab, and {@code \}{@code u001b} for the others.
   */
  public static String visible(String text) {
    if (!hasHarm(text)) {
      return text;
    }
    StringBuilder visible = new StringBuilder(text.length() + 8);
    text.codePoints()
        .forEach(
            point -> {
              switch (point) {
                case '\n' -> visible.append("\\n");
                case '\r' -> visible.append("\\r");
                case '\t' -> visible.append(' ');
                default -> appendVisible(visible, point);
              }
            });
    return visible.toString();
  }

  private static void appendVisible(StringBuilder visible, int point) {
    if (!isHarmful(point)) {
      visible.appendCodePoint(point);
      return;
    }
    for (char unit : Character.toChars(point)) {
      visible.append(String.format(Locale.ROOT, "\\u%04x", (int) unit));
    }
  }

  /**
   * Returns the text with each harmful character replaced by one that takes the same room: a space
   * for a line feed or a tab, U+FFFD for the others.
   */
  public static String replaced(String text) {
    if (!hasHarm(text)) {
      return text;
    }
    StringBuilder replaced = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            point -> {
              if (point == '\n' || point == '\t') {
                replaced.append(' ');
              } else {
                replaced.appendCodePoint(isHarmful(point) ? REPLACEMENT : point);
              }
            });
    return replaced.toString();
  }

  private static boolean hasHarm(String text) {
    return text.codePoints().anyMatch(HarmlessText::isHarmful);
  }

  /**
   * Returns the text, or its beginning and an ellipsis ({@code …}). No character is cut in two.
   *
   * @param maxCharacters code points that are kept, at least 0
   */
  public static String cut(String text, int maxCharacters) {
    int end = endOf(text, maxCharacters);
    return end == text.length() ? text : text.substring(0, end) + ELLIPSIS;
  }

  /**
   * Returns the text if it fits, or its beginning and three dots, which every terminal can show.
   *
   * @param width code points of the result at most, at least 3
   */
  public static String fitted(String text, int width) {
    return endOf(text, width) == text.length()
        ? text
        : text.substring(0, endOf(text, width - DOTS.length())) + DOTS;
  }

  /**
   * Returns the text if it fits, or its beginning and its end with an ellipsis between: names often
   * differ at their ends.
   *
   * @param width code points of the result at most, at least 1
   */
  public static String withoutMiddle(String text, int width) {
    if (endOf(text, width) == text.length()) {
      return text;
    }
    int tail = width * 2 / 5;
    int tailStart = text.offsetByCodePoints(text.length(), -tail);
    return text.substring(0, endOf(text, width - 1 - tail)) + ELLIPSIS + text.substring(tailStart);
  }

  /** Returns where so many code points end; looks no further than it has to. */
  private static int endOf(String text, int characters) {
    if (characters < 0) {
      throw new IllegalArgumentException("characters is " + characters + ": must be >= 0");
    }
    // There are never more code points than units.
    if (text.length() <= characters) {
      return text.length();
    }
    int end = 0;
    for (int i = 0; i < characters && end < text.length(); i++) {
      end += Character.charCount(text.codePointAt(end));
    }
    return end;
  }
}
