package dev.reprise.cli.lab;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Table;
import dev.reprise.lab.figure.Figure;
import java.util.Locale;
import picocli.CommandLine.Command;
import tools.jackson.databind.node.ArrayNode;

/** Explains the figures. */
@Command(
    name = "figures",
    description = "Explain each figure, and which direction is better.",
    footer = "  ./reprise lab figures")
final class LabFiguresCommand extends BaseCommand {
  @Override
  public Integer call() {
    ArrayNode list = Json.object().putArray("figures");
    Table table = new Table("FIGURE", "UNIT", "GOOD", "MEANING");
    for (Figure figure : Figure.values()) {
      String good =
          switch (figure.better()) {
            case LOWER -> "low";
            case HIGHER -> "high";
            case NONE -> "";
          };
      list.addObject()
          .put("name", figure.key())
          .put("unit", figure.unit())
          .put("better", figure.better().name().toLowerCase(Locale.ROOT))
          .put("meaning", figure.meaning());
      table.row(figure.key(), figure.unit(), good, figure.meaning());
    }
    if (!root().printedAsJson(list)) {
      table.print(terminal(), "");
    }
    return ExitCode.DONE;
  }
}
