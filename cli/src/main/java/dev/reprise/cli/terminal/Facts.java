package dev.reprise.cli.terminal;

import dev.reprise.cli.terminal.Table.Cell;
import dev.reprise.cli.terminal.Terminal.Style;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Names and values of one thing, below each other. */
public final class Facts {
  private final Terminal terminal;
  private final Map<String, Cell> facts = new LinkedHashMap<>();

  public Facts(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * Adds a fact: a {@link Cell}, or anything else as plain text; null and an empty one are left
   * out.
   */
  public Facts add(String name, @Nullable Object value) {
    Cell cell =
        value instanceof Cell c
            ? c
            : new Cell(value == null ? "" : String.valueOf(value), Style.PLAIN);
    if (!cell.text().isEmpty()) {
      facts.put(name, cell);
    }
    return this;
  }

  public void print() {
    int width = facts.keySet().stream().mapToInt(String::length).max().orElse(0);
    facts.forEach(
        (name, cell) ->
            terminal.line(
                terminal.styled(name, Style.DIM)
                    + " ".repeat(width - name.length() + 2)
                    + terminal.styled(cell.text(), cell.style())));
  }
}
