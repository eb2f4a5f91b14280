package dev.reprise.core.retry;

/**
 * Carries the context of the calling thread, such as the MDC of a logger or the span of a trace, to
 * the threads on which later attempts and listeners run. An exception of it is logged, and the
 * operation goes on without the context. Thread-safe.
 */
@FunctionalInterface
public interface ContextCapture {
  /** Takes a snapshot of the calling thread's context. Called once an operation, at its start. */
  Snapshot capture();

  /** A context that was captured. Used many times, on any thread. */
  @FunctionalInterface
  interface Snapshot {
    /** Runs the task within the context, and afterwards restores the thread's former context. */
    void run(Runnable task);
  }
}
