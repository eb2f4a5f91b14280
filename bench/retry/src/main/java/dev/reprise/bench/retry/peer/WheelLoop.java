package dev.reprise.bench.retry.peer;

import io.netty.util.HashedWheelTimer;
import io.netty.util.Timeout;
import io.netty.util.TimerTask;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The floor of parked retries: a bare timer wheel, and nothing for each but what waits, the future
 * that somebody waits for, and the link between the two. Knows neither policy nor failure.
 */
final class WheelLoop implements AsyncCalls {
  private static final int TICKS = 512;

  private final HashedWheelTimer timer;
  private final AsyncWork work;
  private final long delayNanos;

  WheelLoop(AsyncWork work, Duration delay) {
    this.timer =
        new HashedWheelTimer(
            task -> {
              Thread thread = new Thread(task, "bench-wheel");
              thread.setDaemon(true);
              return thread;
            },
            1,
            TimeUnit.MILLISECONDS,
            TICKS,
            false);
    this.work = work;
    this.delayNanos = delay.toNanos();
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // The caller gets it, as an object.
  public Object start() {
    if (work.succeeds()) {
      return AsyncWork.DONE;
    }
    return timer.newTimeout(
        new Retry(work, new CompletableFuture<>()), delayNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public Object join(Object call) throws InterruptedException, ExecutionException {
    return ((Retry) ((Timeout) call).task()).result.get();
  }

  @Override
  public void cancel(Object call) {
    ((Timeout) call).cancel();
  }

  @Override
  public void close() {
    timer.stop();
  }

  private record Retry(AsyncWork work, CompletableFuture<Object> result) implements TimerTask {
    @Override
    public void run(Timeout timeout) {
      if (work.succeeds()) {
        result.complete(AsyncWork.RESULT);
      } else {
        result.completeExceptionally(AsyncWork.FAILURE);
      }
    }
  }
}
