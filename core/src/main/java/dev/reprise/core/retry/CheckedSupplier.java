package dev.reprise.core.retry;

import org.jspecify.annotations.Nullable;

/**
 * An operation that returns a value and may fail. The compiler finds out what it throws: {@code
 * retry.call(() -> Files.readString(path))} throws {@code IOException} and nothing else.
 *
 * @param <T> what it returns; null is a value like any other
 * @param <X> what it throws
 */
@FunctionalInterface
public interface CheckedSupplier<T extends @Nullable Object, X extends Exception> {
  /** Makes one attempt. */
  T get() throws X;
}
