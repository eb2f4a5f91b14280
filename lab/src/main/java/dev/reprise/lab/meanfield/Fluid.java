package dev.reprise.lab.meanfield;

import dev.reprise.lab.figure.FleetBins;
import dev.reprise.lab.figure.FleetTally;
import dev.reprise.lab.figure.SecondPeaks;
import dev.reprise.lab.figure.TimeBins;
import dev.reprise.lab.kernel.Seconds;
import dev.reprise.lab.scenario.Capacity;
import dev.reprise.lab.scenario.Failure;
import dev.reprise.lab.scenario.FleetModel;
import dev.reprise.lab.scenario.Overactive;
import dev.reprise.policy.StrategyPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** One solution: moves the devices of all groups through time, a step at a time. */
final class Fluid {
  /** Places in the fleet, from 0 to 1, that meet the same outages; and what part of it they are. */
  private record FluidZone(double place, double share) {}

  /** The number of devices that counts as none. */
  private static final double NOBODY = 1e-3;

  /** Fewer devices than these are a rounding error. */
  private static final double DUST = 1e-9;

  private final FleetModel model;
  private final double stepSeconds;
  private final StepFailures conditions;
  private final Capacity capacity;
  private final Quotas quota;
  private final double devices;
  private final double overactivePerStep;
  private final List<FluidZone> zones = new ArrayList<>();
  private final List<Group> groups = new ArrayList<>();
  private final FleetBins arrivals;
  private final FleetBins returns;
  private final SecondPeaks peaks = new SecondPeaks();
  private final long steps;
  private final long recoveryStep;
  private final long stepsPerSecond;

  private final RetryClass[] classes;
  private final boolean[] classIsOut;
  private final double[] due;
  private final SteadyState standstill;
  private boolean allOut;
  private double overactive;
  private double perSecond;
  private double chance;
  private double returned;
  private double stranded;
  private double served;
  private double refused;
  private double arrivalsAfterRecovery;
  private long events;

  Fluid(FleetModel model, StrategyPolicy policy, double stepSeconds) {
    this.model = model;
    this.stepSeconds = stepSeconds;
    this.conditions = new StepFailures(model.failures(), stepSeconds);
    this.capacity = Capacity.of(model);
    this.quota =
        new Quotas(
            model.quota().perSecond(),
            Seconds.of(model.quota().burst()),
            model.quota().rejectionCost());
    Overactive overactive = model.overactive();
    int others = overactive.of(model.devices());
    this.devices = model.devices() - others;
    this.overactivePerStep = others / Seconds.of(overactive.interval()) * stepSeconds;
    this.stepsPerSecond = Math.round(1 / stepSeconds);
    double recoverySeconds = Seconds.of(model.recovery());
    this.steps = (long) Math.ceil(Seconds.of(model.horizon()) / stepSeconds);
    this.recoveryStep = Math.round(recoverySeconds / stepSeconds);
    this.arrivals =
        new FleetBins(stepSeconds, Math.max(1, stepsPerSecond / 10), recoveryStep, recoverySeconds);
    this.returns = new FleetBins(stepSeconds, 1, recoveryStep, recoverySeconds);
    addGroups(policy);
    this.classes =
        groups.stream().flatMap(group -> group.classes().stream()).toArray(RetryClass[]::new);
    this.classIsOut = new boolean[classes.length];
    this.due = new double[classes.length];
    this.standstill = new SteadyState(classes);
  }

  private void addGroups(StrategyPolicy policy) {
    TreeSet<Double> places = new TreeSet<>(List.of(0.0, 1.0));
    for (Failure failure : model.failures()) {
      if (failure instanceof Failure.Outage outage) {
        places.add((double) outage.zone().index() / outage.zone().zones());
        places.add((outage.zone().index() + 1.0) / outage.zone().zones());
      }
    }
    double minority = model.minority().share();
    StrategyPolicy theirs =
        model.minority().policy() == null ? policy : model.minority().policy().toStrategyPolicy();
    double from = 0;
    for (double to : places.tailSet(0.0, false)) {
      double share = to - from;
      double place = (from + to) / 2;
      zones.add(new FluidZone(place, share));
      addGroup(place, devices * share * (1 - minority), policy);
      addGroup(place, devices * share * minority, theirs);
      from = to;
    }
  }

  private void addGroup(double place, double devices, StrategyPolicy policy) {
    if (devices > 0) {
      groups.add(Group.of(model, place, devices, policy, stepSeconds));
    }
  }

