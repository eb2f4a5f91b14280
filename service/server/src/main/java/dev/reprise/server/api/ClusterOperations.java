package dev.reprise.server.api;

import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.server.document.ClusterDocument;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Routes;
import dev.reprise.server.http.Use;
import dev.reprise.server.nodes.ClusterView;
import dev.reprise.server.openapi.ServiceDescriptions;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The nodes of the cluster, and the shards that each owns. */
final class ClusterOperations {
  private final ClusterView cluster;
  private final DeliveryEngine engine;

  ClusterOperations(ClusterView cluster, DeliveryEngine engine) {
    this.cluster = cluster;
    this.engine = engine;
  }

  List<Route> routes() {
    return List.of(
        Routes.waiting(Use.OPERATE, Place.ANYWHERE, "GET", "/v1/cluster", "", this::show)
            .described(ServiceDescriptions.GET_CLUSTER),
        Routes.waiting(
                Use.OPERATOR_CHANGE,
                Place.CATALOG,
                "POST",
                "/v1/cluster/acknowledge",
                "",
                this::acknowledge)
            .described(ServiceDescriptions.ACKNOWLEDGE_LOST));
  }

  private CompletionStage<Answer> acknowledge(Call call) {
    call.query();
    return engine
        .acknowledgeLost()
        .thenApply(isNew -> Answer.json(200, new ClusterDocument.Acknowledged(isNew)));
  }

  private CompletionStage<Answer> show(Call call) {
    call.query();
    return cluster.cluster().thenApply(document -> Answer.json(200, document));
  }
}
