package dev.reprise.core.timer;

import dev.reprise.core.InvalidSettingException;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs tasks later, all on one daemon thread. It is made to hold a million timeouts, most of which
 * are cancelled. Tasks must be short and must not block, since all others wait meanwhile: hand the
 * work to an executor. Thread-safe.
 *
 * <p>The thread starts with the first timeout, sleeps without a tick until the next one is due, and
 * never keeps the JVM from exiting. It keeps nothing of the thread that happened to start it: no
 * context class loader, no inheritable thread-locals.
 */
public final class DaemonTimer {
  private static final int MAX_WHEELS = 8;
  private static final long PAUSE_AFTER_FAILURE_NANOS = 10_000_000;

  private final Ticks ticks = new Ticks(System.nanoTime());

  /** A power of two of them; a thread adds to the one that its id points to. */
  private final TimerWheel[] wheels;

  private final SleepPlan plan;

  private volatile @Nullable Thread thread;

  DaemonTimer(int wheelCount) {
    wheels = new TimerWheel[wheelCount];
    for (int i = 0; i < wheelCount; i++) {
      wheels[i] = new TimerWheel();
    }
    plan = new SleepPlan(wheels);
  }

  /** Returns the one timer of this class loader. */
  public static DaemonTimer shared() {
    return Shared.INSTANCE;
  }

  /**
   * Schedules a task, which runs no earlier than after the delay. Its exceptions go to the uncaught
   * exception handler of the timer's thread.
   *
   * @param delayNanos at least 0; 0 is as soon as possible
   * @return what cancels the task
   * @throws IllegalArgumentException when the delay is negative
   */
  public Timeout schedule(long delayNanos, Runnable task) {
    Objects.requireNonNull(task, "task");
    if (delayNanos < 0) {
      throw new InvalidSettingException("delayNanos", delayNanos, "must be >= 0");
    }
    Thread timer = thread;
    if (timer == null) {
      timer = start();
    }
    TimerWheel wheel = wheels[(int) Thread.currentThread().getId() & (wheels.length - 1)];
    Timeout timeout = wheel.add(ticks.after(System.nanoTime(), delayNanos), task);
    if (plan.mustWakeFor(wheel)) {
      LockSupport.unpark(timer);
    }
    return timeout;
  }

  private synchronized Thread start() {
    Thread running = thread;
    if (running != null) {
      return running;
    }
    Thread starting = new Thread(null, this::work, "reprise-timer", 0, false);
    starting.setDaemon(true);
    starting.setContextClassLoader(ClassLoader.getSystemClassLoader());
    starting.start();
    thread = starting;
    return starting;
  }

  private void work() {
    while (true) {
      plan.wakeUp();
      // An interrupt means nothing here, but it would end every sleep at once.
      Thread.interrupted();
      long nowTick = ticks.at(System.nanoTime());
      for (TimerWheel wheel : wheels) {
        advance(wheel, nowTick);
      }
      sleepUntil(plan.sleepUntil());
    }
  }

  private void advance(TimerWheel wheel, long nowTick) {
    try {
      wheel.advanceTo(nowTick, DaemonTimer::report);
    } catch (Throwable e) {
      // Such as a lack of memory. It must not end the timeouts of the whole program: the wheel
      // still has what is due, and is tried again. The pause leaves the processor to others, who
      // may free memory.
      report(e);
      LockSupport.parkNanos(this, PAUSE_AFTER_FAILURE_NANOS);
    }
  }

  private void sleepUntil(long tick) {
    if (tick == SleepPlan.AWAKE) {
      return;
    }
    if (tick == TimerWheel.NOTHING) {
      LockSupport.park(this);
      return;
    }
    long nanos = ticks.nanosUntil(tick, System.nanoTime());
    if (nanos > 0) {
      LockSupport.parkNanos(this, nanos);
    }
  }

  private static void report(Throwable thrown) {
    Thread timer = Thread.currentThread();
    try {
      timer.getUncaughtExceptionHandler().uncaughtException(timer, thrown);
    } catch (Throwable e) {
      // If the handler fails as well, its failure cannot be reported.
    }
  }

  /** Holds the shared timer, made at first use. */
  private static final class Shared {
    static final DaemonTimer INSTANCE = new DaemonTimer(wheelCount());

    private static int wheelCount() {
      int processors = Runtime.getRuntime().availableProcessors();
      return Math.min(Integer.highestOneBit(processors), MAX_WHEELS);
    }
  }
}
