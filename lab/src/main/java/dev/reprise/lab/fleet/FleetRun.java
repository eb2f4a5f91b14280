package dev.reprise.lab.fleet;

import dev.reprise.core.budget.RetryBudget;
import dev.reprise.lab.figure.RunRecord;
import dev.reprise.lab.kernel.ActiveFailures;
import dev.reprise.lab.kernel.CounterRandom;
import dev.reprise.lab.kernel.EventWheel;
import dev.reprise.lab.scenario.Capacity;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Hint;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * One run of a fleet.
 *
 * <p>A device that waits is nothing but its next event, one long: at which part of the tick, which
 * device, how many attempts it has made, and what is special about it. All else about it follows
 * from its number, so that no event needs a look-up. Further state exists only if the model needs
 * it: a moment for each device with a per-device interval, a budget for each with a policy that has
 * one.
 *
 * <p>A delay, which the policy gives in nanoseconds, is rounded up to whole parts of a tick; see
 * {@link TickTime}. One that would end within the tick ends with it. Events of the same part are in
 * the order of their devices.
 */
final class FleetRun {
  /** The outcome of an attempt. */
  private enum AttemptOutcome {
    SUCCESS,
    UNREACHABLE,
    REFUSED,
    FAILED_BY_CHANCE
  }

  // From the lowest bit: flags, attempts made, device, part of the tick. The sign bit is free, so
  // that events of a tick compare as plain numbers.
  private static final int FLAG_BITS = 3;
  private static final int ATTEMPTS_BITS = 21;
  private static final int DEVICE_BITS = 28;
  private static final int DEVICE_SHIFT = FLAG_BITS + ATTEMPTS_BITS;
  private static final int PART_SHIFT = DEVICE_SHIFT + DEVICE_BITS;
  static final int MAX_ATTEMPTS = (1 << ATTEMPTS_BITS) - 1;

  private static final int MINORITY = 1;
  private static final int OVERACTIVE = 2;
  private static final int HOLDS_SLOT = 4;

  /** Draws of a device for other ends than the delays before its retries, which begin at 1. */
  private static final long FIRST_ATTEMPT = 1L << 32;

  private static final long CHANCE = 2L << 32;
  private static final long HINT = 3L << 32;

  private static final long TICKS_BETWEEN_CHECKS = 4_096;

  private final FleetModel model;
  private final DevicePolicy policy;
  private final DevicePolicy minority;
  private final long seed;
  private final CounterRandom random;
  private final EventWheel wheel = new EventWheel();
  private final ActiveFailures conditions;
  private final TickQuota quota;
  private final FleetCounts counts;
  private final AttemptFailure fixedRefusal;
  private final boolean slots;

  private final long horizonTick;
  private final long horizonNanos;
  private final long spreadNanos;
  private final long overactiveParts;
  private final long intervalParts;

  /** The moment after the last attempt of each device, 0 for none; or null if not needed. */
  private final long @Nullable [] lastAttempts;

  /** The budget of each device that has failed; or null when no policy has one. */
  private final @Nullable RetryBudget @Nullable [] budgets;

  private long nextCheck;

  FleetRun(FleetModel model, DevicePolicy policy, DevicePolicy minority, long seed) {
    this.model = model;
    this.policy = policy;
    this.minority = minority;
    this.seed = seed;
    random = new CounterRandom(seed);
    conditions = new ActiveFailures(model.failures(), model.devices(), new CounterRandom(seed));
    quota = new TickQuota(model.quota(), Capacity.of(model));
    counts = new FleetCounts(model, model.devices() - model.overactive().of(model.devices()));
    fixedRefusal =
        model.hint() instanceof Hint.Fixed fixed
            ? new AttemptFailure(true, fixed.delay())
            : AttemptFailure.REFUSAL;
    slots = model.hint() instanceof Hint.Slots;
    horizonTick = TickTime.ticks(model.horizon());
    horizonNanos = model.horizon().toNanos();
    spreadNanos = model.spread().toNanos();
    overactiveParts = TickTime.parts(model.overactive().interval().toNanos());
    intervalParts = TickTime.parts(model.perDeviceInterval().toNanos());
    lastAttempts = intervalParts > 0 ? new long[model.devices()] : null;
    budgets =
        policy.budget() != null || minority.budget() != null
            ? new RetryBudget[model.devices()]
            : null;
  }

  /** Returns the counts. */
  FleetCounts counts() {
    return counts;
  }

