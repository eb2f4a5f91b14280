package dev.reprise.cluster;

import dev.reprise.delivery.engine.EngineClosedException;
import dev.reprise.delivery.engine.ShardElsewhereException;
import dev.reprise.delivery.shard.Reply;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks a shard, wherever it is, which message an idempotency key stands for. A shard that has no
 * owner just now is waited for, and one that has another owner meanwhile is asked there: to ask
 * again is harmless, since the key has one message from the first time on.
 */
final class Reservation implements Reply<ShardInput.Reserved> {
  private final int shard;
  private final ShardInput.Reserve asked;
  private final IntFunction<OwnedShard.@Nullable Running> here;
  private final IntFunction<ShardMap.@Nullable Node> owners;
  private final Supplier<@Nullable PeerClient> client;
  private final BooleanSupplier closed;
  private final long endNanos = System.nanoTime() + ShardWait.MAX_NANOS;

  /**
   * A question.
   *
   * @param here knows the shards at work on this node
   * @param owners knows the owner of each shard
   */
  Reservation(
      int shard,
      ShardInput.Reserve asked,
      IntFunction<OwnedShard.@Nullable Running> here,
      IntFunction<ShardMap.@Nullable Node> owners,
      Supplier<@Nullable PeerClient> client,
      BooleanSupplier closed) {
    this.shard = shard;
    this.asked = asked;
    this.here = here;
    this.owners = owners;
    this.client = client;
    this.closed = closed;
  }

  /** Asks; does not block. */
  void ask() {
    OwnedShard.Running own = here.apply(shard);
    if (own != null) {
      own.loop()
          .submit(
              new ShardInput.Reserve(asked.digest(), asked.fingerprint(), asked.proposed(), this));
      return;
    }
    ShardMap.Node owner = owners.apply(shard);
    PeerClient peers = client.get();
    if (closed.getAsBoolean()) {
      fail(new EngineClosedException());
    } else if (owner == null || peers == null) {
      fail(elsewhere(shard, owner));
    } else {
      askThere(owner, peers);
    }
  }

  private void askThere(ShardMap.Node owner, PeerClient peers) {
    byte[] request = PeerProtocol.encode(PeerProtocol.Request.reserving(shard, asked));
    var unused =
        PeerCall.send(peers, owner, request, () -> !owner.equals(owners.apply(shard)))
            .whenComplete(
                (answer, error) -> {
                  if (error != null) {
                    fail(elsewhere(shard, owner));
                    return;
                  }
                  ShardInput.Reserved reserved;
                  try {
                    reserved = PeerProtocol.readReserved(shard, answer);
                  } catch (RuntimeException e) {
                    fail(e);
                    return;
                  }
                  complete(reserved);
                });
  }

  /** Says where a shard is that is not here. */
  static ShardElsewhereException elsewhere(int shard, ShardMap.@Nullable Node owner) {
    return new ShardElsewhereException(
        shard, owner == null ? "has no owner just now" : "is owned by " + owner.name());
  }

  @Override
  public void complete(ShardInput.Reserved reserved) {
    asked.reply().complete(reserved);
  }

  @Override
  public void fail(Throwable error) {
    if (closed.getAsBoolean() || !isOnItsWay(error)) {
      asked.reply().fail(error);
    } else if (System.nanoTime() - endNanos > 0) {
      asked.reply().fail(error instanceof ShardElsewhereException ? error : elsewhere(shard, null));
    } else {
      CompletableFuture.delayedExecutor(ShardWait.LOOK_MILLIS, TimeUnit.MILLISECONDS)
          .execute(this::ask);
    }
  }

  /** Whether the shard is given back here, or was lost, or is elsewhere. */
  private static boolean isOnItsWay(Throwable error) {
    return error instanceof ShardElsewhereException
        || error instanceof EngineClosedException
        || isLost(error)
        || isLost(error.getCause());
  }

  private static boolean isLost(@Nullable Throwable error) {
    return error instanceof StoreException e && e.lost();
  }
}
