package dev.reprise.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TableTest {
  private static final String LONG = "a".repeat(256);

  private static List<String> printed(boolean interactive, String... names) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream stream = new PrintStream(out, false, StandardCharsets.UTF_8);
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(new byte[0]),
            stream,
            stream,
            interactive,
            interactive,
            interactive,
            100,
            Map.of("NO_COLOR", "1"));
    Table table = new Table("TOPIC", ">SUBSCRIPTIONS", "CREATED");
    for (String name : names) {
      table.row(name, 7, "2026-01-31T18:00:00Z");
    }
    table.print(terminal, "");
    stream.flush();
    return out.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void aLongNameDoesNotWidenTheOtherRows() {
    List<String> lines = printed(false, "orders", LONG);

    assertThat(lines.get(0)).hasSizeLessThan(120);
    assertThat(lines.get(1)).startsWith("orders ").hasSizeLessThan(120);
    // A script still finds a row in a line, and the whole name in it.
    assertThat(lines.get(2)).matches(LONG + " +7 +2026-01-31T18:00:00Z");
  }

  @Test
  void atATerminalALongNameHasALineOfItsOwn() {
    List<String> lines = printed(true, "orders", LONG);

    assertThat(lines).hasSize(4).contains(LONG);
    assertThat(lines.get(3)).hasSize(lines.get(1).length()).matches(" +7 +2026-01-31T18:00:00Z");
  }

  @Test
  void whatFitsIsAsWideAsItsWidestCell() {
    assertThat(printed(false, "orders", "in"))
        .containsExactly(
            "TOPIC    SUBSCRIPTIONS   CREATED",
            "orders               7   2026-01-31T18:00:00Z",
            "in                   7   2026-01-31T18:00:00Z");
  }
}
