package dev.reprise.cli.policy;

import dev.reprise.cli.base.BaseCommand;
import dev.reprise.cli.base.ExitCode;
import dev.reprise.cli.base.Json;
import dev.reprise.cli.terminal.Table;
import dev.reprise.common.text.AmountText;
import dev.reprise.policy.Presets;
import dev.reprise.policy.preview.DelaySpan;
import dev.reprise.policy.preview.SchedulePreview;
import java.time.Duration;
import picocli.CommandLine.Command;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** Lists the policies that have a name; needs no service. */
@Command(
    name = "presets",
    description = {
      "List the policies that have a name.",
      "Topics and subscriptions take those for topics; `preview`, `lab` and the library take all."
    },
    footer = {"  ./reprise presets", "  ./reprise preview notification-email"})
public final class PresetsCommand extends BaseCommand {
  @Override
  public Integer call() {
    ArrayNode list = Json.object().putArray("presets");
    Table table =
        new Table(
            "PRESET", "FOR TOPICS", ">RETRIES", ">SHORTEST DELAY", ">LONGEST DELAY", ">TOTAL");
    for (String name : Presets.names()) {
      SchedulePreview preview = SchedulePreview.of(Presets.policy(name), name);
      JsonNode json = preview.toJson();
      String document = json.has("policy") ? "policy" : "healthyRetryPolicy";
      list.addObject().put("name", name).set(document, json.get(document));
      DelaySpan total = preview.total();
      boolean none = preview.rows().isEmpty();
      table.row(
          name,
          Presets.notificationNames().contains(name) ? "yes" : "",
          preview.isUnlimited() ? "no end" : preview.retries(),
          none ? "-" : shown(shortest(preview)),
          none ? "-" : AmountText.exact(longest(preview)),
          none || total == null ? "-" : upTo(total));
    }
    if (!root().printedAsJson(list)) {
      table.print(terminal(), "");
    }
    return ExitCode.DONE;
  }

  /** The shortest of delays drawn from 0 upwards is 0 for all practical purposes. */
  private static String shown(Duration delay) {
    return !delay.isZero() && delay.compareTo(Duration.ofMillis(1)) < 0
        ? "under 1 ms"
        : AmountText.exact(delay);
  }

  private static Duration shortest(SchedulePreview preview) {
    return preview.rows().stream()
        .map(row -> row.delay().lowest())
        .min(Duration::compareTo)
        .orElseThrow();
  }

  private static Duration longest(SchedulePreview preview) {
    return preview.rows().stream()
        .map(row -> row.delay().highest())
        .max(Duration::compareTo)
        .orElseThrow();
  }

  private static String upTo(DelaySpan total) {
    return (total.isJittered() ? "up to " : "") + AmountText.exact(total.highest());
  }
}
