package dev.reprise.core.retry;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

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
  private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

  /**
   * The number of notes is in its middle, amid memory that nobody writes: every attempt reads it,
   * and must not wait because another thread writes what happens to lie beside it. A pair of cache
   * lines has 128 bytes.
   */
  private static final long[] NOTES = new long[33];

  private static final int LATEST = 16;

  private static final int DEPTH = 16;

  /**
   * The mark for a failure after which a retry was decided: a note on it is an old one, for one
   * that is younger than the attempt would have ended the operation.
   */
  static final long NO_NOTE_IS_YOUNGER = Long.MAX_VALUE;

  private NestedRetry() {}

  /** Returns what tells younger notes from older ones; asked for at the start of each attempt. */
  static long mark() {
    return (long) LONGS.getVolatile(NOTES, LATEST);
  }

  static long nextNote() {
    return (long) LONGS.getAndAdd(NOTES, LATEST, 1L) + 1;
  }

  /** Returns true when an inner {@link Retry} gave up on the failure since the mark. */
  static boolean gaveUp(Throwable failure, long mark) {
    // No retry gave up meanwhile: there is no need to search the failure, under its lock.
    if (mark() == mark) {
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
