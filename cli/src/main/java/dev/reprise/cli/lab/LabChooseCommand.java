package dev.reprise.cli.lab;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.CommandFailure;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Progress;
import dev.reprise.cli.terminal.Terminal;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.cli.terminal.Words;
import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.choose.Candidate;
import dev.reprise.lab.choose.Choice;
import dev.reprise.lab.choose.Limits;
import dev.reprise.lab.choose.PolicyChooser;
import dev.reprise.lab.choose.Task;
import dev.reprise.lab.choose.WhatIf;
import dev.reprise.lab.figure.Figure;
import dev.reprise.policy.document.DurationText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Searches policies for a fleet and recommends one. */
@Command(
    name = "choose",
    description = {
      "Search more than a thousand policies for a fleet, show the trade-off, and recommend one.",
      "Searched by the mean field; what is said of the recommended policy is simulated device by"
          + " device. Exit code 1 when no policy keeps the limits."
    },
    footer = {
      "  ./reprise lab choose --devices 1M --capacity 5000/s --outage 1h",
      "  ./reprise lab choose --devices 1M --capacity 5000/s --outage 60s --rejection-cost 0.2"
          + " --out policy.json",
      "  ./reprise lab choose --devices 200k --capacity 500/s --outage 10m --peak 2 --p99 15m"
    })
final class LabChooseCommand extends BaseCommand {
  /** Lines of the trade-off that a terminal shows; JSON has all. */
  private static final int SHOWN = 12;

  @Mixin private LabFleetOptions fleet = new LabFleetOptions();

  @Option(
      names = "--peak",
      paramLabel = "X",
      description =
          "The most attempts in any second after recovery, as a multiple of the capacity.")
  private @Nullable Double peak;

  @Option(
      names = "--p99",
      paramLabel = "SPAN",
      description = "The time after recovery within which 99 %% of the devices are back.")
  private @Nullable String p99;

