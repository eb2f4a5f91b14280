package dev.reprise.cluster.peer;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A call to the owner of a shard that is given up once the shard has moved. An owner that stands
 * still keeps its connections, and does not answer until a call's own time is over, long after the
 * group has named another owner. Only for what may be asked twice.
 */
final class PeerCall<T> {
  private static final long LOOK_MILLIS = 100;

  private final CompletableFuture<T> answer = new CompletableFuture<>();
  private final BooleanSupplier hasMoved;

  private PeerCall(BooleanSupplier hasMoved) {
    this.hasMoved = hasMoved;
  }

  /** The shard has moved before its owner has answered. */
  static final class MovedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MovedException() {
      super("the shard has moved");
    }
  }

  /**
   * Watches a call; does not block, and no thread waits.
   *
   * @return the answer; fails as the call, or with {@link MovedException}
   */
  static <T> CompletableFuture<T> unlessMoved(CompletionStage<T> call, BooleanSupplier hasMoved) {
    PeerCall<T> watched = new PeerCall<>(hasMoved);
    call.whenComplete(
        (answered, error) -> {
          if (error != null) {
            watched.answer.completeExceptionally(error);
          } else {
            watched.answer.complete(answered);
          }
        });
    watched.lookLater();
    return watched.answer;
  }

  private void lookLater() {
    if (answer.isDone()) {
      return;
    }
    CompletableFuture<Void> pause =
        new CompletableFuture<Void>().completeOnTimeout(null, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    var unused = pause.thenRunAsync(this::look);
    // Most answers are there before: nothing is left of the timer then.
    var unusedToo = answer.whenComplete((answered, error) -> pause.cancel(false));
  }

  private void look() {
    if (hasMoved.getAsBoolean()) {
      answer.completeExceptionally(new MovedException());
    } else {
      lookLater();
    }
  }
}
