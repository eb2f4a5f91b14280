package dev.reprise.cli.lab;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.ContentionModel;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Model;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.lab.scenario.ScenarioDocuments;
import dev.reprise.lab.scenario.ScenarioLibrary;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ArrayNode;

/** Lists the ready scenarios, or prints one to begin one's own with. */
@Command(
    name = "scenarios",
    description = "List the ready scenarios, or print one to begin your own with.",
    footer = {
      "  ./reprise lab scenarios",
      "  ./reprise lab scenarios herd-after-outage > mine.json"
    })
final class LabScenariosCommand extends BaseCommand {
  @Parameters(paramLabel = "NAME", arity = "0..1", description = "Print the document of this one.")
  private @Nullable String name;

  @Override
  public Integer call() {
    if (name != null) {
      terminal().line(document(name).stripTrailing());
      return ExitCode.DONE;
    }
    ArrayNode list = Json.object().putArray("scenarios");
    for (String each : ScenarioLibrary.names()) {
      Scenario scenario = ScenarioDocuments.read(ScenarioLibrary.read(each));
      list.addObject()
          .put("name", each)
          .put("model", kind(scenario.model()))
          .put("description", scenario.description());
    }
    if (!root().printedAsJson(list)) {
      print();
    }
    return ExitCode.DONE;
  }

  private void print() {
    Terminal terminal = terminal();
    for (String each : ScenarioLibrary.names()) {
      Scenario scenario = ScenarioDocuments.read(ScenarioLibrary.read(each));
      terminal.line(
          terminal.styled(each, Style.BOLD)
              + terminal.styled("  " + kind(scenario.model()), Style.DIM));
      terminal.paragraph(scenario.description(), "  ");
    }
  }

  private static String document(String name) {
    if (!ScenarioLibrary.names().contains(name)) {
      throw CommandFailure.wrongUsage(
          name + " is no ready scenario: they are " + String.join(", ", ScenarioLibrary.names()));
    }
    return ScenarioLibrary.read(name);
  }

  private static String kind(Model model) {
    if (model instanceof FleetModel fleet) {
      return String.format(Locale.ROOT, "%,d devices", fleet.devices());
    }
    if (model instanceof CallModel calls) {
      return Words.count(calls.clients().count(), "client");
    }
    return Words.count(((ContentionModel) model).clients(), "competing client");
  }
}
