package dev.reprise.cli.service;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import java.util.Map;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;

/** Says that what a cluster has lost of its intake is known. */
@Command(
    name = "acknowledge",
    description = {
      "Acknowledge records that were deleted before a shard had taken them in.",
      "Until then, ./reprise cluster and ./reprise ledger report them with exit code 1. The events"
          + " stay in the topic of events."
    },
    footer = {"  ./reprise cluster acknowledge"})
final class AcknowledgeCommand extends BaseCommand {
  @Override
  public Integer call() {
    JsonNode answer =
        root().client().send("POST", "/v1/cluster/acknowledge", Map.of(), "", "acknowledged");
    if (!root().printedAsJson(answer)) {
      terminal()
          .line(
              answer.path("acknowledged").asBoolean()
                  ? "What was lost is noted as known."
                  : "There is nothing to acknowledge.");
    }
    return ExitCode.DONE;
  }
}
