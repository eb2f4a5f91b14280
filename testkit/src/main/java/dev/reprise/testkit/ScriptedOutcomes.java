package dev.reprise.testkit;

import dev.reprise.core.InvalidSettingException;
import java.util.ArrayList;
import java.util.List;

/**
 * Outcomes in the order in which they are to happen: three failures, then success.
 *
 * <pre>{@code
 * ScriptedOutcomes<Integer> statuses = new ScriptedOutcomes<Integer>().times(3, 503).thenAlways(200);
 * }</pre>
 *
 * <p>Not thread-safe.
 *
 * @param <T> what an outcome is
 */
public final class ScriptedOutcomes<T> {
  private record Step<T>(T outcome, long lastCall) {}

  private final List<Step<T>> steps = new ArrayList<>();
  private int step;
  private long calls;

  /** Creates a script without outcomes. */
  public ScriptedOutcomes() {}

  /** Adds an outcome that happens once, after those that were added before. */
  public ScriptedOutcomes<T> then(T outcome) {
    return times(1, outcome);
  }

  /**
   * Adds an outcome that happens several times in a row.
   *
   * @throws IllegalArgumentException when {@code times} is less than 1
   * @throws IllegalStateException after {@link #thenAlways}
   */
  public ScriptedOutcomes<T> times(int times, T outcome) {
    if (times < 1) {
      throw new InvalidSettingException("times", times, "must be >= 1");
    }
    return add(outcome, length() + times);
  }

  /**
   * Sets the outcome of all further attempts.
   *
   * @throws IllegalStateException after another {@code thenAlways}
   */
  public ScriptedOutcomes<T> thenAlways(T outcome) {
    return add(outcome, Long.MAX_VALUE);
  }

  /**
   * Returns the next outcome.
   *
   * @throws AssertionError when the script is at its end: there was a call too many
   */
  public T next() {
    if (calls == length()) {
      throw new AssertionError("call " + (calls + 1) + " of a script of " + length() + " outcomes");
    }
    calls++;
    while (calls > steps.get(step).lastCall()) {
      step++;
    }
    return steps.get(step).outcome();
  }

  /** Returns how many outcomes have happened. */
  public long calls() {
    return calls;
  }

  /** Returns true when no outcome is left; never after {@link #thenAlways}. */
  public boolean isExhausted() {
    return calls == length();
  }

  private long length() {
    return steps.isEmpty() ? 0 : steps.get(steps.size() - 1).lastCall();
  }

  private ScriptedOutcomes<T> add(T outcome, long lastCall) {
    if (length() == Long.MAX_VALUE) {
      throw new IllegalStateException("nothing comes after thenAlways");
    }
    steps.add(new Step<>(outcome, lastCall));
    return this;
  }
}
