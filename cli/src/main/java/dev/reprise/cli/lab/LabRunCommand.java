package dev.reprise.cli.lab;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Model;
import dev.reprise.lab.scenario.Scenario;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Runs a scenario with the policies that it names. */
@Command(
    name = "run",
    description = {
      "Run a scenario with the policies that it names.",
      "Prints a line of figures for each policy, what they mean, and charts. A sweep in the"
          + " scenario is for `lab sweep`."
    },
    footer = {
      "  ./reprise lab run herd-after-outage --report out",
      "  ./reprise lab run herd-after-outage --devices 200k --capacity 500/s --runs 3",
      "  ./reprise lab run scenario.json --json",
      "  ./reprise lab run scenario.json --fail-if 'peakRatio > 5' --fail-if 'drainP99 > 15m'"
    })
final class LabRunCommand extends BaseCommand {
  @Parameters(
      paramLabel = "SCENARIO",
      description = "The situation: " + ScenarioArgument.FORMS + ".")
  private String scenario = "";

  @Mixin private LabFleetOptions fleet = new LabFleetOptions();
  @Mixin private LabRunOptions runs = new LabRunOptions();

  @Override
  public Integer call() throws InterruptedException {
    Scenario read = ScenarioArgument.of(scenario, terminal()).scenario();
    return new LabRun(this, runs)
        .run(
            new Scenario(
                read.name(),
                // It describes the numbers that it was written with.
                fleet.given() ? "" : read.description(),
                withNumbers(read.model(), fleet),
                read.policies(),
                read.seed(),
                read.runs()));
  }

  static Model withNumbers(Model model, LabFleetOptions fleet) {
    if (!fleet.given()) {
      return model;
    }
    if (model instanceof FleetModel devices) {
      return fleet.applied(devices);
    }
    throw CommandFailure.wrongUsage(
        "--devices, --capacity, --outage and --rejection-cost are for fleets: this scenario has"
            + " none");
  }
}
