package dev.reprise.smithy.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Lays out Java as google-java-format would: statements, declarations and headers that are longer
 * than 100 columns, or that stand on several lines.
 *
 * <p>Forms that are not known here stay as they are if they fit. If they do not fit, they are
 * broken where Java allows it, which may not be where google-java-format would. A line stays too
 * long only if it is a comment, a text block or one word.
 */
public final class LongLines {
  private static final int WIDTH = 100;

  private static final Set<String> BEFORE = Set.of(".", "&&", "||", "+", "?");

  private static final Set<String> AFTER = Set.of(",", "=", "->");

  private final String source;
  private final StringBuilder out = new StringBuilder();
  private int copiedTo;

  private LongLines(String source) {
    this.source = source;
  }

  /** Returns the source with no line longer than 100 columns where Java allows a break. */
  public static String broken(String source) {
    LongLines lines = new LongLines(source);
    List<Token> unit = new ArrayList<>();
    int depth = 0;
    boolean several = false;
    List<Token> tokens = Token.of(source);
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (unit.isEmpty() && (token.kind() == Token.Kind.COMMENT || token.is("}"))) {
        continue;
      }
      unit.add(token);
      depth += change(token);
      Token next = i + 1 < tokens.size() ? tokens.get(i + 1) : null;
      boolean lastOfLine =
          next == null || source.substring(token.to(), next.from()).indexOf('\n') >= 0;
      boolean emptyBody =
          token.is("{") && next != null && next.is("}") && next.from() == token.to();
      several |= !emptyBody && !lastOfLine && ends(unit, depth, false);
      if (lastOfLine && (several || ends(unit, depth, true))) {
        lines.layOut(unit, !several);
        unit.clear();
        several = false;
        depth = 0;
      }
    }
    return lines.out.append(source, lines.copiedTo, source.length()).toString();
  }

  private static int change(Token token) {
    if (token.is("(")) {
      return 1;
    }
    return token.is(")") ? -1 : 0;
  }

  private static boolean ends(List<Token> unit, int depth, boolean lastOfLine) {
    Token token = unit.get(unit.size() - 1);
    if (token.is("{") || token.is("}") || (token.is(";") && depth <= 0)) {
      return true;
    }
    boolean annotation = unit.get(0).is("@") && unit.size() > 1 && !unit.get(1).is("interface");
    boolean label = token.is(":") && (unit.get(0).is("case") || unit.get(0).is("default"));
    return lastOfLine && depth <= 0 && (annotation || label);
  }

  private void layOut(List<Token> unit, boolean single) {
    int from = unit.get(0).from();
    int to = unit.get(unit.size() - 1).to();
    int lineStart = source.lastIndexOf('\n', from) + 1;
    String text = source.substring(lineStart, to);
    boolean oneLine = text.indexOf('\n') < 0;
    if ((oneLine && text.length() <= WIDTH) || unit.get(0).is("import")) {
      return;
    }
    out.append(source, copiedTo, lineStart);
    copiedTo = to;
    boolean known =
        single
            && source.substring(lineStart, from).isBlank()
            && unit.stream()
                .noneMatch(
                    t -> t.kind() == Token.Kind.COMMENT || t.kind() == Token.Kind.TEXT_BLOCK);
    try {
      out.append(known ? StatementLayout.of(unit, from - lineStart) : anywhere(unit, lineStart));
    } catch (JavaReader.Unknown form) {
      out.append(anywhere(unit, lineStart));
    }
  }

  /** Breaks the lines of a unit that are too long, outside of as many brackets as possible. */
  private String anywhere(List<Token> unit, int lineStart) {
    StringBuilder broken = new StringBuilder();
    int start = lineStart;
    List<Token> line = new ArrayList<>();
    for (Token token : unit) {
      int newline = source.lastIndexOf('\n', token.from());
      if (!line.isEmpty() && newline >= end(line)) {
        broken.append(line(line, start)).append(source, end(line), newline + 1);
        line.clear();
        start = newline + 1;
      }
      line.add(token);
    }
    return broken.append(line(line, start)).toString();
  }

  private static int end(List<Token> line) {
    return line.get(line.size() - 1).to();
  }

  private String line(List<Token> line, int start) {
    String text = source.substring(start, end(line));
    boolean fixed =
        line.stream()
            .anyMatch(t -> t.kind() == Token.Kind.COMMENT || t.kind() == Token.Kind.TEXT_BLOCK);
    if (text.length() <= WIDTH || fixed) {
      return text;
    }
    String indent = " ".repeat(text.length() - text.stripLeading().length() + 4);
    StringBuilder broken = new StringBuilder(source.substring(start, line.get(0).from()));
    List<Token> rest = line;
    int column = broken.length();
    while (column + end(rest) - rest.get(0).from() > WIDTH) {
      int at = bestBreak(rest, WIDTH - column);
      if (at < 0) {
        break;
      }
      broken.append(source, rest.get(0).from(), rest.get(at - 1).to()).append('\n').append(indent);
      rest = rest.subList(at, rest.size());
      column = indent.length();
    }
    return broken.append(source, rest.get(0).from(), end(rest)).toString();
  }

  /** Returns the token to begin the next line with, or -1. */
  private static int bestBreak(List<Token> line, int room) {
    int best = -1;
    int bestDepth = Integer.MAX_VALUE;
    int depth = 0;
    for (int i = 1; i < line.size(); i++) {
      depth += change(line.get(i - 1));
      boolean fits = line.get(i - 1).to() - line.get(0).from() <= room;
      if (!fits && best >= 0) {
        return best;
      }
      if (mayBreak(line.get(i - 1), line.get(i)) && (depth <= bestDepth || !fits)) {
        best = i;
        bestDepth = depth;
      }
    }
    return best;
  }

  private static boolean mayBreak(Token before, Token after) {
    boolean opened = before.is("(") && !after.is(")");
    boolean infix = after.kind() == Token.Kind.SIGN && BEFORE.contains(after.text());
    return opened || infix || (before.kind() == Token.Kind.SIGN && AFTER.contains(before.text()));
  }
}
