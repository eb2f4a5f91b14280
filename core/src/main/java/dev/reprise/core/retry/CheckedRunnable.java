package dev.reprise.core.retry;

/**
 * An operation that returns nothing and may fail.
 *
 * @param <X> what it throws
 */
@FunctionalInterface
public interface CheckedRunnable<X extends Exception> {
  /** Makes one attempt. */
  void run() throws X;
}
