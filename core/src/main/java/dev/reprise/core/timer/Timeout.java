package dev.reprise.core.timer;

/** A task that waits for its time. Thread-safe. */
public interface Timeout {
  /**
   * Takes the task out, and forgets it at once. Of a cancellation and the time that comes, one
   * wins: when this returns true the task never runs; when it returns false the task has run, is
   * running, is about to, or was cancelled before.
   */
  boolean cancel();
}
