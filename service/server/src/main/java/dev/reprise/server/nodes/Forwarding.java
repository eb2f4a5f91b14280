package dev.reprise.server.nodes;

import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.peer.OwnerCalls;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.server.access.AuditLog;
import dev.reprise.server.access.AuditRecord;
import dev.reprise.server.http.Answer;
import dev.reprise.server.http.ApiError;
import dev.reprise.server.http.ApiException;
import dev.reprise.server.http.Call;
import dev.reprise.server.http.Placement;
import dev.reprise.server.http.Route;
import dev.reprise.server.peer.Peers;
import io.vertx.core.MultiMap;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Has requests answered by the node that can. A shard that has no owner just now, or whose owner is
 * not reached, is waited for a while: a take-over takes seconds.
 */
public final class Forwarding {
  /** Marks an answer of a node that does not own the shard: nothing was done. */
  static final String ELSEWHERE_HEADER = "Reprise-Elsewhere";

  private static final long RECORD_SECONDS = 5;

  /** The headers of an answer that its connection sets anew. */
  private static final Set<String> OF_CONNECTION =
      Set.of("content-length", "connection", "transfer-encoding", "keep-alive", "content-type");

  private final Owners owners;
  private final Peers peers;
  private final Placement placement;
  private final OwnerCalls calls;

  /** Knows the owners of shards. */
  interface Owners {
    /** Returns whether a shard runs here. */
    boolean isHere(int shard);

    /** Returns whether the catalog can be written here. */
    boolean isWritable();

    /** Returns the node that the group has given a shard to; null if there is none. */
    ShardMap.@Nullable Node owner(int shard);
  }

  /**
   * Forwarding with the given owners and placement.
   *
   * @param maxWait how long a shard without an owner is waited for
   */
  Forwarding(Owners owners, Placement placement, Peers peers, Duration maxWait) {
    this.owners = owners;
    this.placement = placement;
    this.peers = peers;
    this.calls = new OwnerCalls(owners::owner, maxWait);
  }

  /** Forwarding for an engine. */
  public static Forwarding of(DeliveryEngine engine, Peers peers) {
    Owners owners =
        new Owners() {
          @Override
          public boolean isHere(int shard) {
            return engine.isHere(shard);
          }

          @Override
          public boolean isWritable() {
            return engine.isWritable();
          }

          @Override
          public ShardMap.@Nullable Node owner(int shard) {
            return peers.owner(shard);
          }
        };
    Placement placement = new Placement(engine.catalog(), engine.shardCount());
    return new Forwarding(owners, placement, peers, OwnerCalls.MAX_WAIT);
  }

  /**
   * Returns the answer of another node; null if this one answers. What completes with nothing is
   * for this node as well: the shard has come here meanwhile.
   *
   * @param uri path and query as they came
   */
  public @Nullable CompletionStage<Optional<Answer>> elsewhere(
      Route route, Call call, String method, String uri) {
    int shard = placement.shardOf(route.place(), call);
    if (shard == Placement.ANYWHERE || owners.isHere(shard)) {
      return null;
    }
    if (call.header(Peers.HEADER) != null) {
      // The other node saw this one as the owner; it looks again. Only here is it certain that
      // nothing was done: what fails later for want of a shard may have changed something.
      throw new ApiException(notOwned(shard));
    }
    return calls.ask(shard, new Forwarded(shard, call, method, uri));
  }

  /**
   * Records a change in the audit log of the cluster, which one node writes. Blocks.
   *
   * @throws ShardElsewhereException if that node is not reached in time
   */
  public void record(AuditRecord record, AuditLog log) {
    var unused = calls.await(Placement.CATALOG, new Recorded(record, log), why -> {});
  }

  /** A change to be recorded. Twice is better than never. */
  private final class Recorded implements OwnerCalls.Question<byte[], Boolean> {
    private final AuditRecord record;
    private final AuditLog log;

    Recorded(AuditRecord record, AuditLog log) {
      this.record = record;
      this.log = log;
    }

    @Override
    public @Nullable CompletionStage<Boolean> here() {
      if (!owners.isWritable()) {
        return null;
      }
      log.add(record);
      return CompletableFuture.completedFuture(true);
    }

    @Override
    public CompletionStage<byte[]> there(ShardMap.Node owner) {
      return peers
          .record(owner, record.write())
          .toCompletableFuture()
          .orTimeout(RECORD_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public Boolean read(byte[] answer) {
      return true;
    }

    @Override
    public boolean mayRepeat() {
      return true;
    }
  }

  /** A request of a client. Answered with nothing if the shard has come here meanwhile. */
  private final class Forwarded implements OwnerCalls.Question<Peers.Answered, Optional<Answer>> {
    private final int shard;
    private final Call call;
    private final String method;
    private final String uri;

    Forwarded(int shard, Call call, String method, String uri) {
      this.shard = shard;
      this.call = call;
      this.method = method;
      this.uri = uri;
    }

    @Override
    public @Nullable CompletionStage<Optional<Answer>> here() {
      return owners.isHere(shard) ? CompletableFuture.completedFuture(Optional.empty()) : null;
    }

    @Override
    public CompletionStage<Peers.Answered> there(ShardMap.Node owner) {
      return peers.forward(
          owner,
          call.caller().key(),
          call.permit().client(),
          method,
          uri,
          call.headers(),
          call.body());
    }

    @Override
    public Optional<Answer> read(Peers.Answered answered) {
      if (isElsewhere(answered)) {
        throw OwnerCalls.AskAgainException.onItsWay();
      }
      if (answered.headers().contains(Peers.REFUSED_HEADER)) {
        throw new ShardElsewhereException(
            shard,
            "is owned by "
                + answered.node()
                + ", which does not take this node for one of its cluster: compare their clocks");
      }
      return Optional.of(answer(answered));
    }

    @Override
    public boolean mayRepeat() {
      return method.equals("GET");
    }
  }

  private static ApiError notOwned(int shard) {
    return new ApiError(
        503,
        "shard_elsewhere",
        "shard " + shard + " is not owned by the node that was asked",
        List.of(),
        Map.of("Retry-After", "1", ELSEWHERE_HEADER, "1"));
  }

  private static boolean isElsewhere(Peers.Answered answered) {
    return answered.status() == 503 && answered.headers().contains(ELSEWHERE_HEADER);
  }

  private static Answer answer(Peers.Answered answered) {
    Map<String, String> headers = new HashMap<>();
    MultiMap all = answered.headers();
    for (Map.Entry<String, String> each : all) {
      if (!OF_CONNECTION.contains(each.getKey().toLowerCase(Locale.ROOT))) {
        headers.put(each.getKey(), each.getValue());
      }
    }
    return new Answer(answered.status(), answered.contentType(), answered.body(), headers)
        .thatMustArrive();
  }
}
