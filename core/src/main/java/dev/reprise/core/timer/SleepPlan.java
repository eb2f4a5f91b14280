package dev.reprise.core.timer;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The sleep of the timer's thread, agreed between it and the threads that add timeouts, so that no
 * timeout is missed and few additions wake the thread.
 *
 * <p>Both sides write first and look afterwards: the thread writes its plan and then looks at the
 * wheels again; a thread that adds changes the wheel and then looks at the plan. Whatever the
 * order, one of the two sees the other.
 */
final class SleepPlan {
  /** The plan of a thread that is at work, and will look at all wheels before it sleeps. */
  static final long AWAKE = Long.MIN_VALUE;

  private final TimerWheel[] wheels;
  private final AtomicLong wakeTick = new AtomicLong(AWAKE);

  SleepPlan(TimerWheel... wheels) {
    this.wheels = wheels;
  }

  /** The thread goes to work. */
  void wakeUp() {
    wakeTick.set(AWAKE);
  }

  /**
   * The thread wants to sleep. Returns the tick until which it may, {@link TimerWheel#NOTHING} when
   * it may sleep until it is woken, or {@link #AWAKE} when it must look at the wheels again.
   */
  long sleepUntil() {
    long nextTick = nextVisitTick();
    wakeTick.set(nextTick);
    return nextVisitTick() < nextTick ? AWAKE : nextTick;
  }

  /**
   * Returns whether the thread would sleep past the next visit of the wheel; the caller must wake
   * it then. Of many callers only those get true whose timeouts are earlier than all before.
   */
  boolean mustWakeFor(TimerWheel wheel) {
    long visitTick = wheel.nextVisitTick();
    long planned = wakeTick.get();
    while (visitTick < planned) {
      if (wakeTick.compareAndSet(planned, visitTick)) {
        return true;
      }
      planned = wakeTick.get();
    }
    return false;
  }

  private long nextVisitTick() {
    long next = TimerWheel.NOTHING;
    for (TimerWheel wheel : wheels) {
      next = Math.min(next, wheel.nextVisitTick());
    }
    return next;
  }
}
