package dev.reprise.bench.retry.peer;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import software.amazon.awssdk.retries.DefaultRetryStrategy;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.retries.api.AcquireInitialTokenRequest;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.retries.api.RecordSuccessRequest;
import software.amazon.awssdk.retries.api.RefreshRetryTokenRequest;
import software.amazon.awssdk.retries.api.RefreshRetryTokenResponse;
import software.amazon.awssdk.retries.api.RetryToken;
import software.amazon.awssdk.retries.api.TokenAcquisitionFailedException;

/** The retries of the AWS SDK 2: its standard strategy, and the loop that it wants around it. */
public final class AwsLoop {
  private static final AcquireInitialTokenRequest SCOPE =
      AcquireInitialTokenRequest.create("bench");

  private AwsLoop() {}

  static Calls calls(PeerSetting setting) {
    StandardRetryStrategy strategy = strategy(setting);
    return operation -> () -> call(strategy, operation);
  }

  private static Object call(StandardRetryStrategy strategy, Callable<Object> operation)
      throws Exception {
    RetryToken token = strategy.acquireInitialToken(SCOPE).token();
    while (true) {
      Object result;
      try {
        result = operation.call();
      } catch (IOException failure) {
        token = refresh(strategy, token, failure);
        continue;
      }
      strategy.recordSuccess(RecordSuccessRequest.create(token));
      return result;
    }
  }

  private static RetryToken refresh(
      StandardRetryStrategy strategy, RetryToken token, IOException failure)
      throws IOException, InterruptedException {
    try {
      RefreshRetryTokenResponse next = strategy.refreshRetryToken(request(token, failure));
      // Sleeps not at all when there is no delay, and does not cut one to whole milliseconds.
      TimeUnit.NANOSECONDS.sleep(next.delay().toNanos());
      return next.token();
    } catch (TokenAcquisitionFailedException stopped) {
      failure.addSuppressed(stopped);
      throw failure;
    }
  }

  public static PeerRequest protocol() {
    StandardRetryStrategy strategy = strategy(PeerSetting.NO_DELAY);
    IOException failure = new OwnFailure();
    return () -> {
      RetryToken first = strategy.acquireInitialToken(SCOPE).token();
      RetryToken second = strategy.refreshRetryToken(request(first, failure)).token();
      return strategy.recordSuccess(RecordSuccessRequest.create(second));
    };
  }

  /** The same with a bucket that is empty. */
  public static PeerRequest refusedProtocol() {
    StandardRetryStrategy strategy = strategy(PeerSetting.NO_DELAY);
    IOException failure = new OwnFailure();
    PeerRequest refused =
        () -> {
          RetryToken first = strategy.acquireInitialToken(SCOPE).token();
          try {
            return strategy.refreshRetryToken(request(first, failure));
          } catch (TokenAcquisitionFailedException empty) {
            return empty;
          }
        };
    try {
      while (!(refused.run() instanceof TokenAcquisitionFailedException)) {
        // Drains it.
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return refused;
  }

  static LongSupplier delayMillis(int retry) {
    BackoffStrategy delays =
        BackoffStrategy.exponentialDelay(NextDelayFormula.BASE, NextDelayFormula.CAP);
    int attempt = Math.max(retry, 2); // It counts the first try as 1, and delays nothing before it.
    return () -> delays.computeDelay(attempt).toMillis();
  }

  private static RefreshRetryTokenRequest request(RetryToken token, IOException failure) {
    return RefreshRetryTokenRequest.builder()
        .token(token)
        .failure(failure)
        .suggestedDelay(Duration.ZERO)
        .build();
  }

  private static StandardRetryStrategy strategy(PeerSetting setting) {
    return DefaultRetryStrategy.standardStrategyBuilder()
        .maxAttempts(setting.maxAttempts)
        .retryOnExceptionInstanceOf(IOException.class)
        .treatAsThrottling(failure -> false)
        .backoffStrategy(BackoffStrategy.retryImmediately())
        .throttlingBackoffStrategy(BackoffStrategy.retryImmediately())
        .circuitBreakerEnabled(setting.hasBudget())
        .build();
  }
}
