package dev.reprise.core.retry;

import dev.reprise.core.Operation;
import dev.reprise.core.StopReason;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one attempt, and what follows. Every attempt that was made or announced has
 * exactly one event; an operation ends with exactly one event whose {@link #isLast()} is true.
 * Immutable.
 *
 * @param name the name of the {@link Retry}
 * @param operation the operation as the {@link Retry} was told
 * @param attempt the attempt, counted from 1
 * @param kind what became of it
 * @param failure why the attempt failed; null when it did not. A result that was not accepted is a
 *     {@link RejectedResultException}
 * @param attemptTime how long the attempt took; zero when it was not made
 * @param delay how long until the next attempt; zero when there is none
 * @param stopReason why no attempt follows a failure; null when one follows, and after a success
 */
public record RetryEvent(
    String name,
    Operation operation,
    int attempt,
    Kind kind,
    @Nullable Throwable failure,
    Duration attemptTime,
    Duration delay,
    @Nullable StopReason stopReason) {
  /** Checks that the required parts are present. */
  public RetryEvent {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(operation, "operation");
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(attemptTime, "attemptTime");
    Objects.requireNonNull(delay, "delay");
  }

  /** The outcomes of an attempt. */
  public enum Kind {
    /** It succeeded, and so did the operation. */
    SUCCESS,

    /** It failed, and another attempt follows after {@link RetryEvent#delay()}. */
    RETRY,

    /**
     * It failed, and so did the operation, for {@link RetryEvent#stopReason()}: the caller gets the
     * failure, or the result that was not accepted, such as the response of a 404. An attempt that
     * is cancelled just when it starts is told of like this even if its operation was not called
     * yet.
     */
    STOP,

    /**
     * It was announced and never made: the wait for it was interrupted or cancelled. The operation
     * failed for {@link RetryEvent#stopReason()}; the failure is that of the attempt before.
     */
    NOT_MADE,

    /** It ran beside another one that decided the outcome; what became of it does not matter. */
    SUPERSEDED
  }

  /** Returns true when no further event of the operation that decides its outcome follows. */
  public boolean isLast() {
    return kind == Kind.SUCCESS || kind == Kind.STOP || kind == Kind.NOT_MADE;
  }
}
