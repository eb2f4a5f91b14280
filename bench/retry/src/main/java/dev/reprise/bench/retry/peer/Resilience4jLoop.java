package dev.reprise.bench.retry.peer;

import io.github.resilience4j.core.IntervalFunction;
import io.github.resilience4j.retry.Retry;
import io.github.resilience4j.retry.RetryConfig;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/** resilience4j-retry. */
final class Resilience4jLoop {
  private Resilience4jLoop() {}

  static Calls calls(PeerSetting setting) {
    Retry retry = retry(0, setting.maxAttempts);
    return operation -> () -> retry.executeCallable(operation);
  }

  static AsyncCalls asyncCalls(AsyncWork work, Duration delay) {
    Retry retry = retry(delay.toMillis(), PeerSetting.DEFAULTS.maxAttempts);
    ScheduledExecutorService scheduler = Schedulers.open();
    return new AsyncCalls() {
      @Override
      public Object start() {
        return retry.executeCompletionStage(scheduler, work::stage);
      }

      @Override
      public void close() {
        scheduler.shutdownNow();
      }
    };
  }

  static LongSupplier delayMillis(int retry) {
    IntervalFunction delays =
        IntervalFunction.ofExponentialRandomBackoff(
            NextDelayFormula.BASE, NextDelayFormula.FACTOR, 0.5, NextDelayFormula.CAP);
    return () -> delays.apply(retry);
  }

  private static Retry retry(long delayMillis, int maxAttempts) {
    return Retry.of(
        "bench",
        RetryConfig.custom()
            .maxAttempts(maxAttempts)
            .intervalFunction(attempt -> delayMillis)
            .retryExceptions(IOException.class)
            .build());
  }
}
