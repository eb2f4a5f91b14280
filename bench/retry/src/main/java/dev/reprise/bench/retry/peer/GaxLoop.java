package dev.reprise.bench.retry.peer;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.core.NanoClock;
import com.google.api.gax.retrying.BasicResultRetryAlgorithm;
import com.google.api.gax.retrying.DirectRetryingExecutor;
import com.google.api.gax.retrying.ExponentialRetryAlgorithm;
import com.google.api.gax.retrying.RetryAlgorithm;
import com.google.api.gax.retrying.RetrySettings;
import com.google.api.gax.retrying.RetryingFuture;
import com.google.api.gax.retrying.ScheduledRetryingExecutor;
import com.google.api.gax.retrying.TimedAttemptSettings;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Google's gax, {@code com.google.api.gax.retrying}, which all its cloud clients retry with. */
final class GaxLoop {
  private static final ApiFuture<Object> DONE = ApiFutures.immediateFuture(AsyncWork.RESULT);
  private static final ApiFuture<Object> FAILED =
      ApiFutures.immediateFailedFuture(AsyncWork.FAILURE);

  private GaxLoop() {}

  static Calls calls(PeerSetting setting) {
    DirectRetryingExecutor<Object> executor =
        new DirectRetryingExecutor<>(algorithm(settings(Duration.ZERO, setting.maxAttempts)));
    return operation -> () -> executor.submit(executor.createFuture(operation)).get();
  }

  static AsyncCalls asyncCalls(AsyncWork work, Duration delay) {
    ScheduledExecutorService scheduler = Schedulers.open();
    ScheduledRetryingExecutor<Object> executor =
        new ScheduledRetryingExecutor<>(
            algorithm(settings(delay, PeerSetting.DEFAULTS.maxAttempts)), scheduler);
    return new AsyncCalls() {
      @Override
      @SuppressWarnings("FutureReturnValueIgnored") // The caller gets it, as an object.
      public Object start() {
        Attempt attempt = new Attempt(work);
        RetryingFuture<Object> future = executor.createFuture(attempt);
        attempt.future = future;
        attempt.call();
        return future;
      }

      @Override
      public void close() {
        scheduler.shutdownNow();
      }
    };
  }

  @SuppressWarnings("deprecation") // The jitter is what is compared, not what replaces its switch.
  static LongSupplier delayMillis(int retry) {
    ExponentialRetryAlgorithm delays =
        new ExponentialRetryAlgorithm(
            limits()
                .setInitialRetryDelayDuration(NextDelayFormula.BASE)
                .setRetryDelayMultiplier(NextDelayFormula.FACTOR)
                .setMaxRetryDelayDuration(NextDelayFormula.CAP)
                .setJittered(true)
                .build(),
            NanoClock.getDefaultClock());
    TimedAttemptSettings first = delays.createFirstAttempt();
    // Its next attempt adds one to these counts.
    TimedAttemptSettings previous =
        retry == 1
            ? first
            : first.toBuilder()
                .setAttemptCount(retry - 1)
                .setOverallAttemptCount(retry - 1)
                .setRetryDelayDuration(NextDelayFormula.CAP)
                .build();
    return () -> delays.createNextAttempt(previous).getRandomizedRetryDelayDuration().toMillis();
  }

  private static RetryAlgorithm<Object> algorithm(RetrySettings settings) {
    return new RetryAlgorithm<>(
        new BasicResultRetryAlgorithm<Object>() {
          @Override
          public boolean shouldRetry(@Nullable Throwable failure, @Nullable Object result) {
            return failure instanceof IOException;
          }
        },
        new ExponentialRetryAlgorithm(settings, NanoClock.getDefaultClock()));
  }

  @SuppressWarnings("deprecation") // There is no other way to have no jitter.
  private static RetrySettings settings(Duration delay, int maxAttempts) {
    return limits()
        .setMaxAttempts(maxAttempts)
        .setInitialRetryDelayDuration(delay)
        .setMaxRetryDelayDuration(delay)
        .setJittered(false)
        .build();
  }

  private static RetrySettings.Builder limits() {
    return RetrySettings.newBuilder()
        .setTotalTimeoutDuration(Duration.ofDays(1))
        .setInitialRpcTimeoutDuration(Duration.ofHours(1))
        .setMaxRpcTimeoutDuration(Duration.ofHours(1));
  }

  /**
   * The work of each attempt that gax calls; it hands over a future instead of returning a value.
   */
  private static final class Attempt implements Callable<Object> {
    private final AsyncWork work;
    private @Nullable RetryingFuture<Object> future;

    Attempt(AsyncWork work) {
      this.work = work;
    }

    @Override
    @SuppressWarnings("NullAway") // Its contract: the value is not looked at.
    public Object call() {
      if (future != null) {
        future.setAttemptFuture(work.succeeds() ? DONE : FAILED);
      }
      return null;
    }
  }
}
