package dev.reprise.cluster.ownership;

import dev.reprise.cluster.intake.ShardIntake;
import dev.reprise.cluster.log.KafkaTurnLog;
import dev.reprise.delivery.DeliveryReader;
import dev.reprise.delivery.host.ShardLoop;
import dev.reprise.delivery.store.LogCopy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A shard that the group has given to this node: on its way in, at work, or on its way out. */
public final class OwnedShard {
  final int number;

  /** Completes when the shard has begun; fails if it was given back before. */
  final CompletableFuture<Running> opening = new CompletableFuture<>();

  volatile @Nullable KafkaTurnLog log;

  /** The log of the catalog, which belongs to the owner of the first shard. */
  volatile @Nullable KafkaTurnLog catalogLog;

  volatile boolean closing;

  /** The state of its take-over, while that waits; null before. Of the take-over alone. */
  ShardTakeover.@Nullable CaughtUp caughtUp;

  /** The failures of its take-over in succession. Of the take-over alone. */
  int takeoverFailures;

  /** The thread that takes it over just now; null for none. Guarded by this. */
  private @Nullable Thread takingOver;

  /** Whether its intake is being fetched. Of the group's thread alone. */
  boolean fetching;

  /** A shard at work. */
  public record Running(ShardLoop loop, LogCopy copy, DeliveryReader reader, ShardIntake intake) {}

  OwnedShard(int number) {
    this.number = number;
  }

  /**
   * The take-over begins, or goes on, on this thread.
   *
   * @return false if the shard was given back before
   */
  synchronized boolean begin() {
    if (closing) {
      return false;
    }
    takingOver = Thread.currentThread();
    return true;
  }

  /** The take-over gives this thread back, and goes on later unless the shard is given back. */
  void paused() {
    synchronized (this) {
      takingOver = null;
      // An interruption was meant for the take-over, and the thread goes on to others.
      Thread.interrupted();
      if (closing) {
        opening.completeExceptionally(givenBack());
      }
    }
  }

  private static IllegalStateException givenBack() {
    return new IllegalStateException("given back");
  }

  /**
   * The take-over has ended on this thread, in whatever way.
   *
   * @param failure why the shard is not at work, if it is not
   */
  void ended(Throwable failure) {
    synchronized (this) {
      takingOver = null;
    }
    // An interruption was meant for the take-over, and the thread goes on to others.
    Thread.interrupted();
    opening.completeExceptionally(failure);
  }

  /** The shard is given back: a take-over ends soon. Does not wait for that. */
  synchronized void giveBack() {
    closing = true;
    if (takingOver != null) {
      takingOver.interrupt();
    } else {
      // It has no thread just now, and gets none any more. Nothing happens if it is at work.
      opening.completeExceptionally(givenBack());
    }
  }

  /** Waits until the shard is at work or never will be; false if that takes longer. */
  boolean awaitOpening(long maxWaitNanos) throws InterruptedException {
    try {
      opening.get(maxWaitNanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (ExecutionException e) {
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  /** Returns the shard at work; null if it is not. */
  @Nullable Running running() {
    return opening.isDone() && !opening.isCompletedExceptionally() ? opening.join() : null;
  }

  /** Returns whether it can do nothing more here, although it was not stopped. */
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
    giveBack();
    KafkaTurnLog own = log;
    if (own != null) {
      own.abandon();
    }
    KafkaTurnLog ofCatalog = catalogLog;
    if (ofCatalog != null) {
      ofCatalog.abandon();
    }
  }

  /** Appends nothing more; an append under way has a little time to end. */
  void closeLogs() {
    KafkaTurnLog own = log;
    if (own != null) {
      own.close();
    }
    KafkaTurnLog ofCatalog = catalogLog;
    if (ofCatalog != null) {
      ofCatalog.close();
    }
  }
}
