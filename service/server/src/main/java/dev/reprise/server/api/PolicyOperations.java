package dev.reprise.server.api;

import dev.reprise.policy.Policy;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.policy.Presets;
import dev.reprise.policy.preview.SchedulePreview;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.PolicyDescriptions;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Operations that preview a policy, and list the presets. Nothing is stored. */
final class PolicyOperations {
  List<Route> routes() {
    return List.of(
        Routes.changing(Use.READ, Place.ANYWHERE, "POST", "/v1/preview", this::preview)
            .described(PolicyDescriptions.PREVIEW),
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", "/v1/presets", this::presets)
            .described(PolicyDescriptions.LIST_PRESETS));
  }

  private Answer preview(Call call) {
    call.query();
    JsonNode document = call.json();
    Policy policy = PolicyDocuments.read(document);
    JsonNode preset = document.get("preset");
    String name =
        document.isString()
            ? document.stringValue()
            : preset != null && preset.isString() ? preset.stringValue() : "policy";
    SchedulePreview preview = SchedulePreview.of(policy, name);
    ObjectNode body = preview.toJson();
    SchedulePreview.putRows(body.putArray("rows"), preview.rows());
    if (!preview.throttleRows().isEmpty()) {
      SchedulePreview.putRows(body.putArray("throttleRows"), preview.throttleRows());
    }
    ArrayNode warnings = body.putArray("warnings");
    PolicyDocuments.ignored(document).forEach(warnings::add);
    preview.warnings().forEach(warnings::add);
    return Answer.json(200, body);
  }

  private Answer presets(Call call) {
    call.query();
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (String name : Presets.names()) {
      ObjectNode json = SchedulePreview.of(Presets.policy(name), name).toJson();
      String document = json.has("policy") ? "policy" : "healthyRetryPolicy";
      list.addObject().put("name", name).set(document, json.get(document));
    }
    return Answer.json(200, list);
  }
}
