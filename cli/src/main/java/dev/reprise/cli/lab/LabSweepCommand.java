package dev.reprise.cli.lab;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.lab.scenario.Variant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a scenario with several values of one field. */
@Command(
    name = "sweep",
    description = {
      "Run a scenario with several values of one field, and show what changes with it.",
      "Without --field and --values, the sweep that the scenario has is run."
    },
    footer = {
      "  ./reprise lab sweep herd-cap-sweep --report out",
      "  ./reprise lab sweep herd-after-outage --field fleet.quota --values 2000/s,5000/s,20000/s",
      "  ./reprise lab sweep herd-after-outage --runs 1 --values 16s,64s,256s"
          + " --field 'policies.full jitter 64s.backoff.cap'"
    })
final class LabSweepCommand extends BaseCommand {
  @Parameters(
      paramLabel = "SCENARIO",
      description = "The situation: " + ScenarioArgument.FORMS + ".")
  private String scenario = "";

  @Option(
      names = "--field",
      paramLabel = "PATH",
      description = "The field of the scenario, such as fleet.quota or policies.mine.backoff.cap.")
  private @Nullable String field;

  @Option(
      names = "--values",
      paramLabel = "V,...",
      split = ",",
      description = "Its values in turn, as the scenario would have them: 16s, 5000/s or 0.2.")
  private List<String> values = List.of();

  @Mixin private LabRunOptions runs = new LabRunOptions();

  @Override
  public Integer call() throws InterruptedException {
    if ((field == null) != values.isEmpty()) {
      throw wrongUsage("--field and --values belong together: give both, or neither");
    }
    ScenarioArgument argument = ScenarioArgument.of(scenario, terminal());
    if (field != null) {
      argument = argument.withSweep(field, values);
    }
    List<Variant> variants = argument.variants();
    if (variants.isEmpty()) {
      throw wrongUsage(scenario + " has no sweep: give --field and --values");
    }
    return new LabRun(this, runs).sweep(argument.scenario(), variants);
  }
}
