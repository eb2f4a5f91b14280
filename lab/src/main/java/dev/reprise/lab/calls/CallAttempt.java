package dev.reprise.lab.calls;

import dev.reprise.lab.kernel.Chance;
import dev.reprise.lab.kernel.CounterRandom;
import dev.reprise.lab.kernel.EventHeap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One attempt on its way to a station and back. It is the event of whatever happens to it next, and
 * the stage that its {@code Retry} waits for. A caller that gives it up does not tell the station,
 * which goes on.
 */
final class CallAttempt extends CompletableFuture<Boolean> implements EventHeap.Event {
  /** The next event of an attempt. */
  private enum Phase {
    ARRIVES,
    IS_SERVED,
    IS_ANSWERED
  }

  /** The purposes of random draws: each has numbers of its own. */
  private enum Draw {
    WAY_THERE(0),
    WAY_BACK(1),
    FATE(2),
    WORK(3);

    private static final int COUNT = 4;
    private final int place;

    Draw(int place) {
      this.place = place;
    }
  }

  final SimulatedCall call;
  final int number;

  /** True if the service will fail it, and its cost: set by the service. */
  boolean isDoomed;

  double work;
  private Phase phase = Phase.ARRIVES;
  private @Nullable CallFailure failure;
  private boolean isGivenUp;
  private boolean isDropped;

  CallAttempt(SimulatedCall call, int number) {
    this.call = call;
    this.number = number;
  }

  /** Returns true when the client of this attempt no longer waits for its answer. */
  boolean isGivenUp() {
    return isGivenUp;
  }

  /**
   * Returns true as long as the answer is of use: a layer waits for it although the client that the
   * layer works for has gone.
   */
  boolean isAwaited() {
    return !isGivenUp && call.isAwaited();
  }

  /** Counts an attempt that the service drops. Its client is not told. */
  void dropped() {
    if (!isGivenUp) {
      isDropped = true;
      call.run.tally.gaveUp(call.run.heap.nowNanos());
    }
  }

  /** Returns the randomness of whether the service refuses or fails it. */
  CounterRandom fate() {
    return randomness(Draw.FATE);
  }

  /** Returns the randomness of how long the service takes. */
  CounterRandom service() {
    return randomness(Draw.WORK);
  }

  private CounterRandom randomness(Draw draw) {
    return call.run.random.at(call.id, (long) number * Draw.COUNT + draw.place);
  }

  void send() {
    Run run = call.run;
    boolean asksService = call.target == run.service;
    if (asksService) {
      run.tally.attempted(call.root());
      run.conditions.moveTo(run.heap.nowNanos());
      if (run.conditions.isOut(call.root().client)) {
        run.tally.arrived(run.heap.nowNanos());
        failure = CallFailure.UNREACHABLE;
        phase = Phase.IS_ANSWERED;
        run.heap.schedule(0, this);
        return;
      }
    }
    run.heap.schedule(hopNanos(Draw.WAY_THERE), this);
  }

  private long hopNanos(Draw way) {
    double mean = call.run.hopMeanNanos;
    return mean == 0 ? 0 : Math.round(Chance.exponential(mean, randomness(way)));
  }

  /** Lets the service be done with this attempt later. */
  void serve(long durationNanos) {
    phase = Phase.IS_SERVED;
    call.run.heap.schedule(durationNanos, this);
  }

  /** Sends the answer back: a failure, or null for a success. */
  void answer(@Nullable CallFailure failure) {
    this.failure = failure;
    phase = Phase.IS_ANSWERED;
    long hopNanos = hopNanos(Draw.WAY_BACK);
    if (hopNanos == 0) {
      deliver();
    } else {
      call.run.heap.schedule(hopNanos, this);
    }
  }

  @Override
  public void occur() {
    switch (phase) {
      case ARRIVES -> call.target.receive(this);
      case IS_SERVED -> call.run.service.served(this);
      case IS_ANSWERED -> deliver();
    }
  }

  private void deliver() {
    Run run = call.run;
    if (call.target == run.service) {
      run.tally.answered(this, failure, run.heap.nowNanos());
    }
    if (isGivenUp) {
      return;
    }
    if (failure == null) {
      call.succeeded = true;
      complete(true);
    } else {
      failed();
      completeExceptionally(failure);
    }
  }

  /**
   * Prepares the next step of the {@code Retry}, which draws its jitter when the result is
   * reported.
   */
  private void failed() {
    call.attemptFailed();
    call.run.jitter.at(call.id, number);
  }

  /** Called by the {@code Retry} when it waits no longer. */
  @Override
  public boolean cancel(boolean mayInterrupt) {
    if (isDone() || isGivenUp) {
      return false;
    }
    isGivenUp = true;
    // A hedge that another one has outrun has not failed.
    if (!call.succeeded) {
      failed();
      if (call.target == call.run.service && !isDropped) {
        call.run.tally.gaveUp(call.run.heap.nowNanos());
      }
    }
    return true;
  }
}
