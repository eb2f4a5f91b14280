package dev.reprise.server.cli;

import dev.reprise.server.cli.Table.Cell;
import dev.reprise.server.cli.Terminal.Style;
import java.util.LinkedHashMap;
import java.util.Map;

/** Names and values of one thing, below each other. */
final class Facts {
  private final Terminal terminal;
  private final Map<String, Cell> facts = new LinkedHashMap<>();

  Facts(Terminal terminal) {
    this.terminal = terminal;
  }

  /** Adds a fact: a {@link Cell}, or anything else as plain text; an empty one is left out. */
  Facts add(String name, Object value) {
    Cell cell = value instanceof Cell c ? c : new Cell(String.valueOf(value), Style.PLAIN);
    if (!cell.text().isEmpty()) {
      facts.put(name, cell);
    }
    return this;
  }

  void print() {
    int width = facts.keySet().stream().mapToInt(String::length).max().orElse(0);
    facts.forEach(
        (name, cell) ->
            terminal.line(
                terminal.styled(name, Style.DIM)
                    + " ".repeat(width - name.length() + 2)
                    + terminal.styled(cell.text(), cell.style())));
  }
}
