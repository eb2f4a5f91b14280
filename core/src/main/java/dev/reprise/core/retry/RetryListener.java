package dev.reprise.core.retry;

/**
 * Listens to every attempt. It is called on the thread that made the attempt or decided what
 * follows, never under a lock. Its exceptions are logged and change nothing.
 */
@FunctionalInterface
public interface RetryListener {
  /** Takes in the event of an attempt that is over. */
  void onAttempt(RetryEvent event);

  /** Returns a listener that calls this one and then the other. */
  default RetryListener andThen(RetryListener other) {
    return new BothListeners(this, other);
  }
}
