package dev.reprise.core;

import org.jspecify.annotations.Nullable;

/**
 * Decides whether and when a failed operation is tried again (Smithy guide "Retrying Requests"). A
 * strategy holds what many operations share, such as a budget; what belongs to one operation
 * travels in its {@link RetryToken}s. It decides and never acts: it does not sleep, and it runs no
 * attempt.
 *
 * <p>The loop around one operation:
 *
 * <pre>{@code
 * RetryToken token = strategy.acquireInitialToken();
 * while (true) {
 *   wait(token.delay());
 *   Result result;
 *   try {
 *     result = send();
 *   } catch (Exception failure) {
 *     token = strategy.refreshRetryToken(token, failure); // throws when there is no retry
 *     continue;
 *   }
 *   strategy.recordSuccess(token);
 *   return result;
 * }
 * }</pre>
 *
 * <p>{@code dev.reprise.core.retry.Retry} is this loop with everything that a program needs around
 * it. Implementations are thread-safe.
 */
public interface RetryStrategy {
  /**
   * Returns the token of the first attempt of an operation in the default scope that is not
   * declared idempotent. Even the first attempt may have to wait.
   *
   * @throws TokenAcquisitionFailedException when no token can be had; the caller then makes one
   *     attempt all the same, and no retry
   */
  RetryToken acquireInitialToken();

  /**
   * Returns the token of the first attempt of the operation. A strategy that knows neither scopes
   * nor idempotency answers as {@link #acquireInitialToken()} does.
   *
   * @throws TokenAcquisitionFailedException when no token can be had; the caller then makes one
   *     attempt all the same, and no retry
   */
  default RetryToken acquireInitialToken(Operation operation) {
    return acquireInitialToken();
  }

  /**
   * Returns the token of the first attempt of an operation in the scope.
   *
   * @param scope the scope, or null for the default one
   * @throws TokenAcquisitionFailedException when no token can be had
   */
  default RetryToken acquireInitialToken(@Nullable String scope) {
    return acquireInitialToken(Operation.DEFAULT.withScope(scope));
  }

  /**
   * Returns the token of the next attempt after one that failed. The given token is used up,
   * whatever the answer.
   *
   * @throws TokenAcquisitionFailedException when there is to be no retry; it tells why
   * @throws IllegalArgumentException when the token is not of this strategy, or was used before;
   *     nothing has changed then
   */
  RetryToken refreshRetryToken(RetryToken token, Throwable failure);

  /**
   * Tells that the attempt of the token succeeded. The token is used up.
   *
   * @throws IllegalArgumentException when the token is not of this strategy, or was used before;
   *     nothing has changed then
   */
  void recordSuccess(RetryToken token);

  /**
   * Tells that the attempt of the token is not made after all, such as when the caller cancels in
   * the wait before it. The cost of the retry is given back. The token is used up. A strategy whose
   * retries cost nothing has nothing to do.
   *
   * @throws IllegalArgumentException when the token is not of this strategy, or was used before;
   *     nothing has changed then
   */
  default void abandon(RetryToken token) {}
}
