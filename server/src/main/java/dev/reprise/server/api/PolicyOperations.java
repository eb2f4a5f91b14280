package dev.reprise.server.api;

import dev.reprise.policy.NotificationPolicy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import dev.reprise.policy.SchedulePreview;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** What a policy would do, and the policies that have a name. Nothing is stored. */
final class PolicyOperations {
  List<Route> routes() {
    return List.of(
        Routes.changing("POST", "/v1/preview", this::preview),
        Routes.reading("GET", "/v1/presets", this::presets));
  }

  private Answer preview(Call call) {
    call.query();
    JsonNode document = call.json();
    NotificationPolicy policy = PolicyDocuments.readAnyShape(document);
    JsonNode preset = document.get("preset");
    String name =
        document.isString()
            ? document.stringValue()
            : preset != null && preset.isString() ? preset.stringValue() : "policy";
    SchedulePreview preview = SchedulePreview.of(policy, name, null);
    ObjectNode body = preview.toJson();
    ArrayNode rows = body.putArray("rows");
    for (SchedulePreview.Row row : preview.rows()) {
      rows.addObject()
          .put("retry", row.firstRetry())
          .put("stage", row.stage().wireName())
          .put("delayMillis", row.delayMillis())
          .put("lowestMillis", row.lowestMillis())
          .put("highestMillis", row.highestMillis())
          .put("cumulativeMillis", row.cumulativeMillis())
          .put("times", row.times());
    }
    ArrayNode warnings = body.putArray("warnings");
    preview.warnings().forEach(warnings::add);
    return Answer.json(200, body);
  }

  private Answer presets(Call call) {
    call.query();
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (String name : Presets.names()) {
      ObjectNode preset = list.addObject();
      preset.put("name", name);
      preset.set(
          "healthyRetryPolicy",
          SchedulePreview.of(Presets.get(name), name).toJson().get("healthyRetryPolicy"));
    }
    return Answer.json(200, list);
  }
}
