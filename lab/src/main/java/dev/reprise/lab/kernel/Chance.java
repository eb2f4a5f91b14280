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

  /**
   * Draws from the normal distribution around 0 with deviation 1 (Marsaglia and Bray, 1964). Not
   * {@link RandomGenerator#nextGaussian}, which draws otherwise in other releases of Java.
   */
  public static double gaussian(RandomGenerator random) {
    while (true) {
      double across = 2 * random.nextDouble() - 1;
      double up = 2 * random.nextDouble() - 1;
      double square = across * across + up * up;
      if (square > 0 && square < 1) {
        return across * Math.sqrt(-2 * StrictMath.log(square) / square);
      }
    }
  }
}
