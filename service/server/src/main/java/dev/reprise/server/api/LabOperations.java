package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.lab.scenario.Scenario;
import dev.reprise.lab.scenario.ScenarioDocuments;
import dev.reprise.lab.scenario.ScenarioException;
import dev.reprise.lab.scenario.ScenarioLibrary;
import dev.reprise.policy.NotificationPolicy;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.StrictJson;
import dev.reprise.server.http.Use;
import dev.reprise.server.labs.LabBounds;
import dev.reprise.server.labs.LabRuns;
import dev.reprise.server.openapi.LabDescriptions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Operations of the lab: scenarios that are run in this process, beside its deliveries. */
final class LabOperations {
  private static final String HTML = "text/html; charset=utf-8";

  /**
   * The page has a policy of its own, which lists its scripts by their hashes; beside it stand what
   * a page cannot say of itself. It runs in an origin of its own, so that nothing in it can speak
   * for its reader.
   */
  private static final Map<String, String> REPORT_HEADERS =
      Map.of("Content-Security-Policy", "sandbox allow-scripts; frame-ancestors 'self'");

  private final LabRuns runs = new LabRuns();

  List<Route> routes() {
    return List.of(
        Routes.reading(Use.READ, Place.ANYWHERE, "GET", "/v1/lab/scenarios", this::scenarios)
            .described(LabDescriptions.LIST_SCENARIOS),
        // Runs are in the memory of one node.
        Routes.reading(Use.READ, Place.CATALOG, "GET", "/v1/lab/runs", this::list)
            .described(LabDescriptions.LIST_LAB_RUNS),
        Routes.changing(Use.MANAGE, Place.CATALOG, "POST", "/v1/lab/runs", this::begin)
            .described(LabDescriptions.BEGIN_LAB_RUN),
        Routes.reading(Use.READ, Place.CATALOG, "GET", "/v1/lab/runs/{id}", this::show)
            .described(LabDescriptions.SHOW_LAB_RUN),
        Routes.reading(Use.MANAGE, Place.CATALOG, "DELETE", "/v1/lab/runs/{id}", this::cancel)
            .described(LabDescriptions.CANCEL_LAB_RUN),
        Routes.reading(Use.READ, Place.CATALOG, "GET", "/v1/lab/runs/{id}/report", this::report)
            .described(LabDescriptions.LAB_REPORT),
        Routes.reading(Use.READ, Place.CATALOG, "GET", "/v1/lab/runs/{id}/results", this::results)
            .described(LabDescriptions.LAB_RESULTS));
  }

  private Answer scenarios(Call call) {
    call.query();
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (String name : ScenarioLibrary.names()) {
      list.add(StrictJson.read(ScenarioLibrary.read(name).getBytes(UTF_8)));
    }
    return Answer.json(200, list);
  }

  private Answer begin(Call call) {
    call.query();
    Scenario scenario;
    try {
      scenario = ScenarioDocuments.read(call.json().toString());
    } catch (ScenarioException e) {
      throw new ApiException(ApiError.invalid(e.violations()));
    }
    LabBounds.check(scenario);
    return Answer.json(202, json(runs.begin(scenario, call.caller()))).thatMustArrive();
  }

  private Answer list(Call call) {
    call.query();
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    runs.list(call.caller()).forEach(run -> list.add(json(run)));
    return Answer.json(200, list);
  }

  private Answer show(Call call) {
    call.query();
    return Answer.json(200, json(runs.get(call.path("id"), call.caller())));
  }

  private Answer cancel(Call call) {
    call.query();
    runs.get(call.path("id"), call.caller()).cancel();
    return Answer.noContent();
  }

  private Answer report(Call call) {
    call.query();
    byte[] html = runs.get(call.path("id"), call.caller()).html();
    return new Answer(200, HTML, existing(html), REPORT_HEADERS);
  }

  private Answer results(Call call) {
    call.query();
    return Answer.json(200, existing(runs.get(call.path("id"), call.caller()).json()));
  }

  private static byte[] existing(byte @Nullable [] report) {
    if (report == null) {
      throw new ApiException(
          ApiError.of(409, "conflict", "the run has no results: it must be done first"));
    }
    return report;
  }

  private static ObjectNode json(LabRuns.LabRun run) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("id", run.id());
    json.put("name", run.scenario().name());
    json.put("state", run.state().name().toLowerCase(Locale.ROOT));
    json.put("done", run.done());
    json.put("all", run.all());
    String reason = run.reason();
    if (reason != null) {
      json.put("reason", reason);
    }
    ArrayNode policies = json.putArray("policies");
    run.scenario()
        .policies()
        .forEach(
            (name, policy) -> {
              ObjectNode one = policies.addObject().put("name", name);
              // Topics deliver by policies of the notification format only.
              one.put("fitsTopics", policy instanceof NotificationPolicy);
              one.set("policy", ScenarioDocuments.writePolicy(policy));
            });
    ArrayNode findings = json.putArray("findings");
    run.findings().forEach(findings::add);
    return json;
  }
}
