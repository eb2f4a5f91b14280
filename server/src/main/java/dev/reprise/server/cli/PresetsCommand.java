package dev.reprise.server.cli;

import dev.reprise.policy.HealthyRetryPolicy;
import dev.reprise.policy.Presets;
import dev.reprise.policy.SchedulePreview;
import picocli.CommandLine.Command;
import tools.jackson.databind.node.ArrayNode;

/** Lists the policies that have a name; needs no service. */
@Command(
    name = "presets",
    description = "List the policies that have a name.",
    footer = {"  ./reprise presets", "  ./reprise preview notification-email"})
final class PresetsCommand extends BaseCommand {
  @Override
  public Integer call() {
    ArrayNode list = Json.object().putArray("presets");
    Table table = new Table("PRESET", ">RETRIES", ">SHORTEST DELAY", ">LONGEST DELAY", ">TOTAL");
    for (String name : Presets.names()) {
      HealthyRetryPolicy policy = Presets.get(name);
      SchedulePreview preview = SchedulePreview.of(policy, name);
      list.addObject()
          .put("name", name)
          .set("healthyRetryPolicy", preview.toJson().get("healthyRetryPolicy"));
      boolean none = preview.rows().isEmpty();
      table.row(
          name,
          preview.retries(),
          none ? "-" : Spans.exact(preview.rows().get(0).delayMillis()),
          none ? "-" : Spans.exact(preview.rows().get(preview.rows().size() - 1).delayMillis()),
          none ? "-" : Spans.exact(preview.totalDelayMillis()));
    }
    if (!root().printedAsJson(list)) {
      table.print(terminal(), "");
    }
    return ExitCode.DONE;
  }
}
