package dev.reprise.smithy.doc;

import dev.reprise.smithy.doc.DocWriter.Piece;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The text of one paragraph, written in ASCII and so that nothing in it means anything to javac, to
 * javadoc or to the end of the comment.
 */
final class DocParagraph {
  private static final char LAST_OF_ASCII = '~';

  private final List<Piece> pieces = new ArrayList<>();
  private final StringBuilder piece = new StringBuilder();
  // Marks without text after them yet: an empty element is an error to javadoc.
  private final List<Mark> waiting = new ArrayList<>();
  private final Deque<Mark> open = new ArrayDeque<>();
  private boolean spaceBeforePiece;
  private boolean space;

  private record Mark(String start, String end) {}

  boolean isEmpty() {
    return pieces.isEmpty() && piece.isEmpty();
  }

  /** Ends the paragraph, closes its open elements, and returns its text. */
  List<Piece> take() {
    waiting.clear();
    while (!open.isEmpty()) {
      piece.append(open.pop().end);
    }
    endPiece();
    List<Piece> taken = List.copyOf(pieces);
    pieces.clear();
    space = false;
    spaceBeforePiece = false;
    return taken;
  }

  void space() {
    space = true;
  }

  void text(String text) {
    text.codePoints()
        .forEach(
            c -> {
              if (c == ' ' || c == '\n') {
                space = true;
              } else {
                beforeText();
                append(piece, c);
              }
            });
  }

  void start(String start, String end) {
    waiting.add(new Mark(start, end));
  }

  /** Ends what was last started with this end, unless the paragraph ended in between. */
  void end(String end) {
    for (int i = waiting.size() - 1; i >= 0; i--) {
      if (waiting.get(i).end.equals(end)) {
        waiting.remove(i);
        return;
      }
    }
    if (open.stream().noneMatch(mark -> mark.end.equals(end))) {
      return;
    }
    String closed;
    do {
      closed = open.pop().end;
      piece.append(closed);
    } while (!closed.equals(end));
  }

  /** Adds code, in the form that shows it as it is. */
  void code(String text) {
    String[] words = text.strip().split("[ \n]+", -1);
    if (words[0].isEmpty()) {
      return;
    }
    String code = String.join(" ", words);
    beforeText();
    if (isPlainCode(code)) {
      piece.append("{@code");
      for (String word : words) {
        endPiece();
        spaceBeforePiece = true;
        piece.append(word);
      }
      piece.append('}');
      return;
    }
    endPiece();
    pieces.add(new Piece("<code>", spaceBeforePiece));
    pieces.add(new Piece(escaped(code), false));
    pieces.add(new Piece("</code>", false));
    spaceBeforePiece = false;
  }

  /** Whether javac shows the text unchanged in a tag for code. */
  static boolean isPlainCode(String text) {
    int depth = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      char before = i == 0 ? ' ' : text.charAt(i - 1);
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
      boolean endOfComment = (c == '/' && before == '*') || (c == '*' && before == '/');
      boolean unicodeEscape = c == 'u' && before == '\\';
      boolean tag = c == '@' && !Character.isLetterOrDigit(before);
      if (depth < 0 || endOfComment || unicodeEscape || tag || c > LAST_OF_ASCII) {
        return false;
      }
    }
    return depth == 0;
  }

  static String escaped(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 8);
    text.codePoints().forEach(c -> append(escaped, c));
    return escaped.toString();
  }

  private void beforeText() {
    if (space) {
      boolean nothingBefore = isEmpty();
      endPiece();
      spaceBeforePiece = !nothingBefore;
      space = false;
    }
    for (Mark mark : waiting) {
      // javac ends a tag's name at white space, and so may a line.
      for (String word : mark.start.split(" ", -1)) {
        if (!word.equals(mark.start) && word.startsWith("href")) {
          endPiece();
          spaceBeforePiece = true;
        }
        piece.append(word);
      }
      open.push(mark);
    }
    waiting.clear();
  }

  private void endPiece() {
    if (!piece.isEmpty()) {
      pieces.add(new Piece(piece.toString(), spaceBeforePiece));
      piece.setLength(0);
      spaceBeforePiece = false;
    }
  }

  private static void append(StringBuilder out, int c) {
    char before = out.isEmpty() ? ' ' : out.charAt(out.length() - 1);
    boolean escape =
        switch (c) {
          case '\\' -> true;
          case '@' -> !Character.isLetterOrDigit(before);
          case '/' -> before == '*';
          case '*' -> before == '/';
          // The file is the same in every encoding that javac may be told.
          default -> c > LAST_OF_ASCII;
        };
    if (escape) {
      out.append("&#").append(c).append(';');
    } else if (c == '&') {
      out.append("&amp;");
    } else if (c == '<') {
      out.append("&lt;");
    } else if (c == '>') {
      out.append("&gt;");
    } else {
      out.append((char) c);
    }
  }
}
