package dev.reprise.lab.calls;

import dev.reprise.lab.kernel.Chance;
import dev.reprise.lab.kernel.CounterRandom;
import dev.reprise.lab.kernel.EventHeap;
import dev.reprise.lab.scenario.CallModel.Step;
import java.util.List;

/**
 * Calls that arrive independently of the outcome of earlier ones: a Poisson process whose rate has
 * steps.
 */
final class OpenCallers implements Callers, EventHeap.Event {
  private static final double NANOS_PER_SECOND = 1e9;

  private final Run run;
  private final List<Step> steps;
  private final int clients;
  private final CounterRandom random;
  private int step;
  private long calls;
  private boolean done;

  OpenCallers(Run run, List<Step> steps, int clients, CounterRandom random) {
    this.run = run;
    this.steps = steps;
    this.clients = clients;
    this.random = random;
  }

  @Override
  public void start() {
    scheduleNext();
  }

  /** Finds the time at which the integral of the rate has grown by an exponential draw. */
  private void scheduleNext() {
    double due = Chance.exponential(1, random.at(calls, 0));
    double now = run.heap.nowNanos();
    double at = now;
    while (step + 1 < steps.size()) {
      double end = steps.get(step + 1).from().toNanos();
      double until = steps.get(step).perSecond() * (end - at) / NANOS_PER_SECOND;
      if (until >= due) {
        break;
      }
      due -= until;
      at = end;
      step++;
    }
    at += due / steps.get(step).perSecond() * NANOS_PER_SECOND;
    if (at < run.durationNanos) {
      run.heap.schedule(Math.round(at - now), this);
    } else {
      done = true;
      run.stopIfOver();
    }
  }

  @Override
  public void occur() {
    long id = calls++;
    run.begin(id, (int) (random.at(id, 1).nextDouble() * clients));
    scheduleNext();
  }

  @Override
  public void ended(int client) {
    // The next call is scheduled independently of this one.
  }

  @Override
  public boolean areDone() {
    return done;
  }
}
