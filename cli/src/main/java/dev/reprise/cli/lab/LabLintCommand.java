package dev.reprise.cli.lab;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.base.PolicyArgument;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.common.text.HarmlessText;
import dev.reprise.lab.lint.PolicyLinter;
import dev.reprise.lab.lint.SimulatedFleet;
import dev.reprise.lab.lint.Situation;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Scenario;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.preview.Finding;
import dev.reprise.policy.preview.Severity;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Finds what harms in a policy. */
@Command(
    name = "lint",
    description = {
      "Find harmful settings in a policy, each with its proof.",
      "It is simulated too, as `lab compare` does with the same options and the same defaults, as"
          + " long as that takes seconds; the output names the defaults. With --callers it is not.",
      "The more options describe the situation, the more precise the findings. Exit code 1 when the"
          + " policy fails in the situation."
    },
    footer = {
      "  ./reprise lab lint iot-core-64s",
      "  ./reprise lab lint mine.json --devices 1M --capacity 5000/s --rejection-cost 0.1 --outage"
          + " 1h",
      "  ./reprise lab lint reprise-default --callers"
    })
final class LabLintCommand extends BaseCommand {
  @Parameters(paramLabel = "POLICY", description = "The policy: " + PolicyArgument.FORMS + ".")
  private String policy = "";

  @Mixin private LabFleetOptions fleet = new LabFleetOptions();

  @Option(
      names = "--callers",
      description =
          "The policy is for calls that may fail for good, not for devices that must come back: no"
              + " fleet is simulated.")
  private boolean callers;

  @Override
  public Integer call() {
    if (callers && fleet.given()) {
      throw wrongUsage(
          "--callers is for a policy that no fleet keeps: --devices, --capacity, --outage and"
              + " --rejection-cost contradict it");
    }
    PolicyArgument argument = PolicyArgument.of(policy, terminal());
    Policy read = argument.read(PolicyDocuments::read);
    Situation situation = situation();
    SimulatedFleet simulated = null;
    String notSimulated = callers ? "not simulated: --callers says that no fleet keeps it" : null;
    String assumed = null;
    if (!callers) {
      Scenario base = ScenarioArgument.of(LabCompareCommand.SCENARIO, terminal()).scenario();
      FleetModel model = fleet.applied((FleetModel) base.model());
      assumed = assumed(model);
      try {
        simulated = simulated(read, model, base);
      } catch (SimulatedFleet.NotSimulatedException e) {
        notSimulated = "not simulated: " + e.getMessage();
      }
    }
    List<Finding> findings = PolicyLinter.lint(read, situation, simulated);
    if (!root().printedAsJson(json(findings, assumed, notSimulated))) {
      if (notSimulated != null) {
        terminal().note(notSimulated);
      }
      if (assumed != null) {
        terminal().paragraph(assumed, "");
      }
      print(argument.name(), findings, simulated, read instanceof NotificationPolicy);
    }
    return findings.stream().anyMatch(finding -> finding.severity() == Severity.ERROR)
        ? ExitCode.FAILED
        : ExitCode.DONE;
  }

  private Situation situation() {
    try {
      return new Situation(
          fleet.devices(), fleet.capacityPerSecond(), fleet.rejectionCost(), fleet.outage());
    } catch (IllegalArgumentException e) {
      throw wrongUsage(String.valueOf(e.getMessage()));
    }
  }

  /** Returns the numbers that were not given, as options that would give them; null if none. */
  private @Nullable String assumed(FleetModel model) {
    String options = fleet.missing(model);
    if (options.isEmpty()) {
      return null;
    }
    return "assumed, as `lab compare` does: "
        + options
        + (fleet.given() ? "" : " (a policy that no fleet keeps: --callers)");
  }

  /** Simulates what `lab compare` would. */
  private SimulatedFleet simulated(Policy read, FleetModel model, Scenario base)
      throws SimulatedFleet.NotSimulatedException {
    Progress progress = new Progress(terminal());
    progress.show("simulating");
    try {
      return SimulatedFleet.run(model, read, base.seed(), base.runs());
    } finally {
      progress.clear();
    }
  }

  private static ArrayNode json(
      List<Finding> findings, @Nullable String assumed, @Nullable String notSimulated) {
    ArrayNode list = Json.object().putArray("findings");
    for (Finding finding : findings) {
      ObjectNode change =
          list.addObject()
              .put("rule", finding.rule())
              .put("severity", finding.severity().name().toLowerCase(Locale.ROOT))
              .put("problem", finding.problem())
              .put("proof", finding.proof())
              .putObject("change")
              .put("field", finding.change().field());
      change.set("value", Json.read("value", finding.change().value()));
    }
    if (assumed != null) {
      addNote(list, "assumed-fleet", assumed);
    }
    if (notSimulated != null) {
      addNote(list, "not-simulated", notSimulated);
    }
    return list;
  }

  private static void addNote(ArrayNode list, String rule, String problem) {
    list.addObject().put("rule", rule).put("severity", "note").put("problem", problem);
  }

  private void print(
      String name,
      List<Finding> findings,
      @Nullable SimulatedFleet simulated,
      boolean ofNotifications) {
    Terminal terminal = terminal();
    if (findings.isEmpty()) {
      terminal.line(
          HarmlessText.visible(name)
              + ": nothing found"
              + (simulated == null ? "" : "; " + simulated.sentence()));
      return;
    }
    for (Finding finding : findings) {
      terminal.line(
          terminal.styled(finding.severity().name().toLowerCase(Locale.ROOT), style(finding))
              + "  "
              + terminal.styled(finding.rule(), Style.BOLD));
      terminal.paragraph(finding.problem(), "  ");
      terminal.paragraph("proof: " + finding.proof(), "  ");
      String field = finding.change().field();
      String what = field.isEmpty() ? "the policy" : field;
      terminal.paragraph(
          "change: "
              + what
              + (ofNotifications
                  ? ", whose format has no field for that (and topics take no other), to a"
                      + " strategy policy: "
                  : " to ")
              + finding.change().value(),
          "  ");
    }
    if (simulated != null && simulated.allBack()) {
      terminal.line(HarmlessText.visible(name) + ": " + simulated.sentence());
    }
  }

  private static Style style(Finding finding) {
    return switch (finding.severity()) {
      case ERROR -> Style.BAD;
      case WARNING -> Style.WAITING;
      case NOTE -> Style.DIM;
    };
  }
}
