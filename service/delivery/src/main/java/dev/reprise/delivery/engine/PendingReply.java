package dev.reprise.delivery.engine;

import dev.reprise.delivery.shard.Reply;
import java.util.concurrent.CompletableFuture;

/**
 * A shard's answer that another thread waits for.
 *
 * @param <T> the answer's type
 */
final class PendingReply<T> implements Reply<T> {
  final CompletableFuture<T> future = new CompletableFuture<>();

  @Override
  public void complete(T answer) {
    future.complete(answer);
  }

  @Override
  public void fail(Throwable error) {
    future.completeExceptionally(error);
  }
}
