package dev.reprise.core.retry;

import org.jspecify.annotations.Nullable;

/**
 * Carries two contexts. One that cannot be captured, entered or left is logged, and the other is
 * carried none the less; what the task itself throws is thrown.
 */
record JoinedContext(ContextCapture outer, ContextCapture inner) implements ContextCapture {
  /** For the log: the name of the retry is not known here. */
  private static final String NAME = "joined contexts";

  @Override
  public Snapshot capture() {
    Snapshot first = RetryThreads.capture(NAME, outer);
    Snapshot second = RetryThreads.capture(NAME, inner);
    return task -> {
      Outcome outcome = new Outcome(task);
      RetryThreads.runIn(NAME, first, () -> RetryThreads.runIn(NAME, second, outcome));
      outcome.surface();
    };
  }

  /** Keeps what the task throws from being taken for a failure of the contexts. */
  private static final class Outcome implements Runnable {
    private final Runnable task;
    private @Nullable RuntimeException exception;
    private @Nullable Error error;

    Outcome(Runnable task) {
      this.task = task;
    }

    @Override
    public void run() {
      try {
        task.run();
      } catch (RuntimeException e) {
        exception = e;
      } catch (Error e) {
        error = e;
      }
    }

    void surface() {
      if (exception != null) {
        throw exception;
      }
      if (error != null) {
        throw error;
      }
    }
  }
}
