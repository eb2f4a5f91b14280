package dev.reprise.server.api;

import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Caches an answer until it is too old. Callers that come while it is renewed wait for the new one.
 * Thread-safe.
 */
final class Remembered<T> {
  private final Supplier<T> question;
  private final long maxAgeNanos;
  private final LongSupplier nanoTime;

  private @Nullable T answer;
  private long answeredNanos;

  Remembered(Supplier<T> question, long maxAgeNanos, LongSupplier nanoTime) {
    this.question = question;
    this.maxAgeNanos = maxAgeNanos;
    this.nanoTime = nanoTime;
  }

  synchronized T get() {
    T known = answer;
    if (known != null && nanoTime.getAsLong() - answeredNanos < maxAgeNanos) {
      return known;
    }
    T fresh = question.get();
    answer = fresh;
    answeredNanos = nanoTime.getAsLong();
    return fresh;
  }
}
