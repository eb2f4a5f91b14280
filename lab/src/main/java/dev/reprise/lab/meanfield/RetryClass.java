package dev.reprise.lab.meanfield;

import org.jspecify.annotations.Nullable;

/** The devices that have made the same number of retries, by the step of their next attempt. */
final class RetryClass {
  private final double[] ring;
  private final int mostSteps;
  private double due;
  private long lastStep = -1;
  private double startSteps;
  private double startRate;

  /** The class of devices that fail; null if they give up. */
  @Nullable RetryClass next;

  @Nullable DueAttempts afterFailure;
  @Nullable DueAttempts afterRefusal;

  /**
   * Creates a class without devices.
   *
   * @param mostSteps the farthest that anything is put ahead
   */
  RetryClass(int mostSteps) {
    this.mostSteps = mostSteps;
    this.ring = new double[Integer.highestOneBit(mostSteps + 3) * 2];
  }

  /** Returns the farthest that anything may be put ahead. */
  int mostSteps() {
    return mostSteps;
  }

  /** Returns true if it is empty and stays so unless a device of another class fails. */
  boolean isEmpty(long step) {
    return step > lastStep && step >= startSteps;
  }

  /** Returns whether those that fail stay in it. */
  boolean goesRound() {
    return next == this;
  }

  /** Makes devices come evenly in the first steps. */
  void start(double devices, double steps) {
    startSteps = Math.max(1, steps);
    startRate = devices / startSteps;
  }

  /** Returns the devices due in a step; each step is asked for once, in order. */
  double take(long step) {
    double starting = step < startSteps ? startRate * Math.min(1, startSteps - step) : 0;
    if (step > lastStep) {
      due = 0;
      return starting;
    }
    int at = (int) step & (ring.length - 1);
    due += ring[at];
    ring[at] = 0;
    return starting + Math.max(0, due);
  }

  /** Moves devices that failed without being refused, and returns how many of them gave up. */
  double moveAfterFailure(double devices, long step) {
    return move(devices, afterFailure, step);
  }

  /** Moves devices that were refused, and returns how many of them gave up. */
  double moveAfterRefusal(double devices, long step) {
    return move(devices, afterRefusal, step);
  }

  private double move(double devices, @Nullable DueAttempts deposit, long step) {
    if (next == null || deposit == null) {
      return devices;
    }
    next.put(devices, deposit, step);
    return devices * (1 - deposit.share());
  }

  private void put(double devices, DueAttempts deposit, long step) {
    deposit.put(devices, ring, (int) step);
    lastStep = Math.max(lastStep, step + deposit.lastOffset());
  }
}
