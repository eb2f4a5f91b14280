package dev.reprise.testkit;

import dev.reprise.core.InvalidSettingException;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * Runs tasks in the order of their due times on a {@link VirtualClock}: hours of waiting take no
 * time, and the same test runs the same way every time. Tasks due at the same time run in the order
 * in which they were scheduled.
 *
 * <p>Before a task runs, the clock is moved to the task's due time. Monotonic time alone decides;
 * wall time may be set at will. An exception of a task leaves {@link #advance} or {@link
 * #runUntilIdle}; the tasks after it stay scheduled.
 *
 * <p>Not thread-safe: tasks run on the thread that moves time, one after the other.
 */
public final class VirtualScheduler {
  private static final Comparator<Task> BY_TIME_THEN_ORDER =
      Comparator.<Task>comparingLong(task -> task.dueNanos).thenComparingLong(task -> task.order);

  private final VirtualClock clock;
  private final PriorityQueue<Task> tasks = new PriorityQueue<>(BY_TIME_THEN_ORDER);
  private long scheduled;
  private boolean running;

  /** Creates a scheduler without tasks on the clock, which others may read and move as well. */
  public VirtualScheduler(VirtualClock clock) {
    this.clock = clock;
  }

  /** A task that was scheduled. */
  public final class Task {
    private final long dueNanos;
    private final long order;
    private final Runnable action;

    private Task(long dueNanos, long order, Runnable action) {
      this.dueNanos = dueNanos;
      this.order = order;
      this.action = action;
    }

    /** Takes the task out; returns false when it has run, is running, or was cancelled before. */
    public boolean cancel() {
      return tasks.remove(this);
    }
  }

  /** Returns the clock that the tasks run on. */
  public VirtualClock clock() {
    return clock;
  }

  /**
   * Schedules a task.
   *
   * @param delay from now, at least 0; 0 runs at the next move of time, or in the present one
   * @throws IllegalArgumentException when {@code delay} is negative
   */
  public Task schedule(Duration delay, Runnable action) {
    return scheduleNanos(delay.toNanos(), action);
  }

  /**
   * Schedules a task.
   *
   * @param delayNanos from now, at least 0; beyond 292 years is the end of time
   * @throws IllegalArgumentException when {@code delayNanos} is negative
   */
  public Task scheduleNanos(long delayNanos, Runnable action) {
    if (delayNanos < 0) {
      throw new InvalidSettingException("delayNanos", delayNanos, "must be >= 0");
    }
    long now = clock.elapsedNanos();
    long dueNanos = delayNanos > Long.MAX_VALUE - now ? Long.MAX_VALUE : now + delayNanos;
    Task task = new Task(dueNanos, scheduled++, action);
    tasks.add(task);
    return task;
  }

  /**
   * Moves time and runs every task that falls due, those that such tasks schedule included. When it
   * returns, exactly the duration has passed, or more if a task moved the clock beyond.
   *
   * @return how many tasks ran
   * @throws IllegalStateException when called by a task
   */
  public int advance(Duration duration) {
    if (duration.isNegative()) {
      throw new InvalidSettingException("duration", duration, "time does not run backwards");
    }
    long endNanos = Math.addExact(clock.elapsedNanos(), duration.toNanos());
    int ran = runDue(endNanos, Integer.MAX_VALUE);
    moveTo(endNanos);
    return ran;
  }

  /**
   * Runs tasks, moving time as they need it, until none is left.
   *
   * @param mostTasks how many may run, at least 1, so that tasks which schedule each other
   *     endlessly end the test rather than hang it
   * @return how many tasks ran
   * @throws IllegalStateException when tasks are left after {@code mostTasks}, or when called by a
   *     task
   */
  public int runUntilIdle(int mostTasks) {
    int ran = runDue(Long.MAX_VALUE, mostTasks);
    if (!tasks.isEmpty()) {
      throw new IllegalStateException(
          tasks.size() + " tasks are left after " + mostTasks + " ran: not idle, " + clock);
    }
    return ran;
  }

  /** Returns how many tasks are scheduled. */
  public int pending() {
    return tasks.size();
  }

  /** Returns true while tasks run: then only they move time. */
  boolean isRunning() {
    return running;
  }

  private int runDue(long endNanos, int mostTasks) {
    if (running) {
      throw new IllegalStateException("a task cannot run tasks: schedule them instead");
    }
    running = true;
    try {
      int ran = 0;
      while (ran < mostTasks) {
        Task next = tasks.peek();
        if (next == null || next.dueNanos > endNanos) {
          return ran;
        }
        tasks.remove();
        moveTo(next.dueNanos);
        next.action.run();
        ran++;
      }
      return ran;
    } finally {
      running = false;
    }
  }

  /** Others may have moved the clock further already; it never goes back. */
  private void moveTo(long elapsedNanos) {
    if (elapsedNanos > clock.elapsedNanos()) {
      clock.advanceNanos(elapsedNanos - clock.elapsedNanos());
    }
  }
}
