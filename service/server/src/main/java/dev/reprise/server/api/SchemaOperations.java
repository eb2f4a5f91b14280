package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.lab.scenario.ScenarioDocuments;
import dev.reprise.policy.PolicyDocuments;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.RequestFields;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Use;
import dev.reprise.server.openapi.PolicyDescriptions;
import java.util.List;
import java.util.Map;

/** The JSON Schemas of documents, of which editors make their forms. */
final class SchemaOperations {
  private static final Map<String, byte[]> SCHEMAS =
      Map.of(
          "policy", PolicyDocuments.policySchema().getBytes(UTF_8),
          "topic", PolicyDocuments.schema().getBytes(UTF_8),
          "scenario", ScenarioDocuments.schema().getBytes(UTF_8));

  List<Route> routes() {
    return List.of(
        Routes.reading(
                Use.READ, Place.ANYWHERE, "GET", "/v1/schemas/{kind}", SchemaOperations::show)
            .described(PolicyDescriptions.SCHEMA));
  }

  private static Answer show(Call call) {
    call.query();
    byte[] schema = SCHEMAS.get(call.path("kind"));
    if (schema == null) {
      throw new ApiException(
          ApiError.of(
              404,
              "not_found",
              "there is no schema '"
                  + RequestFields.shortened(call.path("kind"))
                  + "'; there are policy, topic and scenario"));
    }
    return Answer.json(200, schema);
  }
}