  /** Runs until everybody is back or has given up, or the horizon. */
  FleetTally run() {
    // Events of devices are counted in steps that were taken, and the rest in steps of the run.
    long skipped = 0;
    long nextChange = 0;
    long now = 0;
    while (now < steps && devices - returned - stranded > NOBODY) {
      long step = now - skipped;
      if (now == nextChange) {
        change(now);
        nextChange = conditions.nextChange(now + 1);
        standstill.begin(step);
      }
      double settled = returned + stranded;
      double backBefore = returned;
      double refusedBefore = refused;
      double came = move(step);
      count(now, now + 1, came);
      returns.add(now, returned - backBefore);
      now++;
      boolean leaves = returned + stranded != settled;
      if (standstill.isReached(step, due, leaves, allOut, quota.saved())) {
        long until = Math.min(nextChange, steps);
        goOnAsBefore(now, until, came, refused - refusedBefore);
        skipped += until - now;
        now = until;
      }
    }
    return tally(now);
  }

  private void change(long now) {
    perSecond = capacity.at((now + 0.5) * stepSeconds);
    chance = conditions.chance(now);
    overactive = 0;
    for (FluidZone zone : zones) {
      overactive += conditions.isOut(now, zone.place()) ? 0 : overactivePerStep * zone.share();
    }
    int index = 0;
    for (Group group : groups) {
      boolean isOut = conditions.isOut(now, group.place());
      for (int i = 0; i < group.classes().size(); i++) {
        classIsOut[index++] = isOut;
      }
    }
  }

  /** Moves all devices that are due, and returns how many there were. */
  private double move(long step) {
    double came = 0;
    double reaching = 0;
    for (int i = 0; i < due.length; i++) {
      due[i] = classes[i].take(step);
      came += due[i];
      reaching += classIsOut[i] ? 0 : due[i];
    }
    allOut = reaching == 0;
    reaching += overactive;
    double accepted = quota.accept(reaching, stepSeconds, perSecond);
    double acceptedShare = reaching > 0 ? accepted / reaching : 0;
    for (int i = 0; i < due.length; i++) {
      if (due[i] > 0) {
        events++;
        if (classIsOut[i]) {
          fail(classes[i], due[i], step);
        } else {
          serve(classes[i], due[i], acceptedShare, step);
        }
      }
    }
    return came;
  }

  private void serve(RetryClass from, double due, double acceptedShare, long step) {
    // A negligible remainder would keep a class alive without end.
    double left = due * (1 - acceptedShare) < DUST ? 0 : due * (1 - acceptedShare);
    double accepted = due - left;
    served += accepted;
    refused += left;
    returned += accepted * (1 - chance);
    if (chance > 0) {
      fail(from, accepted * chance, step);
    }
    if (left > 0) {
      stranded += from.moveAfterRefusal(left, step);
    }
  }

  private void fail(RetryClass from, double failed, long step) {
    stranded += from.moveAfterFailure(failed, step);
  }

  /** Counts those that come in each of some steps. */
  private void count(long from, long to, double cameEach) {
    arrivals.add(from, to, cameEach);
    arrivalsAfterRecovery += Math.max(0, to - Math.max(from, recoveryStep)) * cameEach;
    for (long step = from; step < to; ) {
      long second = Math.floorDiv(step - recoveryStep, stepsPerSecond);
      long end = Math.min(to, recoveryStep + (second + 1) * stepsPerSecond);
      peaks.add(second, cameEach * (end - step));
      step = end;
    }
  }

  /** In each step the same comes again. */
  private void goOnAsBefore(long from, long to, double came, double refusedEach) {
    double skipped = (double) (to - from);
    count(from, to, came);
    refused += skipped * refusedEach;
    if (allOut && skipped > 0) {
      var unused = quota.accept(overactive * skipped, skipped * stepSeconds, perSecond);
    }
  }

  private FleetTally tally(long now) {
    double left = devices - returned - stranded;
    TimeBins back = returns.toBins();
    if (left <= NOBODY && stranded < 0.5) {
      back = LastDevice.in(back, left + stranded);
      stranded = 0;
    }
    return new FleetTally(
        devices,
        arrivals.toBins(),
        back,
        peaks.before(),
        peaks.after(),
        arrivalsAfterRecovery,
        served,
        refused,
        stranded,
        now * stepSeconds,
        true);
  }

  /** Returns how many times a class was moved. */
  long events() {
    return events;
  }
}
