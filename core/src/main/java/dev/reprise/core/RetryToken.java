package dev.reprise.core;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The state of one operation between its attempts (Smithy guide "Retrying Requests"). A strategy
 * issues a token for the first attempt and a new one for every retry; each token is used once, for
 * {@link RetryStrategy#refreshRetryToken} or for {@link RetryStrategy#recordSuccess}.
 */
public interface RetryToken {
  /** Returns how long to wait before the attempt of this token; never null, never negative. */
  Duration delay();

  /**
   * Returns the attempt that this token is for, counted from 1: the first try is attempt 1. A token
   * that does not say it returns 0, as do those of the Smithy guide "Retrying Requests", which have
   * nothing but a delay.
   */
  default int attempt() {
    return 0;
  }

  /** Returns the scope whose budget the attempt belongs to, or null for the default scope. */
  default @Nullable String scope() {
    return null;
  }
}
