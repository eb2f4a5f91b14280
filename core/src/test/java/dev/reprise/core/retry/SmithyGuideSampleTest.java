package dev.reprise.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.reprise.core.ErrorFault;
import dev.reprise.core.ErrorInfo;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.RetrySafety;
import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
import dev.reprise.core.TokenAcquisitionFailedException;
import dev.reprise.testkit.VirtualClock;
import dev.reprise.testkit.VirtualScheduler;
import dev.reprise.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * The sample classes of the Smithy guide "Retrying Requests", as it prints them: what compiles
 * against its contract compiles against ours. What the guide itself gets wrong is changed: {@code
 * Duration.ofMilliseconds} does not exist, and a switch over patterns needs a later Java.
 */
@SuppressWarnings({"serial", "UnusedMethod", "EffectivelyPrivate"})
class SmithyGuideSampleTest {
  /** From the guide. */
  private static class RetryAfterException extends RuntimeException
      implements ErrorInfo, RetryInfo {
    private final String message;

    private Duration retryAfter = null;

    public RetryAfterException(String message) {
      super(message);
      this.message = message;
    }

    @Override
    public ErrorFault fault() {
      return ErrorFault.CLIENT;
    }

    @Override
    public RetrySafety isRetrySafe() {
      return RetrySafety.YES;
    }

    @Override
    public boolean isThrottle() {
      return true;
    }

    @Override
    public Duration retryAfter() {
      return this.retryAfter;
    }

    public void setRetryAfter(Duration duration) {
      this.retryAfter = duration;
    }

    public String message() {
      return this.message;
    }
  }

  /** From the guide. */
  private record AwsStandardRetryToken(int attempts, Duration delay) implements RetryToken {}

  /** From the guide. */
  private static final class AwsStandardRetryStrategy implements RetryStrategy {
    private static final int RETRY_COST = 5;
    private static final int TIMEOUT_COST = 10;
    private static final int SUCCESS_REFUND = 1;

    private static final int MAX_ATTEMPTS = 5;
    private static final int MAX_BACKOFF = 20;
    private static final int MAX_CAPACITY = 500;

    private int tokens = MAX_CAPACITY;

    private final Object tokensLock = new Object();

    @Override
    public RetryToken acquireInitialToken() {
      return new AwsStandardRetryToken(0, null);
    }

    @Override
    public RetryToken refreshRetryToken(RetryToken token, Throwable failure) {
      if (!(token instanceof AwsStandardRetryToken standardToken)) {
        throw new IllegalArgumentException("Invalid token provided for refresh.");
      }
      if (standardToken.attempts >= MAX_ATTEMPTS) {
        throw new TokenAcquisitionFailedException("Max attempts exhausted.");
      }
      if (failure instanceof RetryInfo retryInfo && retryInfo.isRetrySafe() != RetrySafety.NO) {
        consumeTokens(retryInfo.isTimeout());
        return backoff(standardToken, retryInfo.retryAfter());
      }
      if (failure instanceof ErrorInfo errorInfo && errorInfo.fault() == ErrorFault.SERVER) {
        consumeTokens(false);
        return backoff(standardToken);
      }
      throw new TokenAcquisitionFailedException("Exception not retryable.");
    }

    private void consumeTokens(boolean isTimeout) {
      synchronized (tokensLock) {
        int cost = isTimeout ? TIMEOUT_COST : RETRY_COST;

        if (this.tokens < cost) {
          throw new TokenAcquisitionFailedException("Token bucket exhausted.");
        }

        this.tokens -= cost;
      }
    }

    private AwsStandardRetryToken backoff(AwsStandardRetryToken token) {
      return new AwsStandardRetryToken(token.attempts + 1, computeDelay(token.attempts));
    }

    private AwsStandardRetryToken backoff(AwsStandardRetryToken token, Duration suggested) {
      Duration computedDelay = computeDelay(token.attempts);
      Duration finalDelay =
          computedDelay.toMillis() < suggested.toMillis() ? suggested : computedDelay;
      return new AwsStandardRetryToken(token.attempts + 1, finalDelay);
    }

    private Duration computeDelay(int attempts) {
      double backoff = Math.pow(2, attempts);
      backoff = Math.min(backoff, MAX_BACKOFF);
      double backoffMillis = Math.random() * backoff * 1000;
      return Duration.ofMillis((long) backoffMillis);
    }

    @Override
    public void recordSuccess(RetryToken token) {
      synchronized (tokensLock) {
        if (this.tokens < MAX_CAPACITY) {
          this.tokens += SUCCESS_REFUND;
        }
      }
    }
  }

  @Test
  void theSampleStrategyDrivesARetry() {
    VirtualTime time = new VirtualTime(new VirtualScheduler(new VirtualClock()));
    Retry retry = Retry.builder().strategy(new AwsStandardRetryStrategy()).time(time).build();
    AtomicInteger calls = new AtomicInteger();

    String result =
        retry.call(
            () -> {
              if (calls.incrementAndGet() < 3) {
                RetryAfterException failure = new RetryAfterException("slow down");
                failure.setRetryAfter(Duration.ofMinutes(1));
                throw failure;
              }
              return "done";
            });

    assertThat(result).isEqualTo("done");
    assertThat(time.waits()).containsExactly(Duration.ofMinutes(1), Duration.ofMinutes(1));
    assertThat(new AwsStandardRetryToken(2, Duration.ZERO).attempt()).isZero();
  }
}
