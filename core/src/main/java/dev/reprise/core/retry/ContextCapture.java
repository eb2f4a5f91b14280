package dev.reprise.core.retry;

import java.util.Objects;

/**
 * Carries the context of the calling thread, such as the MDC of a logger, the security context or
 * the span of a trace, to the threads on which attempts and listeners run that do not run on it. An
 * exception of it is logged, and the operation goes on without the context. Thread-safe.
 *
 * <p>{@code MicrometerContext} of {@code reprise-micrometer} carries every thread-local that is
 * registered with Micrometer's context propagation, {@code OpenTelemetryContext} of {@code
 * reprise-opentelemetry} that of OpenTelemetry. A transaction that is bound to its thread cannot be
 * carried: a connection serves one thread at a time.
 */
@FunctionalInterface
public interface ContextCapture {
  /** Takes a snapshot of the calling thread's context. Called once an operation, at its start. */
  Snapshot capture();

  /**
   * Returns a capture of both contexts; that of the other is entered last and left first. An
   * exception of one is logged, and the other is carried none the less.
   */
  default ContextCapture and(ContextCapture other) {
    return new JoinedContext(this, Objects.requireNonNull(other, "other"));
  }

  /** A context that was captured. Used many times, on any thread. */
  @FunctionalInterface
  interface Snapshot {
    /** Runs the task within the context, and afterwards restores the thread's former context. */
    void run(Runnable task);
  }
}