  /** Runs until every device is back or has given up, or the horizon is reached. */
  RunRecord run() {
    return Objects.requireNonNull(run(Long.MAX_VALUE));
  }

  /** Runs so too, but returns null when that takes more attempts than so many. */
  @Nullable RunRecord run(long mostAttempts) {
    addFirstAttempts();
    TickBatch batch = new TickBatch(PART_SHIFT);
    long left = mostAttempts;
    while (wheel.size() > 0 && counts.unsettled() > 0) {
      batch.pollFrom(wheel);
      left -= batch.size();
      if (left < 0) {
        return null;
      }
      long tick = wheel.tick();
      moveTo(tick);
      for (int i = 0; i < batch.size(); i++) {
        handle(tick, batch.event(i));
      }
    }
    return counts.toRecord(seed, counts.unsettled() > 0 ? horizonTick : wheel.tick() + 1);
  }

  private void handle(long tick, long event) {
    int flags = (int) event & ((1 << FLAG_BITS) - 1);
    int made = (int) (event >>> FLAG_BITS) & MAX_ATTEMPTS;
    int device = (int) (event >>> DEVICE_SHIFT) & ((1 << DEVICE_BITS) - 1);
    long now = (tick << TickTime.PARTS_BITS) + (event >>> PART_SHIFT);
    if ((flags & OVERACTIVE) == 0) {
      attempt(now, device, made, flags);
    } else {
      attemptOveractive(now, device);
    }
  }

