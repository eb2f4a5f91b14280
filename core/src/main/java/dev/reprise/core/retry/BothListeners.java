package dev.reprise.core.retry;

/** Two listeners as one; the second is called even when the first throws. */
record BothListeners(RetryListener first, RetryListener second) implements RetryListener {
  @Override
  public void onAttempt(RetryEvent event) {
    try {
      first.onAttempt(event);
    } finally {
      second.onAttempt(event);
    }
  }
}
