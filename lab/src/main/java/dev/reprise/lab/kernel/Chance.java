package dev.reprise.lab.kernel;

import java.util.random.RandomGenerator;

/** Draws from distributions, the same on every machine. */
public final class Chance {
  private Chance() {}

  /**
   * Draws from an exponential distribution.
   *
   * @param mean at least 0
   * @return at least 0; 0 when the mean is
   */
  public static double exponential(double mean, RandomGenerator random) {
    // Not Math.log, which may differ in its last bit from machine to machine.
    return mean == 0 ? 0 : -mean * StrictMath.log(1 - random.nextDouble());
  }
}
