package dev.reprise.server.api;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** The nodes of the cluster, and who owns what. */
final class ClusterOperations {
  private final ClusterView cluster;

  ClusterOperations(ClusterView cluster) {
    this.cluster = cluster;
  }

  List<Route> routes() {
    return List.of(Routes.waiting(Use.OPERATE, "GET", "/v1/cluster", "", this::show));
  }

  private CompletionStage<Answer> show(Call call) {
    call.query();
    return cluster.cluster().thenApply(document -> Answer.json(200, document));
  }
}
