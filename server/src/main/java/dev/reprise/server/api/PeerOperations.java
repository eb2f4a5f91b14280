package dev.reprise.server.api;

import dev.reprise.server.peer.Peers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Operations for other nodes of the cluster, and for nobody else. */
final class PeerOperations {
  private static final String BYTES = "application/octet-stream";

  private final Peers peers;
  private final AuditLog audit;

  PeerOperations(Peers peers, AuditLog audit) {
    this.peers = peers;
    this.audit = audit;
  }

  List<Route> routes() {
    return List.of(route(Peers.PATH, this::answer), route(Peers.AUDIT_PATH, this::record));
  }

  private static Route route(String path, Route.Operation operation) {
    return new Route(
        "POST", path, Use.OPEN, BYTES, Route.MAX_DOCUMENT_BYTES, Route.RunsOn.WORKER, operation);
  }

  private void requireNode(Call call, String path) {
    String token = call.header(Peers.HEADER);
    String caller = token == null ? null : peers.secret().verify(token, "POST", path);
    if (caller == null || !caller.isEmpty()) {
      throw new ApiException(
          ApiError.of(403, "forbidden", "only nodes of this cluster may ask here"));
    }
  }

  /** A change that another node has made, and cannot record. */
  private CompletionStage<Answer> record(Call call) {
    requireNode(call, Peers.AUDIT_PATH);
    audit.add(AuditRecord.read(call.body()));
    return CompletableFuture.completedFuture(new Answer(200, BYTES, new byte[0], Map.of()));
  }

  private CompletionStage<Answer> answer(Call call) {
    requireNode(call, Peers.PATH);
    return peers.answer(call.body()).thenApply(answer -> new Answer(200, BYTES, answer, Map.of()));
  }
}
