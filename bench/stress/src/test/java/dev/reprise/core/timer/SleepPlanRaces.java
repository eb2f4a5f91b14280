package dev.reprise.core.timer;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/** The timer's thread goes to sleep while a timeout is added. */
class SleepPlanRaces {
  private SleepPlanRaces() {}

  @JCStressTest
  @State
  @Outcome(id = "false, 5", expect = Expect.ACCEPTABLE, desc = "Sleeps until the timeout.")
  @Outcome(id = "true, 0", expect = Expect.ACCEPTABLE, desc = "Would sleep on, but is woken.")
  @Outcome(id = "false, 1", expect = Expect.ACCEPTABLE, desc = "Looks again.")
  @Outcome(id = "true, 1", expect = Expect.ACCEPTABLE, desc = "Looks again, and is woken too.")
  @Outcome(id = "false, 0", expect = Expect.FORBIDDEN, desc = "The timeout is slept past.")
  public static class NoTimeoutIsSleptPast {
    private final TimerWheel wheel = new TimerWheel();
    private final SleepPlan plan = new SleepPlan(wheel);

    @Actor
    public void add(ZI_Result result) {
      Timeout unused = wheel.add(5, () -> {});
      result.r1 = plan.mustWakeFor(wheel);
    }

    @Actor
    public void sleep(ZI_Result result) {
      long tick = plan.sleepUntil();
      result.r2 = tick == TimerWheel.NOTHING ? 0 : tick == SleepPlan.AWAKE ? 1 : (int) tick;
    }
  }
}
