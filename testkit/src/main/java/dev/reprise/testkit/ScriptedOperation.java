package dev.reprise.testkit;

import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An operation that fails and succeeds as written.
 *
 * <pre>{@code
 * ScriptedOperation<String> operation =
 *     new ScriptedOperation<String>().fails(3, () -> new IOException("reset")).succeeds("hello");
 * }</pre>
 *
 * <p>Each failure is a new exception. A call after the last outcome is an {@link AssertionError}.
 * Not thread-safe.
 *
 * @param <T> what the operation returns
 */
public final class ScriptedOperation<T extends @Nullable Object> implements Callable<T> {
  private final ScriptedOutcomes<Callable<T>> outcomes = new ScriptedOutcomes<>();

  /** Creates an operation that no call is written for yet. */
  public ScriptedOperation() {}

  /** Lets one call return the value, after the outcomes that were added before. */
  public ScriptedOperation<T> succeeds(T value) {
    outcomes.then(() -> value);
    return this;
  }

  /** Lets every further call return the value. */
  public ScriptedOperation<T> succeedsAlways(T value) {
    outcomes.thenAlways(() -> value);
    return this;
  }

  /**
   * Lets several calls throw, after the outcomes that were added before.
   *
   * @throws IllegalArgumentException when {@code times} is less than 1
   */
  public ScriptedOperation<T> fails(int times, Supplier<? extends Exception> failure) {
    outcomes.times(times, throwing(failure));
    return this;
  }

  /** Lets every further call throw. */
  public ScriptedOperation<T> failsAlways(Supplier<? extends Exception> failure) {
    outcomes.thenAlways(throwing(failure));
    return this;
  }

  @Override
  public T call() throws Exception {
    return outcomes.next().call();
  }

  /** Returns how often the operation was called. */
  public long calls() {
    return outcomes.calls();
  }

  private static <T extends @Nullable Object> Callable<T> throwing(
      Supplier<? extends Exception> failure) {
    return () -> {
      throw failure.get();
    };
  }
}
