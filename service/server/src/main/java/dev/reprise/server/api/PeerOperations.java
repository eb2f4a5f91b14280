package dev.reprise.server.api;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.reprise.server.access.AccessControl;
import dev.reprise.server.access.AuditRecord;
import dev.reprise.server.access.SignedSessions;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Description;
import dev.reprise.server.http.Place;
import dev.reprise.server.http.Route;
import dev.reprise.server.http.Use;
import dev.reprise.server.nodes.ClusterView;
import dev.reprise.server.peer.PeerSecret;
import dev.reprise.server.peer.Peers;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Operations for the other nodes of the cluster only. */
final class PeerOperations {
  private static final String BYTES = "application/octet-stream";

  private final Peers peers;
  private final AccessControl access;
  private final SignedSessions sessions;
  private final ClusterView cluster;

  PeerOperations(Peers peers, AccessControl access, SignedSessions sessions, ClusterView cluster) {
    this.peers = peers;
    this.access = access;
    this.sessions = sessions;
    this.cluster = cluster;
  }

  List<Route> routes() {
    return List.of(
        route(Peers.PATH, this::answer),
        route(Peers.AUDIT_PATH, this::record),
        route(Peers.SESSION_PATH, this::endSession),
        route(Peers.NODE_PATH, this::describe),
        route(Peers.KEY_PATH, this::createKey));
  }

  private static Route route(String path, Route.Operation operation) {
    return new Route(
        "POST",
        path,
        Use.OPEN,
        Place.ANYWHERE,
        BYTES,
        Route.MAX_DOCUMENT_BYTES,
        Route.RunsOn.WORKER,
        operation,
        Description.NONE);
  }

  private void requireNode(Call call, String path) {
    String token = call.header(Peers.HEADER);
    PeerSecret.Sender sender = token == null ? null : peers.secret().verify(token, "POST", path);
    if (sender == null || !sender.isNode()) {
      throw new ApiException(
          ApiError.of(403, "forbidden", "only nodes of this cluster may ask here"));
    }
  }

  /** A change that another node has made, and cannot record. */
  private CompletionStage<Answer> record(Call call) {
    requireNode(call, Peers.AUDIT_PATH);
    access.audit().add(AuditRecord.read(call.body()));
    return done();
  }

  private static CompletionStage<Answer> done() {
    return CompletableFuture.completedFuture(new Answer(200, BYTES, new byte[0], Map.of()));
  }

  /** A session of a browser that another node has ended. */
  private CompletionStage<Answer> endSession(Call call) {
    requireNode(call, Peers.SESSION_PATH);
    sessions.ended(new String(call.body(), US_ASCII));
    return done();
  }

  /** Makes an operator's key for another node, which was started to replace lost keys. */
  private CompletionStage<Answer> createKey(Call call) {
    requireNode(call, Peers.KEY_PATH);
    String key = access.createOperatorKey(new String(call.body(), UTF_8));
    return CompletableFuture.completedFuture(
        new Answer(200, BYTES, key.getBytes(UTF_8), Map.of("Cache-Control", "no-store")));
  }

  private CompletionStage<Answer> describe(Call call) {
    requireNode(call, Peers.NODE_PATH);
    return cluster.hereAsOfNow().thenApply(document -> Answer.json(200, document));
  }

  private CompletionStage<Answer> answer(Call call) {
    requireNode(call, Peers.PATH);
    return peers.answer(call.body()).thenApply(answer -> new Answer(200, BYTES, answer, Map.of()));
  }
}
