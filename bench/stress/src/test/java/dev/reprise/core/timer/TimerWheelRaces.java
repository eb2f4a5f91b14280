package dev.reprise.core.timer;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZZ_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Threads that add and cancel while the timer's thread advances the wheel. */
class TimerWheelRaces {
  private TimerWheelRaces() {}

  private static void advance(TimerWheel wheel, long tick) {
    wheel.advanceTo(
        tick,
        thrown -> {
          throw new AssertionError(thrown);
        });
  }

  @JCStressTest
  @State
  @Outcome(id = "true, true, 0", expect = Expect.ACCEPTABLE, desc = "Cancelled, and never ran.")
  @Outcome(id = "false, true, 1", expect = Expect.ACCEPTABLE, desc = "Ran, not cancelled.")
  public static class EitherCancelledOrRun {
    private final TimerWheel wheel = new TimerWheel();
    private final AtomicInteger runs = new AtomicInteger();
    // Moved down a level first.
    private final Timeout timeout = wheel.add(4_096, runs::incrementAndGet);

    @Actor
    public void cancel(ZZI_Result result) {
      result.r1 = timeout.cancel();
    }

    @Actor
    public void advance() {
      TimerWheelRaces.advance(wheel, 5_000);
    }

    @Arbiter
    public void after(ZZI_Result result) {
      result.r2 = wheel.isEmpty();
      result.r3 = runs.get();
    }
  }

  @JCStressTest
  @State
  @Outcome(id = "1, true, false", expect = Expect.ACCEPTABLE, desc = "The first cancelled it.")
  @Outcome(id = "1, false, true", expect = Expect.ACCEPTABLE, desc = "The second cancelled it.")
  public static class OfTwoCancellationsOneWins {
    private final TimerWheel wheel = new TimerWheel();
    private final AtomicInteger others = new AtomicInteger();
    private final Timeout timeout = wheel.add(5, others::incrementAndGet);

    public OfTwoCancellationsOneWins() {
      wheel.add(5, others::incrementAndGet);
    }

    @Actor
    public void first(IZZ_Result result) {
      result.r2 = timeout.cancel();
    }

    @Actor
    public void second(IZZ_Result result) {
      result.r3 = timeout.cancel();
    }

    @Arbiter
    public void others(IZZ_Result result) {
      TimerWheelRaces.advance(wheel, 5);
      result.r1 = others.get();
    }
  }

  /** What is added while the wheel advances is either run, or the next visit is known. */
  @JCStressTest
  @State
  @Outcome(id = "1, true, true", expect = Expect.ACCEPTABLE, desc = "Ran at once.")
  @Outcome(id = "0, false, true", expect = Expect.ACCEPTABLE, desc = "Will be visited in time.")
  public static class WhatIsAddedMeanwhileIsNotForgotten {
    private final TimerWheel wheel = new TimerWheel();
    private final AtomicInteger runs = new AtomicInteger();

    @Actor
    public void add() {
      Timeout unused = wheel.add(70, runs::incrementAndGet);
    }

    @Actor
    public void advance() {
      TimerWheelRaces.advance(wheel, 100);
    }

    @Arbiter
    public void after(IZZ_Result result) {
      result.r1 = runs.get();
      result.r2 = wheel.isEmpty();
      result.r3 = wheel.isEmpty() || wheel.nextVisitTick() <= 100;
    }
  }
}
