package dev.reprise.testkit;

import dev.reprise.core.retry.TimeSource;
import dev.reprise.core.timer.Timeout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Virtual time for {@code Retry}: waits take no time, and every wait is recorded.
 *
 * <pre>{@code
 * VirtualTime time = new VirtualTime();
 * Retry retry = Retry.builder().strategy(strategy).time(time).build();
 * assertThat(retry.call(operation::call)).isEqualTo("hello");
 * assertThat(time.waits()).containsExactly(Duration.ZERO, ofSeconds(1), ofSeconds(2));
 * }</pre>
 *
 * <p>A blocking operation moves time itself whenever it waits. An asynchronous one waits until the
 * test moves time with {@link #advance} or {@link #runUntilIdle}; give such a {@code Retry} the
 * {@link #executor()}, so that all of it happens on the test's own thread.
 *
 * <p>Not thread-safe: virtual time belongs to the one thread that runs the test.
 */
public final class VirtualTime implements TimeSource {
  private final VirtualScheduler scheduler;
  private final List<Duration> waits = new ArrayList<>();

  /** Creates a time on a clock of its own. */
  public VirtualTime() {
    this(new VirtualScheduler(new VirtualClock()));
  }

  /** Creates a time on a scheduler that others may use as well. */
  public VirtualTime(VirtualScheduler scheduler) {
    this.scheduler = scheduler;
  }

  @Override
  public long nanoTime() {
    return scheduler.clock().nanoTime();
  }

  /**
   * Lets the time pass at once, and runs what falls due meanwhile.
   *
   * @throws InterruptedException when the thread is interrupted; no time passes then
   */
  @Override
  public void sleep(long nanos) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted in virtual time");
    }
    waits.add(Duration.ofNanos(nanos));
    if (scheduler.isRunning()) {
      scheduler.clock().advanceNanos(nanos);
    } else {
      scheduler.advance(Duration.ofNanos(nanos));
    }
  }

  @Override
  public Timeout schedule(long delayNanos, Runnable task) {
    waits.add(Duration.ofNanos(delayNanos));
    VirtualScheduler.Task scheduled = scheduler.scheduleNanos(delayNanos, task);
    return scheduled::cancel;
  }

  /**
   * Returns every wait so far, in the order in which they began: those of blocking operations, and
   * those that were scheduled, timeouts included and also when they were cancelled. A retry without
   * delay does not wait.
   */
  public List<Duration> waits() {
    return List.copyOf(waits);
  }

  /** Returns how much time has passed since the clock was created. */
  public Duration elapsed() {
    return Duration.ofNanos(scheduler.clock().elapsedNanos());
  }

  /** Returns the clock. */
  public VirtualClock clock() {
    return scheduler.clock();
  }

  /** Lets time pass and runs what falls due; see {@link VirtualScheduler#advance}. */
  public void advance(Duration duration) {
    scheduler.advance(duration);
  }

  /**
   * Runs scheduled tasks until none is left; see {@link VirtualScheduler#runUntilIdle}.
   *
   * @param mostTasks how many tasks may run
   */
  public void runUntilIdle(int mostTasks) {
    scheduler.runUntilIdle(mostTasks);
  }

  /** Returns how many tasks wait for their time. */
  public int pending() {
    return scheduler.pending();
  }

  /** Returns an executor that runs each task at the present time, on the thread that moves time. */
  public Executor executor() {
    return task -> scheduler.scheduleNanos(0, task);
  }
}
