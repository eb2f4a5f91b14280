package dev.reprise.cli.terminal;

import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.common.text.HarmlessText;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows under a heading, each column as wide as its widest cell, or as {@value #LONG} where the
 * table would not fit. A longer cell is whole all the same: what follows it stands further to the
 * right, and at a terminal on the next line.
 */
public final class Table {
  private static final String GAP = "   ";

  /** A delivery's id of a topic with a name of usual length fits. */
  private static final int LONG = 64;

  private final String[] heading;
  private final boolean[] toTheRight;
  private final List<Cell[]> rows = new ArrayList<>();

  /** One cell: what it says and how it is emphasised. */
  public record Cell(String text, Style style) {
    public Cell {
      text = HarmlessText.visible(text);
    }
  }

  /** A table with these headings; one that starts with {@code >} is a column of numbers. */
  public Table(String... headings) {
    heading = new String[headings.length];
    toTheRight = new boolean[headings.length];
    for (int i = 0; i < headings.length; i++) {
      toTheRight[i] = headings[i].startsWith(">");
      heading[i] = toTheRight[i] ? headings[i].substring(1) : headings[i];
    }
  }

  /** Adds a row of {@link Cell}s, or of anything else as plain text. */
  public Table row(Object... cells) {
    Cell[] row = new Cell[heading.length];
    for (int i = 0; i < row.length; i++) {
      row[i] =
          cells[i] instanceof Cell cell ? cell : new Cell(String.valueOf(cells[i]), Style.PLAIN);
    }
    rows.add(row);
    return this;
  }

  public void print(Terminal terminal, String indent) {
    int[] widths = new int[heading.length];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = Words.width(heading[i]);
      for (Cell[] row : rows) {
        widths[i] = Math.max(widths[i], Words.width(row[i].text()));
      }
    }
    fit(widths, terminal.width() - Words.width(indent));
    Cell[] names = new Cell[heading.length];
    for (int i = 0; i < names.length; i++) {
      names[i] = new Cell(heading[i], Style.DIM);
    }
    printRow(terminal, indent, names, widths);
    for (Cell[] row : rows) {
      printRow(terminal, indent, row, widths);
    }
  }

  private static void fit(int[] widths, int most) {
    int sum = GAP.length() * (widths.length - 1);
    for (int width : widths) {
      sum += width;
    }
    // What stands last pads nothing.
    for (int i = 0; sum > most && i < widths.length - 1; i++) {
      widths[i] = Math.min(widths[i], LONG);
    }
  }

  private void printRow(Terminal terminal, String indent, Cell[] row, int[] widths) {
    StringBuilder line = new StringBuilder(indent);
    for (int i = 0; i < row.length; i++) {
      int room = widths[i] - Words.width(row[i].text());
      String padding = " ".repeat(Math.max(0, room));
      String text = terminal.styled(row[i].text(), row[i].style());
      line.append(toTheRight[i] ? padding + text : text + padding);
      if (room < 0 && terminal.interactiveOut() && i < row.length - 1) {
        terminal.line(line.toString());
        line.setLength(0);
        line.append(indent).append(" ".repeat(start(widths, i + 1)));
      } else {
        line.append(i == row.length - 1 ? "" : GAP);
      }
    }
    terminal.line(line.toString().stripTrailing());
  }

  /** Returns where a column begins. */
  private static int start(int[] widths, int column) {
    int start = 0;
    for (int i = 0; i < column; i++) {
      start += widths[i] + GAP.length();
    }
    return start;
  }
}
