package dev.reprise.smithy.layout;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Text with places where it may be broken, and the choice of those that are.
 *
 * <p>Text is nested in levels. A level that fits into what is left of the line stays in one piece;
 * in one that does not, every {@link Fill#ALL} break is taken, and an {@link Fill#WHEN_FULL} break
 * is taken when what follows it does not fit. That is how google-java-format chooses, so the same
 * levels give the same lines.
 */
final class Layout {
  private static final int WIDTH = 100;

  private final Deque<Level> open = new ArrayDeque<>();
  private final Level root = new Level(0, null);

  // Text sticks to the level of the last break: a break is judged by all that comes before the
  // next one, closing brackets and semicolons too.
  private Level text = root;

  Layout() {
    open.push(root);
  }

  /** Which breaks of a level that does not fit are taken. */
  enum Fill {
    /** All of them. */
    ALL,
    /** Those before something that does not fit. */
    WHEN_FULL
  }

  /** Remembers whether a break was taken, for the indent of a later level. */
  static final class Taken {
    private boolean taken;
  }

  void open(int indent) {
    open.push(new Level(indent, null));
  }

  /** Opens a level that is indented only if a break before it was taken. */
  void open(int indent, Taken condition) {
    open.push(new Level(indent, condition));
  }

  void close() {
    Level level = open.pop();
    open.getFirst().parts.add(level);
  }

  void text(String value) {
    text.parts.add(new Text(value));
  }

  /** Where a broken line may begin; {@code flat} is written if it does not. */
  void breakable(Fill fill, String flat) {
    breakable(fill, flat, null);
  }

  void breakable(Fill fill, String flat, @Nullable Taken taken) {
    text = open.getFirst();
    text.parts.add(new Break(fill, flat, taken));
  }

  /** Returns how long the text is without breaks. */
  int width() {
    return root.width();
  }

  /** Returns the text, its first line at {@code indent} like those that no level moves. */
  String write(int indent) {
    StringBuilder out = new StringBuilder(" ".repeat(indent));
    root.write(out, new Line(indent), indent);
    return out.toString();
  }

  private static final class Line {
    private int column;

    Line(int column) {
      this.column = column;
    }
  }

  private sealed interface Part permits Text, Break, Level {
    int width();
  }

  private record Text(String value) implements Part {
    @Override
    public int width() {
      return value.length();
    }
  }

  private record Break(Fill fill, String flat, @Nullable Taken taken) implements Part {
    @Override
    public int width() {
      return flat.length();
    }
  }

  private static final class Level implements Part {
    private final int indent;
    private final @Nullable Taken condition;
    private final List<Part> parts = new ArrayList<>();
    private int width = -1;

    Level(int indent, @Nullable Taken condition) {
      this.indent = indent;
      this.condition = condition;
    }

    @Override
    public int width() {
      if (width < 0) {
        int sum = 0;
        for (Part part : parts) {
          sum += part.width();
        }
        width = sum;
      }
      return width;
    }

    private void write(StringBuilder out, Line line, int outerIndent) {
      if (line.column + width() <= WIDTH) {
        writeFlat(out);
        line.column += width();
        return;
      }
      int ownIndent = outerIndent + (condition == null || condition.taken ? indent : 0);
      boolean previousTooWide = false;
      int at = 0;
      while (at < parts.size()) {
        Break before = parts.get(at) instanceof Break b ? b : null;
        int from = before == null ? at : at + 1;
        int to = from;
        int pieceWidth = 0;
        while (to < parts.size() && !(parts.get(to) instanceof Break)) {
          pieceWidth += parts.get(to).width();
          to++;
        }
        if (before != null) {
          boolean taken =
              before.fill == Fill.ALL
                  || previousTooWide
                  || line.column + before.width() + pieceWidth > WIDTH;
          if (before.taken != null) {
            before.taken.taken = taken;
          }
          if (taken) {
            out.append('\n').append(" ".repeat(ownIndent));
            line.column = ownIndent;
          } else {
            out.append(before.flat);
            line.column += before.width();
          }
        }
        previousTooWide = line.column + pieceWidth > WIDTH;
        for (Part part : parts.subList(from, to)) {
          if (part instanceof Level level) {
            level.write(out, line, ownIndent);
          } else if (part instanceof Text words) {
            out.append(words.value);
            line.column += words.width();
          }
        }
        at = to;
      }
    }

    private void writeFlat(StringBuilder out) {
      for (Part part : parts) {
        if (part instanceof Level level) {
          level.writeFlat(out);
        } else if (part instanceof Text words) {
          out.append(words.value);
        } else if (part instanceof Break between) {
          out.append(between.flat);
        }
      }
    }
  }
}
