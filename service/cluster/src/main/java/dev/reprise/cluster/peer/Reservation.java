package dev.reprise.cluster.peer;

import dev.reprise.cluster.group.ShardMap;
import dev.reprise.cluster.ownership.OwnedShard;
import dev.reprise.delivery.host.EngineClosedException;
import dev.reprise.delivery.host.ShardElsewhereException;
import dev.reprise.delivery.shard.Reply;
import dev.reprise.delivery.shard.ShardInput;
import dev.reprise.delivery.store.StoreException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Asks a shard, wherever it is, which message an idempotency key stands for. To ask again is
 * harmless, since the key has one message from the first time on.
 */
public final class Reservation implements OwnerCalls.Question<byte[], ShardInput.Reserved> {
  private final int shard;
  private final ShardInput.Reserve asked;
  private final IntFunction<OwnedShard.@Nullable Running> running;
  private final PeerClient peers;
  private final BooleanSupplier closed;

  /**
   * A question.
   *
   * @param running knows the shards at work on this node
   */
  public Reservation(
      int shard,
      ShardInput.Reserve asked,
      IntFunction<OwnedShard.@Nullable Running> running,
      PeerClient peers,
      BooleanSupplier closed) {
    this.shard = shard;
    this.asked = asked;
    this.running = running;
    this.peers = peers;
    this.closed = closed;
  }

  @Override
  public @Nullable CompletionStage<ShardInput.Reserved> here() {
    OwnedShard.Running here = running.apply(shard);
    if (here != null) {
      CompletableFuture<ShardInput.Reserved> answer = new CompletableFuture<>();
      here.loop()
          .submit(
              new ShardInput.Reserve(
                  asked.digest(), asked.fingerprint(), asked.proposed(), replyTo(answer)));
      return answer;
    }
    if (closed.getAsBoolean()) {
      throw new EngineClosedException();
    }
    return null;
  }

  private Reply<ShardInput.Reserved> replyTo(CompletableFuture<ShardInput.Reserved> answer) {
    return new Reply<>() {
      @Override
      public void complete(ShardInput.Reserved reserved) {
        answer.complete(reserved);
      }

      @Override
      public void fail(Throwable error) {
        answer.completeExceptionally(
            !closed.getAsBoolean() && isOnItsWay(error)
                ? OwnerCalls.AskAgainException.onItsWay()
                : error);
      }
    };
  }

  @Override
  public CompletionStage<byte[]> there(ShardMap.Node owner) {
    return peers.call(owner, PeerProtocol.encode(PeerProtocol.Request.reserving(shard, asked)));
  }

  @Override
  public ShardInput.Reserved read(byte[] answer) {
    if (PeerProtocol.isElsewhere(answer)) {
      throw OwnerCalls.AskAgainException.onItsWay();
    }
    return PeerProtocol.readReserved(shard, answer);
  }

  @Override
  public boolean mayRepeat() {
    return true;
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
