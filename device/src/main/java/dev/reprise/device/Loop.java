package dev.reprise.device;

import dev.reprise.core.retry.TimeSource;
import dev.reprise.core.timer.Timeout;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs the tasks of one client one after the other, on threads that all clients share. So nothing
 * in a client needs a lock, and no caller ever waits for one.
 *
 * <p>All tasks in the mailbox become one turn; {@code afterTurn} then runs once for all of them:
 * one sync of the disk, one round of sending.
 */
final class Loop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(Loop.class);

  private static final long RESUBMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The number of tasks after which other clients get the thread. */
  private static final int MAX_IN_A_TURN = 256;

  private final TimeSource time;
  private final Runnable afterTurn;
  private final ConcurrentLinkedQueue<Runnable> mailbox = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private volatile Executor executor;

  Loop(Executor executor, TimeSource time, Runnable afterTurn) {
    this.executor = executor;
    this.time = time;
    this.afterTurn = afterTurn;
  }

  /** Runs a task in the loop; callable from any thread. */
  void post(Runnable task) {
    mailbox.add(task);
    schedule();
  }

  /** Moves the next turns to an executor. Used in the loop. */
  void moveTo(Executor newExecutor) {
    executor = newExecutor;
  }

  private void schedule() {
    // Most tasks join a turn that is scheduled already: reading is cheaper than swapping.
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      submit();
    }
  }

  private void submit() {
    try {
      executor.execute(this);
    } catch (Throwable e) {
      // No thread or no memory: the tasks in the mailbox must still be run.
      LOG.error("a device client found no thread to run on; trying again in a second", e);
      var unused = time.schedule(RESUBMIT_NANOS, this::submit);
    }
  }

  @Override
  public void run() {
    for (int i = 0; i < MAX_IN_A_TURN; i++) {
      Runnable task = mailbox.poll();
      if (task == null) {
        break;
      }
      run(task);
    }
    run(afterTurn);
    scheduled.set(false);
    if (!mailbox.isEmpty()) {
      schedule();
    }
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      // A mistake in one thing that happens must not keep the next ones from happening.
      ThrownLog.log(LOG, Level.ERROR, "a device client failed in its loop; please report this", e);
    }
  }

  long now() {
    return time.nanoTime();
  }

  /** A timer that is set and cancelled in the loop, and fires in it. */
  final class Timer {
    private final Runnable task;
    private @Nullable Timeout timeout;

    /** Tells a firing that was on its way when the timer was cancelled or set anew. */
    private int setting;

    private long dueNanos;

    Timer(Runnable task) {
      this.task = task;
    }

    /** Sets the timer to fire after the delay, in place of the time set before. */
    void set(long delayNanos) {
      cancel();
      int current = ++setting;
      long delay = Math.max(0, delayNanos);
      dueNanos = now() + delay;
      timeout = time.schedule(delay, () -> post(() -> fire(current)));
    }

    private void fire(int firedSetting) {
      if (firedSetting == setting && timeout != null) {
        timeout = null;
        task.run();
      }
    }

    void cancel() {
      if (timeout != null) {
        timeout.cancel();
        timeout = null;
      }
    }

    boolean isSet() {
      return timeout != null;
    }

    /** Returns whether it is set to fire at this time or before. */
    boolean isSetBy(long atNanos) {
      return timeout != null && dueNanos - atNanos <= 0;
    }
  }
}
