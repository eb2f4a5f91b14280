package dev.reprise.cluster;

import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.engine.ShardLoop;
import dev.reprise.delivery.store.LogCopy;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A shard that the group has given to this node: on its way in, at work, or on its way out. */
final class OwnedShard {
  final int number;

  /** Completes when the shard has begun; fails if it was given back before. */
  final CompletableFuture<Running> opening = new CompletableFuture<>();

  volatile @Nullable KafkaTurnLog log;

  /** The log of the catalog, which belongs to the owner of the first shard. */
  volatile @Nullable KafkaTurnLog catalogLog;

  volatile boolean closing;

  /** Whether its intake is being fetched. Of the group's thread alone. */
  boolean fetching;

  /** A shard at work. */
  record Running(ShardLoop loop, LogCopy copy, DeliveryReader reader, Intake intake) {}

  OwnedShard(int number) {
    this.number = number;
  }

  /** Returns the shard at work; null if it is not. */
  @Nullable Running running() {
    return opening.isDone() && !opening.isCompletedExceptionally() ? opening.join() : null;
  }

  /** Returns whether it can do nothing more here, although nobody stopped it. */
  boolean isLost() {
    KafkaTurnLog ofCatalog = catalogLog;
    Running now = running();
    return !closing
        && (opening.isCompletedExceptionally()
            || (now != null && now.loop().hasEnded())
            || (ofCatalog != null && ofCatalog.hasEnded()));
  }

  /** Appends nothing more and starts no attempt; does not block. */
  void abandon() {
    closing = true;
    KafkaTurnLog own = log;
    if (own != null) {
      own.abandon();
    }
    KafkaTurnLog ofCatalog = catalogLog;
    if (ofCatalog != null) {
      ofCatalog.abandon();
    }
  }
}
