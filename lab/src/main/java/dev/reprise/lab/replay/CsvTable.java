package dev.reprise.lab.replay;

import dev.reprise.policy.document.Checks;
import dev.reprise.policy.document.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.node.StringNode;

/**
 * Comma-separated values (RFC 4180) with the columns of one kind of recording. A first line that
 * begins with the name of a column gives their order; without one they are as documented. Empty
 * lines, and lines that begin with {@code #}, say nothing.
 */
final class CsvTable {
  /** Further complaints are left out: a recording may be wrong in every line. */
  private static final int MAX_VIOLATIONS = 1000;

  private final Checks checks = new Checks();
  private final List<String> columns;
  private final boolean named;
  private final List<Row> rows = new ArrayList<>();

  private CsvTable(List<String> columns, boolean named) {
    this.columns = columns;
    this.named = named;
  }

  /**
   * Reads a text.
   *
   * @param columns all that there may be, in their usual order
   */
  static CsvTable read(String text, List<String> columns) {
    List<List<String>> lines = new ArrayList<>();
    List<Integer> numbers = new ArrayList<>();
    CsvTable unread = new CsvTable(columns, false);
    String body = text.startsWith("\uFEFF") ? text.substring(1) : text;
    int number = 0;
    for (String line : body.split("\\R", -1)) {
      number++;
      if (!line.isBlank() && !line.startsWith("#")) {
        lines.add(unread.cells(number, line));
        numbers.add(number);
      }
    }
    boolean hasHeader = !lines.isEmpty() && columns.contains(nameIn(columns, lines.get(0).get(0)));
    CsvTable table = hasHeader ? unread.withHeader(numbers.get(0), lines.get(0)) : unread;
    for (int i = hasHeader ? 1 : 0; i < lines.size(); i++) {
      table.rows.add(table.new Row(numbers.get(i), lines.get(i)));
    }
    return table;
  }

  private CsvTable withHeader(int line, List<String> cells) {
    List<String> named = new ArrayList<>();
    for (String cell : cells) {
      String name = nameIn(columns, cell);
      if (!columns.contains(name) || named.contains(name)) {
        complain(
            line,
            "column " + (named.size() + 1),
            cell,
            "must be one of " + String.join(", ", columns) + ", each once");
      }
      named.add(name);
    }
    CsvTable table = new CsvTable(named, true);
    checks.violations().forEach(table.checks::add);
    return table;
  }

  private static String nameIn(List<String> columns, String cell) {
    return columns.stream().filter(cell::equalsIgnoreCase).findFirst().orElse(cell);
  }

  List<Row> rows() {
    return rows;
  }

  /** Returns whether a first line has named the columns. */
  boolean isNamed() {
    return named;
  }

  /** Adds a violation by a cell; {@code column} says which. */
  void complain(int line, String column, String cell, String rule) {
    if (checks.count() < MAX_VIOLATIONS) {
      checks.complain(
          String.format(Locale.ROOT, "line %d, %s", line, column), StringNode.valueOf(cell), rule);
    }
  }

  int violations() {
    return checks.count();
  }

  void throwIfAny() {
    if (checks.count() > 0) {
      throw new LogException(checks.violations());
    }
  }

  private List<String> cells(int number, String line) {
    List<String> cells = new ArrayList<>();
    StringBuilder cell = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quoted && c == '"' && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        cell.append(c);
        i++;
      } else if (c == '"' && (quoted || cell.toString().isBlank())) {
        quoted = !quoted;
      } else if (c == ',' && !quoted) {
        cells.add(cell.toString().strip());
        cell.setLength(0);
      } else {
        cell.append(c);
      }
    }
    if (quoted) {
      complain(number, "column " + (cells.size() + 1), cell.toString(), "must end with a quote");
    }
    cells.add(cell.toString().strip());
    return cells;
  }

  /** One line. */
  final class Row {
    private final int line;
    private final List<String> cells;

    private Row(int line, List<String> cells) {
      this.line = line;
      this.cells = cells;
      if (cells.size() > columns.size()) {
        CsvTable.this.complain(
            line,
            "column " + (columns.size() + 1),
            cells.get(columns.size()),
            "must not be there: the columns are " + String.join(", ", columns));
      }
    }

    int line() {
      return line;
    }

    /** Returns what stands in a column; empty when there is nothing. */
    String cell(String column) {
      int at = columns.indexOf(column);
      return at < 0 || at >= cells.size() ? "" : cells.get(at);
    }

    void complain(String column, String rule) {
      String cell = cell(column);
      if (cell.isEmpty()) {
        if (checks.count() < MAX_VIOLATIONS) {
          checks.add(
              new Violation(
                  String.format(Locale.ROOT, "line %d, %s", line, column), "missing", rule));
        }
        return;
      }
      CsvTable.this.complain(line, column, cell, rule);
    }
  }
}