  @Option(
      names = "--attempts",
      paramLabel = "X",
      description = "The most attempts per device after recovery.")
  private @Nullable Double attempts;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "The seed of the first simulation. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "How many policies are evaluated at the same time. Default: all processors.")
  private @Nullable Integer threads;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      description = "Write the recommended policy into this file.")
  private @Nullable Path out;

  @Override
  public Integer call() throws InterruptedException {
    Task task = task();
    Progress progress = new Progress(terminal());
    Choice choice;
    try {
      choice =
          new PolicyChooser(
                  LabRunOptions.threads(threads),
                  (done, all) -> {
                    synchronized (progress) {
                      progress.show(done + " of " + all + " policies");
                    }
                  })
              .choose(task);
    } finally {
      synchronized (progress) {
        progress.clear();
      }
    }
    ObjectNode document = choice.document();
    if (out != null && document != null) {
      write(document);
    }
    if (!root().printedAsJson(json(choice))) {
      print(choice);
    }
    return document == null ? ExitCode.FAILED : ExitCode.DONE;
  }

  private Task task() {
    Integer devices = fleet.devices();
    Double perSecond = fleet.capacityPerSecond();
    Duration outage = fleet.outage();
    if (devices == null || perSecond == null || outage == null) {
      throw wrongUsage("--devices, --capacity and --outage are needed");
    }
    if (outage.isZero()) {
      throw wrongUsage("--outage is 0s: must be more than 0");
    }
    if (peak != null && !(peak > 0)) {
      throw wrongUsage("--peak is " + peak + ": must be more than 0");
    }
    Double rejectionCost = fleet.rejectionCost();
    try {
      return Task.of(
          devices,
          perSecond,
          rejectionCost == null ? 0 : rejectionCost,
          outage,
          new Limits(peak, span(), attempts),
          seed);
    } catch (InvalidSettingException e) {
      throw refused(e);
    }
  }

  private @Nullable Duration span() {
    if (p99 == null) {
      return null;
    }
    Duration span = DurationText.read(p99);
    if (span == null) {
      throw wrongUsage("--p99 is " + p99 + ": must be a span such as 400s or 15m");
    }
    return span;
  }

  private void write(ObjectNode document) {
    try {
      Files.writeString(out, document.toPrettyString() + "\n");
    } catch (IOException e) {
      throw CommandFailure.failed("--out " + out + " cannot be written: " + e.getMessage());
    }
  }

  private void print(Choice choice) {
    Terminal terminal = terminal();
    terminal.line(
        terminal.styled("The trade-off", Style.BOLD)
            + ": of "
            + Words.count(choice.searched(), "policy")
            + ", no other is better in all of drain, peak, attempts and wasted work; by the mean"
            + " field, whose peaks are without chance");
    Map<String, Map<Figure, Double>> rows = new LinkedHashMap<>();
    int all = choice.front().size();
    for (int i = 0; i < Math.min(SHOWN, all); i++) {
      Candidate candidate =
          choice.front().get((int) ((long) i * (all - 1) / Math.max(1, Math.min(SHOWN, all) - 1)));
      rows.put(candidate.name(), candidate.figures());
    }
    LabTable.of(terminal, "POLICY", rows).print(terminal, "  ");
    if (all > SHOWN) {
      terminal.line("  (" + SHOWN + " of " + all + "; --json has all)");
    }
    terminal.line("");
    Candidate recommended = choice.recommended();
    ObjectNode document = choice.document();
    if (recommended == null || document == null) {
      terminal.line(terminal.styled("No policy keeps the limits.", Style.BAD));
      choice.reasons().forEach(this::paragraph);
      return;
    }
    terminal.line(
        terminal.styled("Recommended: ", Style.BOLD)
            + terminal.styled(recommended.name(), Style.GOOD));
    choice.reasons().forEach(this::paragraph);
    terminal.line("");
    terminal.line(terminal.styled("Its limits", Style.BOLD));
    choice.caveats().forEach(this::paragraph);
    terminal.line("");
    terminal.line(terminal.styled("If things are worse", Style.BOLD));
    Map<String, Map<Figure, Double>> worse = new LinkedHashMap<>();
    for (WhatIf whatIf : choice.whatIf()) {
      worse.put(whatIf.change(), whatIf.figures());
    }
    LabTable.of(terminal, "IF", worse).print(terminal, "  ");
    terminal.line("");
    terminal.line(
        terminal.styled("Simulated", Style.BOLD)
            + " with "
            + Words.count(choice.confirmedDevices(), "device")
            + (choice.confirmedDevices() == choice.task().model().devices()
                ? ""
                : ", the capacity scaled alike; peaks of fewer devices scatter more"));
    LabTable.of(terminal, choice.confirmed()).print(terminal, "  ");
    terminal.line("");
    if (out == null) {
      terminal.line(document.toPrettyString());
    } else {
      terminal.note("policy: " + out);
    }
  }

  private void paragraph(String text) {
    terminal().paragraph(text, "  ");
  }

  private static ObjectNode json(Choice choice) {
    ObjectNode json = Json.object();
    Candidate recommended = choice.recommended();
    json.put("recommended", recommended == null ? null : recommended.name());
    json.set("policy", choice.document());
    if (recommended != null) {
      LabTable.putFigures(json.putObject("figures"), recommended.figures());
    }
    ArrayNode reasons = json.putArray("reasons");
    choice.reasons().forEach(reasons::add);
    ArrayNode caveats = json.putArray("caveats");
    choice.caveats().forEach(caveats::add);
    json.put("rule", Choice.RULE);
    json.put("searched", choice.searched()).put("pruned", choice.pruned());
    ArrayNode front = json.putArray("front");
    for (Candidate candidate : choice.front()) {
      LabTable.putFigures(front.addObject().put("name", candidate.name()), candidate.figures());
    }
    ArrayNode whatIf = json.putArray("whatIf");
    for (WhatIf each : choice.whatIf()) {
      LabTable.putFigures(whatIf.addObject().put("change", each.change()), each.figures());
    }
    json.put("confirmedDevices", choice.confirmedDevices());
    ObjectNode confirmed = json.putObject("confirmed");
    choice
        .confirmed()
        .forEach(
            result ->
                LabTable.putFigures(confirmed.putObject(result.name()), LabTable.means(result)));
    return json;
  }
}
