package dev.reprise.lab.calls;

import dev.reprise.core.InvalidSettingException;
import dev.reprise.lab.kernel.Chance;
import dev.reprise.lab.scenario.CallModel;
import dev.reprise.lab.scenario.CallModel.Queue.Order;
import dev.reprise.lab.scenario.CallModel.ServiceTime;
import dev.reprise.lab.scenario.Hint;
import java.time.Duration;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The called service: a quota, servers, and a queue before them. An attempt is accepted by the
 * quota first; clients that gave up are not known here, except for the attempts that the queue
 * drops.
 */
final class SimulatedService implements Station {
  private final Run run;
  private final CallModel.Service model;
  private final double meanNanos;
  private final double perRequestNanos;
  private final @Nullable CallQuota quota;
  private final @Nullable CallFailure fixedHint;
  private final ArrayDeque<CallAttempt> queue = new ArrayDeque<>();
  private int busy;

  SimulatedService(Run run, CallModel.Service model) {
    this.run = run;
    this.model = model;
    this.meanNanos = model.time().mean().toNanos();
    this.perRequestNanos = model.time().perRequest().toNanos();
    this.quota = model.quota() == null ? null : new CallQuota(model.quota(), run.speed);
    this.fixedHint =
        model.hint() instanceof Hint.Fixed fixed ? CallFailure.refused(fixed.delay()) : null;
    if (model.hint() instanceof Hint.Slots && quota == null) {
      throw new InvalidSettingException("hint", "slots", "needs a quota, whose slots they are");
    }
  }

  @Override
  public void receive(CallAttempt attempt) {
    long now = run.heap.nowNanos();
    run.tally.arrived(now);

    // It comes when it was told to: room has been kept for it.
    boolean hasSlot = attempt.call.slotNanos >= 0 && now >= attempt.call.slotNanos;
    if (hasSlot) {
      attempt.call.slotNanos = -1;
    }

    // More than was agreed.
    if (quota != null && !hasSlot && !quota.accept(now)) {
      quota.refuse(now);
      attempt.work = quotaCost();
      attempt.answer(refusal(attempt, now));
      return;
    }

    // No other attempt is before it.
    if (model.servers() == 0 || busy < model.servers()) {
      serve(attempt, now);
      return;
    }

    // No room to wait in.
    if (queue.size() >= model.queue().bound()) {
      attempt.answer(refusal(attempt, now));
      return;
    }

    queue.addLast(attempt);
    noteLevel(now);
  }

  private double quotaCost() {
    return model.quota() == null ? 0 : model.quota().rejectionCost();
  }

  private CallFailure refusal(CallAttempt attempt, long now) {
    if (fixedHint != null) {
      return fixedHint;
    }
    if (model.hint() instanceof Hint.Uniform uniform) {
      long lowest = uniform.lowest().toNanos();
      long span = uniform.highest().toNanos() - lowest;
      return CallFailure.refused(
          Duration.ofNanos(lowest + (long) (attempt.fate().nextDouble() * span)));
    }
    if (quota != null && model.hint() instanceof Hint.Slots) {
      long delayNanos = quota.book(now);
      attempt.call.slotNanos = now + delayNanos;
      return CallFailure.refused(Duration.ofNanos(delayNanos));
    }
    return CallFailure.REFUSED;
  }

  private void serve(CallAttempt attempt, long now) {
    int others = busy + queue.size();
    busy++;
    noteLevel(now);
    double mean = meanNanos + perRequestNanos * others;
    double workNanos =
        model.time().shape() == ServiceTime.Shape.EXPONENTIAL
            ? Chance.exponential(mean, attempt.service())
            : mean;
    attempt.work = meanNanos == 0 ? 1 : workNanos / meanNanos;
    run.conditions.moveTo(now);
    double failure = run.conditions.chance();
    attempt.isDoomed = failure > 0 && attempt.fate().nextDouble() < failure;
    attempt.serve(run.speed.durationNanos(now, Math.round(workNanos)));
  }

  /** Goes on after an attempt has been served. */
  void served(CallAttempt attempt) {
    long now = run.heap.nowNanos();
    busy--;
    noteLevel(now);
    CallAttempt next = next();
    if (next != null) {
      serve(next, now);
    }
    attempt.answer(attempt.isDoomed ? CallFailure.FAILED : null);
  }

  private @Nullable CallAttempt next() {
    while (true) {
      CallAttempt next = model.queue().order() == Order.FIFO ? queue.pollFirst() : queue.pollLast();
      if (next == null || !model.queue().dropsExpired() || next.isAwaited()) {
        return next;
      }
      // Its caller has given up.
      next.dropped();
    }
  }

  private void noteLevel(long now) {
    run.tally.level(busy + queue.size(), now);
  }
}
