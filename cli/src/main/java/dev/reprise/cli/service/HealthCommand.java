package dev.reprise.cli.service;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.terminal.Terminal.Style;
import dev.reprise.common.text.HarmlessText;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** Asks a service whether it is ready, for health checks where there is no curl. */
@Command(
    name = "health",
    description = {
      "Ask whether the service is ready; no key is needed. Exit code 1 if it is not.",
      "Exit code 1 also if what answers is no Reprise service; 3 if the service cannot be reached,"
          + " a proxy or gateway answers in its place, or its whole answer takes more than 5 s."
          + " A container engine without curl in the image checks with it; an orchestrator that"
          + " restarts what fails should ask with --live."
    },
    footer = {"  ./reprise health", "  ./reprise health --live --url https://localhost:8443"})
public final class HealthCommand extends BaseCommand {
  /** A check that takes longer tells the same as one that fails. */
  private static final Duration MOST = Duration.ofSeconds(5);

  @Option(
      names = "--live",
      description =
          "Ask only whether the process works: fails when nothing but a restart helps, not when a"
              + " disk is full, brokers are away or the service is stopping.")
  private boolean live;

  @Override
  public Integer call() {
    HealthProbe probe =
        HealthProbe.ask(
            root().client(null),
            live ? HealthProbe.Question.LIVE : HealthProbe.Question.READY,
            MOST);
    JsonNode answer = probe.answer();
    if (!root().printedAsJson(answer)) {
      print(answer, probe.good());
    }
    return probe.good() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private void print(JsonNode answer, boolean good) {
    String status = HarmlessText.visible(answer.path("status").asString());
    if (!good) {
      String reason = answer.path("reason").asString("");
      terminal().error(status + (reason.isEmpty() ? "" : ": " + HarmlessText.visible(reason)));
      return;
    }
    terminal().line(terminal().styled(status, Style.GOOD));
    answer
        .path("carriers")
        .properties()
        .forEach(each -> warn(each.getKey() + ": ", each.getValue()));
    answer.path("held").forEach(line -> warn("", line));
    answer.path("standing").forEach(line -> warn("", line));
    if (answer.hasNonNull("clock")) {
      warn("", answer.path("clock"));
    }
  }

  private void warn(String name, JsonNode text) {
    terminal().warning(HarmlessText.visible(name + text.asString("")));
  }
}
