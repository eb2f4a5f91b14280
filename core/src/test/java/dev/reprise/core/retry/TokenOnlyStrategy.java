package dev.reprise.core.retry;

import dev.reprise.core.RetryStrategy;
import dev.reprise.core.RetryToken;
import dev.reprise.core.StopReason;
import dev.reprise.core.TokenAcquisitionFailedException;
import java.time.Duration;

/**
 * A strategy as a reader of the Smithy guide would write it: tokens and nothing else; waits 1, 2, 3
 * … s.
 */
final class TokenOnlyStrategy implements RetryStrategy {
  private record Token(int attempt, Duration delay) implements RetryToken {}

  private final int maxAttempts;
  private int successes;

  TokenOnlyStrategy(int maxAttempts) {
    this.maxAttempts = maxAttempts;
  }

  int successes() {
    return successes;
  }

  @Override
  public RetryToken acquireInitialToken() {
    if (maxAttempts == 0) {
      throw new TokenAcquisitionFailedException(StopReason.BUDGET, "nothing left");
    }
    return new Token(1, Duration.ZERO);
  }

  @Override
  public RetryToken refreshRetryToken(RetryToken token, Throwable failure) {
    if (token.attempt() >= maxAttempts) {
      throw new TokenAcquisitionFailedException(StopReason.ATTEMPTS, "no attempts left");
    }
    return new Token(token.attempt() + 1, Duration.ofSeconds(token.attempt()));
  }

  @Override
  public void recordSuccess(RetryToken token) {
    successes++;
  }
}
