/**
 * Strategies, and {@link dev.reprise.core.retry.Retry}, which runs operations under one: blocking
 * or asynchronous, with deadlines, timeouts, hedging and one event per attempt.
 */
@NullMarked
package dev.reprise.core.retry;

import org.jspecify.annotations.NullMarked;
