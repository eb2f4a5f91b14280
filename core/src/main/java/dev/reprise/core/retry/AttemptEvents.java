package dev.reprise.core.retry;

import dev.reprise.core.Operation;
import dev.reprise.core.StopReason;
import dev.reprise.core.retry.RetryEvent.Kind;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tells the listener of a {@link Retry} of each attempt. Without one it costs nothing. */
final class AttemptEvents {
  private final String name;
  private final Operation operation;
  private final TimeSource time;
  private final @Nullable RetryListener listener;

  AttemptEvents(
      String name, Operation operation, TimeSource time, @Nullable RetryListener listener) {
    this.name = name;
    this.operation = operation;
    this.time = time;
    this.listener = listener;
  }

  /** Returns the time at which an attempt starts; 0 if it will not be asked for. */
  long attemptStarted() {
    return listener == null ? 0 : time.nanoTime();
  }

  void notMade(int attempt, Throwable failure, StopReason reason) {
    if (listener != null) {
      tell(attempt, Kind.NOT_MADE, failure, Duration.ZERO, 0, reason);
    }
  }

  void success(int attempt, long attemptStartNanos) {
    if (listener != null) {
      tell(attempt, Kind.SUCCESS, null, since(attemptStartNanos), 0, null);
    }
  }

  void retry(int attempt, Throwable failure, long attemptStartNanos, long delayNanos) {
    if (listener != null) {
      tell(attempt, Kind.RETRY, failure, since(attemptStartNanos), delayNanos, null);
    }
  }

  void stop(int attempt, Throwable failure, long attemptStartNanos, @Nullable StopReason reason) {
    if (listener != null) {
      tell(attempt, Kind.STOP, failure, since(attemptStartNanos), 0, reason);
    }
  }

  void superseded(int attempt, @Nullable Throwable failure, long attemptStartNanos) {
    if (listener != null) {
      tell(attempt, Kind.SUPERSEDED, failure, since(attemptStartNanos), 0, null);
    }
  }

  private Duration since(long attemptStartNanos) {
    return Duration.ofNanos(time.nanoTime() - attemptStartNanos);
  }

  private void tell(
      int attempt,
      Kind kind,
      @Nullable Throwable failure,
      Duration attemptTime,
      long delayNanos,
      @Nullable StopReason reason) {
    try {
      Objects.requireNonNull(listener)
          .onAttempt(
              new RetryEvent(
                  name,
                  operation,
                  attempt,
                  kind,
                  failure,
                  attemptTime,
                  Duration.ofNanos(delayNanos),
                  reason));
    } catch (Throwable e) {
      RetryLog.warn(name, "a listener threw", e);
    }
  }
}
