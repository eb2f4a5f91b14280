/**
 * {@link dev.reprise.core.retry.Retry}, which runs operations under a strategy: blocking or
 * asynchronous, with deadlines, timeouts, hedging and one event per attempt.
 *
 * <p>{@link dev.reprise.core.retry.Retry#explain} tells why a failure is not retried:
 *
 * <pre>{@code
 * log.warn("{}", retry.explain(failure), failure);
 * // CompletionException is not retried: the connection broke (by its cause SocketException); it may
 * // have taken effect, and is not declared idempotent. To retry it: RetryBuilder.idempotent(true), …
 * }</pre>
 */
@NullMarked
package dev.reprise.core.retry;

import org.jspecify.annotations.NullMarked;