  private void moveTo(long tick) {
    conditions.moveTo(TickTime.tickNanos(tick));
    counts.moveTo(tick);
    if (tick >= nextCheck) {
      nextCheck = tick + TICKS_BETWEEN_CHECKS;
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException("interrupted at " + TickTime.tickSeconds(tick) + " s");
      }
    }
  }

  private void addFirstAttempts() {
    int devices = model.devices();
    int overactive = model.overactive().of(devices);
    int fleet = devices - overactive;
    int others = model.minority().of(fleet);
    int ordinal = 0;
    for (int device = 0; device < devices; device++) {
      // Kinds are dealt out evenly over the numbers, so that each zone has its share of each.
      if (isChosen(device, overactive, devices)) {
        // They come evenly, as those do that have come all the time.
        long interval = model.overactive().interval().toNanos();
        schedule(drawn(device, FIRST_ATTEMPT, interval), device, 0, OVERACTIVE);
      } else {
        boolean other = isChosen(ordinal, others, fleet);
        ordinal++;
        schedule(firstMoment(device), device, 0, other ? MINORITY : 0);
      }
    }
  }

  /** Returns true for as many of the numbers below {@code all} as are chosen, evenly spread. */
  private static boolean isChosen(int number, int chosen, int all) {
    return (number + 1L) * chosen / all > (long) number * chosen / all;
  }

  private long firstMoment(int device) {
    return drawn(device, FIRST_ATTEMPT, spreadNanos);
  }

  /** Returns a moment from 0 to before the end of a span. */
  private long drawn(int device, long purpose, long spanNanos) {
    double share = random.at(device, purpose).nextDouble();
    return (long) (share * TickTime.parts(spanNanos));
  }

  /** It cares neither for the answer nor for hints. */
  private void attemptOveractive(long now, int device) {
    counts.arrivedOveractive();
    var unused = outcomeOf(now, device, now, false);
    schedule(after(now, overactiveParts), device, 0, OVERACTIVE);
  }

  private void attempt(long now, int device, int made, int flags) {
    counts.arrived();
    boolean holdsSlot = (flags & HOLDS_SLOT) != 0;
    switch (outcomeOf(now, device, made, holdsSlot)) {
      case SUCCESS -> {
        counts.returned(made + 1);
        if (budgets != null) {
          // It stays connected: what its success would bring the budget is never asked for.
          budgets[device] = null;
        }
      }
      case UNREACHABLE -> {
        counts.unreachable();
        retry(now, device, made, flags & MINORITY, AttemptFailure.CONNECTION);
      }
      case FAILED_BY_CHANCE -> {
        counts.failedByChance();
        retry(now, device, made, flags & MINORITY, AttemptFailure.CONNECTION);
      }
      case REFUSED -> {
        counts.refused();
        retry(now, device, made, flags & MINORITY, refusalOf(device, made));
      }
    }
  }

  /**
   * Returns the outcome of an attempt.
   *
   * @param which tells the chances of attempts of a device apart
   */
  private AttemptOutcome outcomeOf(long now, int device, long which, boolean holdsSlot) {
    // The service does not receive it, so it costs nothing and is not the device's last attempt.
    if (conditions.isOut(device)) {
      return AttemptOutcome.UNREACHABLE;
    }

    // The service knows the device, and refuses it whatever is left of the quota.
    if (lastAttempts != null && comesTooSoon(now, device, lastAttempts)) {
      quota.refuse(now);
      return AttemptOutcome.REFUSED;
    }

    if (!quota.accepts(now, holdsSlot)) {
      return AttemptOutcome.REFUSED;
    }

    // After the work is done.
    if (conditions.chance() > 0
        && random.at(device, CHANCE + which).nextDouble() < conditions.chance()) {
      return AttemptOutcome.FAILED_BY_CHANCE;
    }
    return AttemptOutcome.SUCCESS;
  }

  private boolean comesTooSoon(long now, int device, long[] lastAttempts) {
    long last = lastAttempts[device] - 1;
    lastAttempts[device] = now + 1;
    return last >= 0 && now - last < intervalParts;
  }

  /** Returns the failure that a refused device sees. */
  private AttemptFailure refusalOf(int device, int made) {
    Hint hint = model.hint();
    if (hint instanceof Hint.None) {
      return AttemptFailure.REFUSAL;
    }
    if (hint instanceof Hint.Fixed) {
      return fixedRefusal;
    }
    if (hint instanceof Hint.Uniform uniform) {
      long lowest = uniform.lowest().toNanos();
      long span = uniform.highest().toNanos() - lowest;
      double share = random.at(device, HINT + made).nextDouble();
      return new AttemptFailure(true, Duration.ofNanos(lowest + (long) (share * span)));
    }
    long slotNanos = quota.slotNanos();
    return slotNanos < 0
        ? AttemptFailure.REFUSAL
        : new AttemptFailure(true, Duration.ofNanos(slotNanos));
  }

  private void retry(long now, int device, int made, int kind, AttemptFailure failure) {
    DevicePolicy its = kind == MINORITY ? minority : policy;
    boolean hasDeadline = its.deadlineNanos() != Long.MAX_VALUE;
    long delayNanos =
        its.delayNanos(
            made,
            failure,
            budgetOf(device, its),
            hasDeadline ? TickTime.nanos(now - firstMoment(device)) : 0,
            TickTime.nanos(now),
            random.at(device, made + 1L));
    int madeNow = made + 1;
    if (delayNanos == DevicePolicy.STOP) {
      counts.stranded(madeNow);
      return;
    }
    if (madeNow == MAX_ATTEMPTS) {
      throw new IllegalArgumentException(
          "device "
              + device
              + " has made "
              + madeNow
              + " attempts in "
              + TickTime.tickSeconds(TickTime.tick(now))
              + " s: must be fewer in a run; its policy must wait longer");
    }
    long delay = TickTime.parts(Math.min(delayNanos, horizonNanos));
    counts.delayed(TickTime.tickAfter(delay));
    schedule(after(now, delay), device, madeNow, kind | slotFlag(failure, delayNanos));
  }

  /** Moves an event of the same tick to the start of the next. */
  private static long after(long now, long delay) {
    return Math.max(now + delay, (TickTime.tick(now) + 1) << TickTime.PARTS_BITS);
  }

  /** A device whose own backoff is longer than what it was told misses its slot. */
  private int slotFlag(AttemptFailure failure, long delayNanos) {
    Duration hint = failure.retryAfter();
    return slots && hint != null && delayNanos == hint.toNanos() ? HOLDS_SLOT : 0;
  }

  private @Nullable RetryBudget budgetOf(int device, DevicePolicy its) {
    if (budgets == null || its.budget() == null) {
      return null;
    }
    RetryBudget budget = budgets[device];
    if (budget == null) {
      budget = its.budget().newBudget();
      budgets[device] = budget;
    }
    return budget;
  }

  private void schedule(long moment, int device, int made, int flags) {
    long tick = TickTime.tick(moment);
    if (tick < horizonTick) {
      long part = moment & (TickTime.PARTS - 1);
      wheel.add(
          tick,
          part << PART_SHIFT | (long) device << DEVICE_SHIFT | (long) made << FLAG_BITS | flags);
    } else if ((flags & OVERACTIVE) == 0) {
      counts.away(made);
    }
  }
}
