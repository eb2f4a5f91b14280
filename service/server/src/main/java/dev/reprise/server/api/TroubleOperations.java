package dev.reprise.server.api;

import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.document.TroublesDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Times;
import dev.reprise.server.http.Use;
import dev.reprise.server.nodes.TroubleList;
import dev.reprise.server.openapi.ServiceDescriptions;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The list of what an operator must act on. */
final class TroubleOperations {
  private final TroubleList troubles;
  private final DeliveryEngine engine;
  private final Executor executor;

  TroubleOperations(TroubleList troubles, DeliveryEngine engine, Executor executor) {
    this.troubles = troubles;
    this.engine = engine;
    this.executor = executor;
  }

  List<Route> routes() {
    return List.of(
        Routes.waiting(Use.READ, Place.ANYWHERE, "GET", "/v1/troubles", "", this::list)
            .described(ServiceDescriptions.GET_TROUBLES));
  }

  private CompletionStage<Answer> list(Call call) {
    call.query();
    @Nullable String project = call.everything() ? null : call.project().name();
    return troubles
        .asOfNow(project, executor)
        .thenApply(
            all -> Answer.json(200, new TroublesDocument(Times.text(engine.nowMillis()), all)));
  }
}
