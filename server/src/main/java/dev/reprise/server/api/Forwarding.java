package dev.reprise.server.api;

import dev.reprise.cluster.NotSentException;
import dev.reprise.cluster.ShardMap;
import dev.reprise.cluster.ShardWait;
import dev.reprise.delivery.engine.DeliveryEngine;
import dev.reprise.delivery.engine.ShardElsewhereException;
import dev.reprise.server.peer.Peers;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Has requests answered by the node that can. A shard that has no owner just now, or whose owner is
 * not reached, is waited for a while: a take-over takes seconds.
 */
final class Forwarding {
  /** Marks an answer of a node that does not own the shard: nothing was done. */
  static final String ELSEWHERE_HEADER = "Reprise-Elsewhere";

  private static final long RECORD_SECONDS = 5;

  /** The headers of an answer that its connection sets anew. */
  private static final Set<String> OF_CONNECTION =
      Set.of("content-length", "connection", "transfer-encoding", "keep-alive", "content-type");

  private final Vertx vertx;
  private final Owners owners;
  private final Peers peers;
  private final Placement placement;
  private final long maxWaitNanos;

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
   * Forwarding by some who know.
   *
   * @param maxWaitNanos how long a shard without an owner is waited for
   */
  Forwarding(Vertx vertx, Owners owners, Placement placement, Peers peers, long maxWaitNanos) {
    this.vertx = vertx;
    this.owners = owners;
    this.placement = placement;
    this.peers = peers;
    this.maxWaitNanos = maxWaitNanos;
  }

  /** Forwarding for an engine. */
  static Forwarding of(Vertx vertx, DeliveryEngine engine, Peers peers) {
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
    return new Forwarding(vertx, owners, placement, peers, ShardWait.MAX_NANOS);
  }

  /**
   * Returns the answer of another node; null if this one answers. What completes with nothing is
   * for this node as well: the shard has come here meanwhile.
   *
   * @param uri path and query as they came
   */
  @Nullable CompletionStage<Optional<Answer>> elsewhere(
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
    CompletableFuture<Optional<Answer>> answer = new CompletableFuture<>();
    forward(shard, call, method, uri, System.nanoTime() + maxWaitNanos, answer);
    return answer;
  }

  /**
   * Records a change in the audit log of the cluster, which one node writes. Blocks.
   *
   * @throws ShardElsewhereException if that node is not reached in time
   */
  void record(AuditRecord record, AuditLog log) {
    long end = System.nanoTime() + maxWaitNanos;
    while (true) {
      if (owners.isWritable()) {
        log.add(record);
        return;
      }
      ShardMap.Node owner = owners.owner(Placement.CATALOG);
      try {
        if (owner != null && !owner.url().isEmpty()) {
          var unused =
              peers
                  .record(owner, record.write())
                  .toCompletableFuture()
                  .get(RECORD_SECONDS, TimeUnit.SECONDS);
          return;
        }
        Thread.sleep(ShardWait.LOOK_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ShardElsewhereException(Placement.CATALOG, "was not waited for");
      } catch (ExecutionException | TimeoutException e) {
        if (System.nanoTime() - end > 0) {
          throw new ShardElsewhereException(
              Placement.CATALOG, "has an owner that does not answer: " + e.getMessage());
        }
      }
      if (System.nanoTime() - end > 0) {
        throw new ShardElsewhereException(Placement.CATALOG, "has no owner");
      }
    }
  }

  private void forward(
      int shard,
      Call call,
      String method,
      String uri,
      long endNanos,
      CompletableFuture<Optional<Answer>> answer) {
    ShardMap.Node owner = owners.owner(shard);
    if (owners.isHere(shard)) {
      answer.complete(Optional.empty());
      return;
    }
    if (owner == null || owner.url().isEmpty()) {
      again(shard, call, method, uri, endNanos, answer, "has no owner just now");
      return;
    }
    CompletionStage<Peers.Answered> forwarded =
        peers.forward(
            owner,
            call.caller().key(),
            call.permit().client(),
            method,
            uri,
            call.headers(),
            call.body());
    CompletableFuture<Peers.Answered> first = forwarded.toCompletableFuture().copy();
    if (method.equals("GET")) {
      giveUpOnceMoved(shard, owner, first);
    }
    var unused =
        first.whenComplete(
            (answered, failure) -> {
              Throwable error =
                  failure instanceof CompletionException ? failure.getCause() : failure;
              if (error instanceof NotSentException) {
                // Nothing was done, so it may be asked for again, of the next owner perhaps.
                String why =
                    "is owned by " + owner.name() + ", which is not reached: " + error.getMessage();
                again(shard, call, method, uri, endNanos, answer, why);
              } else if (error != null && !method.equals("GET")) {
                answer.completeExceptionally(new ApiException(unanswered(shard, owner)));
              } else if (error != null) {
                String why = "is owned by " + owner.name() + ", which does not answer";
                again(shard, call, method, uri, endNanos, answer, why);
              } else if (isElsewhere(answered)) {
                again(shard, call, method, uri, endNanos, answer, "is on its way to another node");
              } else if (answered.headers().contains(Peers.REFUSED_HEADER)) {
                answer.completeExceptionally(
                    new ShardElsewhereException(
                        shard,
                        "is owned by "
                            + owner.name()
                            + ", which does not take this node for one of its cluster: compare"
                            + " their clocks"));
              } else {
                answer.complete(Optional.of(answer(answered)));
              }
            });
  }

  /**
   * Gives a question up that the owner has not answered when another one is named. One that stands
   * still would be waited for much longer.
   */
  private void giveUpOnceMoved(
      int shard, ShardMap.Node owner, CompletableFuture<Peers.Answered> answer) {
    long timer =
        vertx.setTimer(
            ShardWait.LOOK_MILLIS,
            fired -> {
              if (owners.isHere(shard) || !owner.equals(owners.owner(shard))) {
                answer.completeExceptionally(new TimeoutException("the shard has moved"));
              } else if (!answer.isDone()) {
                giveUpOnceMoved(shard, owner, answer);
              }
            });
    var unused = answer.whenComplete((answered, error) -> vertx.cancelTimer(timer));
  }

  private static ApiError notOwned(int shard) {
    return new ApiError(
        503,
        "shard_elsewhere",
        "shard " + shard + " is not owned by the node that was asked",
        List.of(),
        Map.of("Retry-After", "1", ELSEWHERE_HEADER, "1"));
  }

  /** Not as of a shard that is elsewhere, of which it is known that nothing was done. */
  private static ApiError unanswered(int shard, ShardMap.Node owner) {
    return ApiError.of(
            503,
            "shard_elsewhere",
            "shard "
                + shard
                + " is owned by "
                + owner.name()
                + ", which has not answered: the change may have been made, or not")
        .withHeader("Retry-After", "1");
  }

  private static boolean isElsewhere(Peers.Answered answered) {
    return answered.status() == 503 && answered.headers().contains(ELSEWHERE_HEADER);
  }

  private void again(
      int shard,
      Call call,
      String method,
      String uri,
      long endNanos,
      CompletableFuture<Optional<Answer>> answer,
      String why) {
    if (System.nanoTime() - endNanos > 0) {
      answer.completeExceptionally(new ShardElsewhereException(shard, why));
      return;
    }
    vertx.setTimer(
        ShardWait.LOOK_MILLIS, timer -> forward(shard, call, method, uri, endNanos, answer));
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
