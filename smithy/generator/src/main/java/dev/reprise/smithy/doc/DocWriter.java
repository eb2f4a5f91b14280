package dev.reprise.smithy.doc;

import java.util.ArrayList;
import java.util.List;

/**
 * The lines of a Javadoc comment, filled and indented as google-java-format does: blank lines
 * between blocks but not in lists, 2 columns for a list, 4 for what continues an item or a tag.
 */
final class DocWriter {
  private static final int PREFIX = " * ".length();

  private final int width;
  private final List<String> lines = new ArrayList<>();
  private final StringBuilder line = new StringBuilder();
  private int lists;
  private int items;
  private boolean tags;
  // Nothing but an indent, <p> or <li> is on the line: what follows is not moved to the next.
  private boolean atStart = true;

  DocWriter(int width) {
    this.width = width;
  }

  /**
   * A piece of text that no line break is put into.
   *
   * @param space whether white space is before it
   */
  record Piece(String text, boolean space) {}

  boolean isEmpty() {
    return lines.isEmpty() && line.isEmpty();
  }

  void openList() {
    block();
    line.append("<ul>");
    lists++;
  }

  void closeList() {
    newLine();
    lists--;
    indent();
    line.append("</ul>");
    newLine();
  }

  void openItem() {
    newLine();
    indent();
    line.append("<li>");
    atStart = true;
    items++;
  }

  void closeItem() {
    items--;
  }

  /** Writes a paragraph; {@code mark} is false for the first of an item. */
  void paragraph(List<Piece> pieces, boolean mark) {
    if (mark) {
      boolean first = isEmpty();
      block();
      line.append(first ? "" : "<p>");
    }
    fill(pieces);
  }

  void preformatted(String open, List<String> content, String close) {
    block();
    line.append(open);
    for (String text : content) {
      newLine();
      if (text.isBlank()) {
        lines.add("");
      }
      line.append(text.isBlank() ? "" : text);
    }
    newLine();
    line.append(close);
    newLine();
  }

  void tag(List<Piece> pieces) {
    newLine();
    if (!tags && !lines.isEmpty()) {
      lines.add("");
    }
    tags = true;
    fill(pieces);
  }

  /** Returns the comment, without lines if nothing was written. */
  List<String> comment() {
    newLine();
    if (lines.isEmpty()) {
      return List.of();
    }
    String first = lines.get(0);
    if (lines.size() == 1 && !tags && first.length() <= width - "/**  */".length()) {
      return List.of("/** " + first + " */");
    }
    List<String> comment = new ArrayList<>(lines.size() + 2);
    comment.add("/**");
    lines.forEach(text -> comment.add(text.isEmpty() ? " *" : " * " + text));
    comment.add(" */");
    return comment;
  }

  private void block() {
    newLine();
    if (!lines.isEmpty() && lists == 0) {
      lines.add("");
    }
    indent();
  }

  private void indent() {
    line.append(" ".repeat(4 * items + 2 * lists));
    atStart = true;
  }

  private void newLine() {
    if (!line.isEmpty()) {
      lines.add(line.toString().stripTrailing());
      line.setLength(0);
    }
    atStart = true;
  }

  private void fill(List<Piece> pieces) {
    for (Piece piece : pieces) {
      boolean space = piece.space() && !atStart;
      int needed = piece.text().length() + (space ? 1 : 0);
      if (!atStart && PREFIX + line.length() + needed > width) {
        newLine();
        indent();
        line.append(tags ? "    " : "");
        space = false;
      }
      line.append(space ? " " : "").append(piece.text());
      atStart = false;
    }
  }
}
