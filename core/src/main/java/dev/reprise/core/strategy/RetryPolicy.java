package dev.reprise.core.strategy;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.core.RetryInfo;
import dev.reprise.core.StopReason;
import dev.reprise.core.backoff.Backoff;
import java.time.Duration;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether and when to retry. A policy decides and never acts: it keeps no state and reads
 * no clock. Immutable and thread-safe.
 *
 * @param backoff how long to wait before each retry
 * @param maxRetries how many retries may follow the first attempt, at least 0; attempts = 1 +
 *     retries
 * @param hintCeiling the longest wait that the other side may ask for, at least 0 and at most
 *     {@link Long#MAX_VALUE} nanoseconds; a longer hint ends the operation
 */
public record RetryPolicy(Backoff backoff, int maxRetries, Duration hintCeiling) {
  private static final Duration MAX_HINT = Duration.ofNanos(Long.MAX_VALUE);

  /** Checks all arguments; throws {@link IllegalArgumentException} naming the one that is wrong. */
  public RetryPolicy {
    Objects.requireNonNull(backoff, "backoff");
    if (maxRetries < 0) {
      throw new InvalidSettingException("maxRetries", maxRetries, "must be >= 0");
    }
    Objects.requireNonNull(hintCeiling, "hintCeiling");
    if (hintCeiling.isNegative()) {
      throw new InvalidSettingException("hintCeiling", hintCeiling, "must not be negative");
    }
    if (hintCeiling.compareTo(MAX_HINT) > 0) {
      throw new InvalidSettingException("hintCeiling", hintCeiling, "must be at most " + MAX_HINT);
    }
  }

  /**
   * Decides what follows a failed attempt.
   *
   * @param retriesMade retries already made, at least 0: 0 after the first attempt
   * @param failure what is known of the failure
   * @param idempotent whether the operation may be repeated although it may have taken effect
   * @param remainingNanos time from now to the deadline, which may have passed, or {@link
   *     Long#MAX_VALUE} when there is none
   * @param random where jitter is drawn from
   * @throws IllegalArgumentException when {@code retriesMade} is negative
   */
  public RetryDecision decide(
      int retriesMade,
      RetryInfo failure,
      boolean idempotent,
      long remainingNanos,
      RandomGenerator random) {
    if (retriesMade < 0) {
      throw new InvalidSettingException("retriesMade", retriesMade, "must be >= 0");
    }

    Duration hint = usableHint(failure.retryAfter());
    StopReason refusal = refusal(retriesMade, failure, idempotent, hint);
    if (refusal != null) {
      return new RetryDecision.Stop(refusal);
    }

    int retry = retriesMade + 1;
    long backoffNanos = backoff.delayNanos(retry, random);
    long hintNanos = hint == null ? RetryDecision.Retry.NO_HINT : hint.toNanos();

    // The longer of the two waits: never earlier than the other side asked, never faster than our
    // own.
    long delayNanos = Math.max(backoffNanos, hintNanos);
    return isTooLate(delayNanos, remainingNanos)
        ? new RetryDecision.Stop(StopReason.DEADLINE)
        : new RetryDecision.Retry(retry, delayNanos, backoffNanos, hintNanos);
  }

  /**
   * Returns why there is no retry, whatever its delay would be; null if nothing refuses it.
   *
   * @param hint the wait that the other side asks for and that the ceiling limits, or null for none
   */
  @Nullable StopReason refusal(
      int retriesMade, RetryInfo failure, boolean idempotent, @Nullable Duration hint) {
    // Repeating what must not be repeated does harm that no later success mends.
    if (!failure.isRetrySafe().allowsRetry(idempotent)) {
      return StopReason.NOT_RETRYABLE;
    }

    // The promise of how often the other side is called at most.
    if (retriesMade >= maxRetries) {
      return StopReason.ATTEMPTS;
    }

    // A retry before the requested time would be refused again, and a wait beyond the ceiling helps
    // no caller.
    if (hint != null && hint.compareTo(hintCeiling) > 0) {
      return StopReason.HINT_TOO_LONG;
    }
    return null;
  }

  /** Returns true for a retry that cannot start before the deadline: it is not worth the wait. */
  static boolean isTooLate(long delayNanos, long remainingNanos) {
    return delayNanos > remainingNanos;
  }

  /** Drops a negative hint: it asks for a time that has passed, and says nothing about the next. */
  private static @Nullable Duration usableHint(@Nullable Duration hint) {
    return hint == null || hint.isNegative() ? null : hint;
  }
}
