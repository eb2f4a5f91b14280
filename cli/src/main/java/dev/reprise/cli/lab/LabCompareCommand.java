package dev.reprise.cli.lab;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.PolicyArgument;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs policies beside one another in the same situation. */
@Command(
    name = "compare",
    description = "Compare policies in the same situation, with the same random numbers.",
    footer = {
      "  ./reprise lab compare azure-iot iot-core-64s --devices 1M --capacity 5000/s --outage 60s",
      "  ./reprise lab compare reprise-default mine.json --scenario retry-storm --report out"
    })
final class LabCompareCommand extends BaseCommand {
  /** The situation, when none is given. */
  static final String SCENARIO = "herd-after-outage";

  @Parameters(
      paramLabel = "POLICY",
      arity = "1..*",
      description = "The policies, each " + PolicyArgument.FORMS + ".")
  private List<String> policies = List.of();

  @Option(
      names = "--scenario",
      paramLabel = "SCENARIO",
      defaultValue = SCENARIO,
      description = "The situation: " + ScenarioArgument.FORMS + ". Default: ${DEFAULT-VALUE}.")
  private String scenario = "";

  @Mixin private LabFleetOptions fleet = new LabFleetOptions();
  @Mixin private LabRunOptions runs = new LabRunOptions();

  @Override
  public Integer call() throws InterruptedException {
    Scenario base = ScenarioArgument.of(scenario, terminal()).scenario();
    Map<String, Policy> compared = policies(policies, terminal());
    Scenario asked =
        new Scenario(
            base.name(),
            "",
            LabRunCommand.withNumbers(base.model(), fleet),
            compared,
            base.seed(),
            base.runs());
    return new LabRun(this, runs).run(asked);
  }

  /** Reads the policies of a command line, by their names. */
  static Map<String, Policy> policies(List<String> arguments, Terminal terminal) {
    Map<String, Policy> policies = new LinkedHashMap<>();
    for (String each : arguments) {
      PolicyArgument argument = PolicyArgument.of(each, terminal);
      policies.put(unused(argument.name(), policies), argument.read(PolicyDocuments::read));
    }
    return policies;
  }

  /** Two files may have the same name in different folders. */
  private static String unused(String name, Map<String, Policy> taken) {
    String unused = name;
    for (int i = 2; taken.containsKey(unused); i++) {
      unused = name + "-" + i;
    }
    return unused;
  }
}
