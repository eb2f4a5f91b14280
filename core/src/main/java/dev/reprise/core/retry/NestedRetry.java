package dev.reprise.core.retry;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Knows a failure that another {@link Retry}, running inside the attempt that failed, has already
 * retried and given up on. Three layers of three attempts would otherwise make 27 calls of one.
 *
 * <p>The inner one leaves a note on the failure. A note alone would not do, for a program may throw
 * the same object again in another operation; so notes are numbered, and the note must be younger
 * than the attempt. This holds on whatever threads the layers run. A failure that many threads
 * share may be mistaken for a nested one once, when it gets its only note.
 */
final class NestedRetry {
  private static final AtomicLong NOTES = new AtomicLong();
  private static final int DEPTH = 16;

  /**
   * The mark for a failure after which a retry was decided: a note on it is an old one, for one
   * that is younger than the attempt would have ended the operation.
   */
  static final long NO_NOTE_IS_YOUNGER = Long.MAX_VALUE;

  private NestedRetry() {}

  /** Returns what tells younger notes from older ones; asked for at the start of each attempt. */
  static long mark() {
    return NOTES.get();
  }

  static long nextNote() {
    return NOTES.incrementAndGet();
  }

  /** Returns true when an inner {@link Retry} gave up on the failure since the mark. */
  static boolean gaveUp(Throwable failure, long mark) {
    // No retry gave up meanwhile: there is no need to search the failure, under its lock.
    if (NOTES.get() == mark) {
      return false;
    }

    Throwable inner = failure;
    for (int i = 0; i < DEPTH && isWrapping(inner); i++) {
      Throwable cause = inner.getCause();
      if (cause == null) {
        break;
      }
      inner = cause;
    }
    RetryStoppedException note = RetryStoppedException.of(inner);
    return note != null && note.number() > mark;
  }

  /** Returns true for what futures put around a failure: it says nothing of its own. */
  private static boolean isWrapping(Throwable failure) {
    return failure instanceof CompletionException || failure instanceof ExecutionException;
  }
}
